// Messages for whoever started the program. Results go to standard output.
#pragma once

#include <cstdio>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace consentry {

// Writes a message to standard error. If that fails, because a disk is full or nobody reads any more, the message is
// lost and the program goes on; fmt::print() would throw.
template <class... Args>
void say(fmt::format_string<Args...> format, Args&&... args) {
    const std::string text = fmt::format(format, std::forward<Args>(args)...);
    std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace consentry
