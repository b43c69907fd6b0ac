// Sends one request to the whole service, exactly as the test wrote it.
#pragma once

#include <string>

#include "tests/support/raw_http.hpp"
#include "tests/support/service.hpp"

namespace consentry::tests {

// `head` ends with a line end; this function adds the empty line.
inline RawAnswer ask(const Service& service, const std::string& head) {
    RawClient client(service.port());
    client.send(head + "Connection: close\r\n\r\n");
    return client.read_answer();
}

}  // namespace consentry::tests
