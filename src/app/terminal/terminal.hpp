// Text for people at a terminal: whether a stream is one, colors, and how wide a text is.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace consentry {

bool is_terminal(std::FILE* stream);
// False if the stream is not a terminal, if NO_COLOR is set and not empty (no-color.org), or if TERM is dumb.
bool shows_colors(std::FILE* stream);
std::size_t terminal_columns(std::FILE* stream);  // 80 if unknown

enum class Color { none, bold, green, yellow, red };
std::string colored(std::string_view text, Color color);

// Replaces what could control a terminal, line ends and tabs included, with U+FFFD: what clients sent may be anything.
std::string on_one_line(std::string_view text);
// The same, but keeps line ends and tabs.
std::string on_its_lines(std::string_view text);
// Returns the number of cells that a text takes at a terminal; a Japanese character takes two.
std::size_t cells_of(std::string_view text);

}  // namespace consentry
