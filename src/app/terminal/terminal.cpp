#include "app/terminal/terminal.hpp"

#include <clocale>
#include <cstdlib>
#include <cwchar>

#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/format.h>

namespace consentry {
namespace {

constexpr std::size_t usual_columns = 80;

std::string_view variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string_view{} : value;
}

std::string without_control(std::string_view text, bool keeps_lines) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0U;
        const bool is_layout = byte == '\n' || byte == '\t' || (byte == '\r' && next == '\n');
        const bool is_c1 = byte == 0xC2 && next >= 0x80 && next < 0xA0;  // U+0080 to U+009F in UTF-8
        if ((byte >= 0x20 && byte != 0x7F && !is_c1) || (keeps_lines && is_layout)) {
            out.push_back(text[i]);
            continue;
        }
        out += "\uFFFD";
        i += is_c1 ? 1 : 0;
    }
    return out;
}

}  // namespace

bool is_terminal(std::FILE* stream) { return isatty(fileno(stream)) == 1; }

bool shows_colors(std::FILE* stream) {
    return is_terminal(stream) && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
}

std::size_t terminal_columns(std::FILE* stream) {
    winsize size{};
    if (ioctl(fileno(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return usual_columns;
    return size.ws_col;
}

std::string colored(std::string_view text, Color color) {
    const auto code = [color] {
        switch (color) {
            case Color::bold:
                return 1;
            case Color::green:
                return 32;
            case Color::yellow:
                return 33;
            case Color::red:
                return 31;
            case Color::none:
                break;
        }
        return 0;
    }();
    return code == 0 ? std::string(text) : fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

std::string on_one_line(std::string_view text) { return without_control(text, false); }
std::string on_its_lines(std::string_view text) { return without_control(text, true); }

std::size_t cells_of(std::string_view text) {
    // Without a locale, wcwidth() knows only ASCII. This one always exists, and changes nothing but the encoding.
    [[maybe_unused]] static const char* const locale = std::setlocale(LC_CTYPE, "C.UTF-8");
    std::size_t out = 0;
    std::mbstate_t state{};
    while (!text.empty()) {
        wchar_t character = 0;
        const std::size_t length = std::mbrtowc(&character, text.data(), text.size(), &state);
        if (length == 0 || length > text.size()) {  // a zero byte, or not UTF-8
            text.remove_prefix(1);
            state = {};
            ++out;
            continue;
        }
        text.remove_prefix(length);
        if (const int width = wcwidth(character); width > 0) out += static_cast<std::size_t>(width);
    }
    return out;
}

}  // namespace consentry
