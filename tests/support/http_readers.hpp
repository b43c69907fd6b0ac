// What the HTTP readers of other servers make of the same bytes: nginx and node, started by tests/real.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tests/support/temp_folder.hpp"

namespace consentry::tests {

// A server that answers 200 to each request it has read whole, with the method and the length of the body in x-seen.
// Requests that stay incomplete end within seconds: it refuses them, or closes.
struct HttpReader {
    std::string name;
    std::variant<std::uint16_t, std::string> address;  // a port of 127.0.0.1, or the path of a socket
};

// What it read out of one connection.
struct Reading {
    std::vector<std::string> seen;  // "POST 3"
    unsigned refusal = 0;           // the status of the answer that ended it, if there was one
    bool read_on = false;           // more answers followed that one
};

// Sends each text over a connection of its own, all at once, and waits until the server has closed them all. Throws
// std::runtime_error where it does not within a minute.
std::vector<Reading> read_all(const HttpReader& reader, const std::vector<std::string_view>& texts);

// nginx and node, until the end of this object. The constructor throws std::runtime_error where one is not installed.
class OtherReaders {
public:
    OtherReaders();
    ~OtherReaders();
    OtherReaders(const OtherReaders&) = delete;
    OtherReaders& operator=(const OtherReaders&) = delete;

    HttpReader nginx() const { return {"nginx", folder_ / "nginx/nginx.sock"}; }
    HttpReader node() const { return {"node", folder_ / "node/node.sock"}; }

private:
    TempFolder folder_{std::filesystem::temp_directory_path()};
};

}  // namespace consentry::tests
