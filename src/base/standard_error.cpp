#include "base/standard_error.hpp"

#include <atomic>
#include <cstdio>

namespace consentry {
namespace {

std::atomic<Messenger*> messenger_of_all{nullptr};

}  // namespace

void say_through(Messenger* messenger) noexcept { messenger_of_all = messenger; }

void say_text(std::string_view text) noexcept {
    if (Messenger* const messenger = messenger_of_all)
        messenger->take(text);
    else
        std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace consentry
