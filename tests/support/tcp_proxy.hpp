// A link that tests can slow down or break: an in-process proxy on its own thread, from a free port of 127.0.0.1 to a
// server's port there. Thread-safe; each call returns once it is in effect. Starts in the mode of pass().
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace consentry::tests {

class TcpProxy {
public:
    explicit TcpProxy(std::uint16_t target_port);
    ~TcpProxy();  // resets all links
    TcpProxy(const TcpProxy&) = delete;
    TcpProxy& operator=(const TcpProxy&) = delete;

    std::uint16_t port() const;
    // The number of links accepted since the start, open now, and cut by cut_after_answer_bytes() or mute_when().
    std::size_t accepted() const;
    std::size_t open() const;
    std::size_t cut() const;

    // Sets how open and new links behave. Each call replaces the previous mode; bytes held back are then forwarded.
    void pass();                                 // forwards everything without delay
    void delay(std::chrono::milliseconds time);  // forwards bytes in both directions after this time
    void hang();                                 // forwards nothing in either direction; accepts new links
    void mute();                                 // forwards requests to the target but not its answers
    void refuse();                               // resets open links, refuses new ones
    // Resets each link after this many more bytes of answers.
    void cut_after_answer_bytes(std::size_t count);
    // Forwards at least this many more bytes of requests on each link, and then only answers.
    void hang_after_request_bytes(std::size_t count);
    // Applies once, to the first link on which the client sends these bytes. The bytes still reach the target. When the
    // target answers, and so has done its work, the link is cut and the answer is lost. Other links pass.
    void mute_when(std::string bytes);

    // Resets all links open now; new ones pass.
    void reset();
    // As reset(), but the target only reads the end of the requests, and may complete what it has read before.
    void reset_clients();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace consentry::tests
