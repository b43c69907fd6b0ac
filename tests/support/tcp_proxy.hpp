// A link that tests can slow or break: a proxy in this process, with a thread of its own, from a free port of 127.0.0.1
// to a port of a server there. Safe from any thread; each call returns when it is in force. It begins with pass().
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
    // Links accepted since the beginning, those open now, and those that cut_after_answer_bytes() or mute_when() cut.
    std::size_t accepted() const;
    std::size_t open() const;
    std::size_t cut() const;

    // How links behave from now on, open ones and new ones. Each ends what was in force before it; bytes that were held
    // back go on.
    void pass();                                 // as a good link
    void delay(std::chrono::milliseconds time);  // what is read, in either direction, goes on after this time
    void hang();                                 // nothing goes on in either direction; new links are accepted
    void mute();                                 // requests reach the target, its answers do not come back
    void refuse();                               // open links are reset, new ones refused
    // Each link is reset after so many more bytes of answers.
    void cut_after_answer_bytes(std::size_t count);
    // Once: the first link on which the client sends these bytes still passes them on. When the target answers, so when
    // it has done what it was asked for, the link is cut and the answer is lost. Other links pass.
    void mute_when(std::string bytes);

    // Resets all open links once; new ones pass.
    void reset();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace consentry::tests
