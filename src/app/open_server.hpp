// Opens the server of a command.
#pragma once

#include <memory>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/error_text.hpp"
#include "base/open_files.hpp"
#include "http/server.hpp"

namespace consentry {

// With as many connections as this process may open files for. Throws as http::Server does. If another program has the
// address, the text names `setting`, which can change it, for example "HTTP_PORT".
inline std::unique_ptr<http::Server> open_server(http::ServerOptions options, http::Application& application,
                                                 std::string_view setting) {
    options.connections_max = connections_that_can_be(options.connections_max);
    try {
        return std::make_unique<http::Server>(std::move(options), application);
    } catch (const std::system_error& error) {
        if (error.code() != std::errc::address_in_use) throw;
        throw std::runtime_error(
            fmt::format("{}: {}. Set another port, or stop the program that uses it", setting, sentence_of(error)));
    }
}

}  // namespace consentry
