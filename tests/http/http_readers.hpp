// Shows how other HTTP servers interpret the same bytes: nginx and node, started by tests/real.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tests/support/temp_folder.hpp"

namespace consentry::tests {

// A server that answers 200 to each complete request, with the method and the body length in x-seen. It refuses or
// closes incomplete requests within seconds.
struct HttpReader {
    std::string name;
    std::variant<std::uint16_t, std::string> address;  // a port of 127.0.0.1, or the path of a socket
};

// How the server interpreted one connection.
struct Reading {
    std::vector<std::string> seen;  // "POST 3"
    unsigned refusal = 0;           // the status of the final refusal; 0: there was none
    bool read_on = false;           // more answers followed the refusal
};

// Sends each text on its own connection, all concurrently, and waits until the server has closed them all. Throws
// std::runtime_error if that takes more than a minute.
std::vector<Reading> read_all(const HttpReader& reader, const std::vector<std::string_view>& texts);

// Runs nginx and node for the lifetime of this object. The constructor throws std::runtime_error if one is not
// installed.
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
