// A cache that does not answer.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "storage/cache.hpp"

namespace consentry::tests {

class AwayCache : public storage::Cache {
public:
    storage::awaitable<std::optional<std::string>> get(std::string) override { throw Unavailable("away"); }
    std::unique_ptr<Reading> begin_get(const boost::asio::any_io_executor&, std::string) override {
        throw Unavailable("away");
    }
    storage::awaitable<void> put(std::string, std::string, milliseconds) override { throw Unavailable("away"); }
    storage::awaitable<bool> put_if_absent(std::string, std::string, milliseconds) override {
        throw Unavailable("away");
    }
    storage::awaitable<std::optional<std::string>> take(std::string) override { throw Unavailable("away"); }
    storage::awaitable<void> erase(std::string) override { throw Unavailable("away"); }
    storage::awaitable<Admission> admit(std::string, std::int64_t, milliseconds) override { throw Unavailable("away"); }
    storage::awaitable<void> ping() override { throw Unavailable("away"); }
};

}  // namespace consentry::tests
