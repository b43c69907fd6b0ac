#include "app/terminal/password_prompt.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include <unistd.h>

#include <termios.h>

#include "base/standard_error.hpp"

namespace consentry {
namespace {

// What the terminal of Linux passes on of a line, and its end.
constexpr std::size_t line_bytes_max = 4'096;

// While it is in scope, the terminal does not show what is typed, and the key that would interrupt the process ends the
// line: no key can end the process before the terminal is as it was.
class Hidden {
public:
    Hidden() {
        ::tcgetattr(STDIN_FILENO, &before_);
        termios hidden = before_;
        hidden.c_lflag &= ~static_cast<tcflag_t>(ECHO | ISIG);
        hidden.c_cc[VEOL] = before_.c_cc[VINTR];
        ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden);
    }
    ~Hidden() { ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_); }
    Hidden(const Hidden&) = delete;
    Hidden& operator=(const Hidden&) = delete;

    // Returns nullopt at the end of the input, and if the user interrupts.
    std::optional<std::string> ask(const char* prompt) const {
        say("{}", prompt);
        std::array<char, line_bytes_max> line{};
        ssize_t count = 0;
        do count = ::read(STDIN_FILENO, line.data(), line.size());
        while (count < 0 && errno == EINTR);
        say("\n");
        std::string_view text(line.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
        const bool is_given = text.ends_with('\n');
        if (is_given) text.remove_suffix(1);
        std::optional<std::string> out;
        if (is_given) out.emplace(text);
        ::explicit_bzero(line.data(), line.size());
        return out;
    }

private:
    termios before_{};
};

}  // namespace

std::expected<std::string, std::string> ask_for_password() {
    const Hidden terminal;
    auto first = terminal.ask("Password: ");
    auto second = first ? terminal.ask("Repeat password: ") : std::nullopt;
    const bool is_same = first == second;
    const bool is_complete = second.has_value();
    if (second) ::explicit_bzero(second->data(), second->size());
    if (is_complete && is_same) return std::move(*first);
    if (first) ::explicit_bzero(first->data(), first->size());
    return std::unexpected(is_complete ? "the passwords do not match" : "no password was entered");
}

}  // namespace consentry
