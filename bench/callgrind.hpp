// Counts the instructions of the service, which unlike times do not depend on what else the machine does.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "stage.hpp"

namespace consentry::bench {

// What a piece of work cost the service, in user space.
struct Instructions {
    std::uint64_t all = 0;
    // By the namespace of the function that spends them ("consentry::http", "boost::asio", "std"), or by the shared
    // library ("libcrypto").
    std::map<std::string, std::uint64_t> by_place = {};
};

// Reads a profile in Callgrind's format, version 1, whose names are mangled, and adds up what each place spends itself.
Instructions read_profile(std::string_view profile);

// The service with a single I/O thread under Callgrind.
class CountedService {
public:
    // Blocks until the service answers. Throws std::runtime_error if Valgrind is not installed.
    CountedService(const Stage& stage, Environment settings);

    std::uint16_t port() const { return server_.port; }
    // The instructions of all threads while `work` runs. Before, waits for what earlier requests left to do, such as
    // wiping the memory of a password hash, which a busy machine does late.
    Instructions count(const std::function<void()>& work);

private:
    void settle() const;
    void tell(std::string_view command) const;
    std::filesystem::path profiles_;
    std::string pipes_;  // where vgdb finds the service
    int dumps_ = 0;
    Server server_;
};

}  // namespace consentry::bench
