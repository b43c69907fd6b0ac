// Messages for the user who started the program. Results go to standard output.
#pragma once

#include <exception>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace consentry {

// Takes messages in the place of standard error. Thread-safe.
class Messenger {
public:
    virtual ~Messenger() = default;
    virtual void take(std::string_view text) noexcept = 0;
};

// From now on, say() hands its messages to `messenger`; null: writes them itself, which is how a program begins.
void say_through(Messenger* messenger) noexcept;

void say_text(std::string_view text) noexcept;

// Writes a message to standard error. If that fails, because a disk is full or the reader has ended, the message is
// lost and the program goes on; fmt::print() would throw.
template <class... Args>
void say(fmt::format_string<Args...> format, Args&&... args) noexcept {
    try {
        say_text(fmt::format(format, std::forward<Args>(args)...));
    } catch (const std::exception&) {  // out of memory
    }
}

}  // namespace consentry
