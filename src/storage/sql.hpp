// SQL assembled at compile time from literals, shared fragments and lists of columns:
//
//     constexpr Text epoch_sql = "(SELECT e.grants FROM epochs e)";
//     template <Text grant>
//     constexpr Text of_this_epoch_sql = grant + ".epoch = " + epoch_sql;
//
//     co_await database.query(sql<"SELECT ", session_columns, " FROM sessions s WHERE s.id = $1 AND ",
//                                 of_this_epoch_sql<"s">>,
//                             id);
//
// sql<...> is a std::string_view of a program constant: it outlives every call and costs nothing at run time. A part is
// a literal, a Text, or a value whose type has a constant Text called sql_text (storage/columns.hpp).
//
// A long statement may be a raw string: each run of whitespace outside quotes becomes one space. A comment (--) would
// swallow the rest of its line, so it does not compile; neither does an unclosed quote.
#pragma once

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string_view>

namespace consentry::storage {

// A string as a template argument.
template <std::size_t Size>
struct Text {
    // Public because a structural type requires it.
    char chars[Size + 1]{};

    constexpr Text() = default;
    consteval Text(const char (&literal)[Size + 1]) {  // NOLINT(google-explicit-constructor)
        std::copy_n(literal, Size, chars);
    }
    template <class Part>
        requires(Part::sql_text.size() == Size)
    consteval Text(const Part&) : Text(Part::sql_text) {}  // NOLINT(google-explicit-constructor)

    static constexpr std::size_t size() { return Size; }
    constexpr std::string_view view() const { return {chars, Size}; }
};
template <std::size_t Size>
Text(const char (&)[Size]) -> Text<Size - 1>;
template <class Part>
    requires requires { Part::sql_text.size(); }
Text(const Part&) -> Text<Part::sql_text.size()>;

template <std::size_t First, std::size_t Second>
consteval Text<First + Second> operator+(const Text<First>& first, const Text<Second>& second) {
    Text<First + Second> out;
    std::copy_n(first.chars, First, out.chars);
    std::copy_n(second.chars, Second, out.chars + First);
    return out;
}
template <std::size_t First, std::size_t Second>
consteval auto operator+(const Text<First>& first, const char (&second)[Second]) {
    return first + Text(second);
}
template <std::size_t First, std::size_t Second>
consteval auto operator+(const char (&first)[First], const Text<Second>& second) {
    return Text(first) + second;
}

namespace detail {

// Passes each character of the normalized statement to `put`.
template <class Put>
constexpr void squeeze(std::string_view text, Put put) {
    char quote = 0;
    bool begun = false;
    bool blank = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quote == 0 && (c == ' ' || c == '\n' || c == '\t' || c == '\r')) {
            blank = begun;
            continue;
        }
        if (blank) put(' ');
        blank = false;
        begun = true;
        if (quote == 0 && text.substr(i).starts_with("--")) throw std::invalid_argument("SQL with a comment");
        if (c == quote)
            quote = 0;
        else if (quote == 0 && (c == '\'' || c == '"'))
            quote = c;
        put(c);
    }
    if (quote != 0) throw std::invalid_argument("SQL with an open quote");
}

template <Text whole>
inline constexpr auto squeezed = [] {
    constexpr std::size_t size = [] {
        std::size_t out = 0;
        squeeze(whole.view(), [&](char) { ++out; });
        return out;
    }();
    Text<size> out;
    squeeze(whole.view(), [at = out.chars](char c) mutable { *at++ = c; });
    return out;
}();

}  // namespace detail

template <Text... parts>
inline constexpr std::string_view sql = detail::squeezed<(Text<0>{} + ... + parts)>.view();

}  // namespace consentry::storage
