// A function that does not fit on one page must be split into parts with names.
#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/rules/source_tree.hpp"

namespace consentry::rules {
namespace {

constexpr std::size_t function_lines_max = 70;

struct LongFunction {
    std::string_view name;  // as declared, up to the parenthesis; of a test, including its names
    std::string_view reason;
};
constexpr std::string_view settings = "one row for each setting";
constexpr std::string_view framings = "one row for each way to spell a part of a request";
constexpr std::array long_functions{
    LongFunction{"account_settings", settings},
    LongFunction{"mail_settings", settings},
    LongFunction{"token_settings", settings},
    LongFunction{"password_settings", settings},
    LongFunction{"application_settings", settings},
    LongFunction{"http_settings", settings},
    LongFunction{"social_settings", settings},
    LongFunction{"storage_settings", settings},
    LongFunction{"reason_phrase", "one case for each status"},
    LongFunction{"TEST(Config, OPS_2_MalformedValuesAreRefusedByNameAndNeverRepeated)", "one row for each value"},
    LongFunction{"TEST(InterfaceSettings, EverySettingOfTheInterfaceIsKnown)", "one row for each name"},
    LongFunction{"changes", "one row for each change that needs its actor"},
    LongFunction{"table", "one row for each operation and who may call it"},
    LongFunction{"TEST(SafeReturn, HostileAddressesAreRefused)", "one row for each way to lead astray"},
    LongFunction{"add_hosts", framings},
    LongFunction{"add_content_lengths", framings},
    LongFunction{"add_transfer_encodings", framings},
    LongFunction{"add_targets", framings},
    LongFunction{"refused_requests", "one row for each way to refuse a request"},
};

// Returns the length of the comment or literal at the beginning of `text`, or 0 if there is none.
std::size_t opaque_length(std::string_view text, char before) {
    const auto through = [&](std::string_view end, std::size_t from) {
        const auto found = text.find(end, from);
        return found == std::string_view::npos ? text.size() : found + end.size();
    };
    if (text.starts_with("//")) return through("\n", 0) - 1;
    if (text.starts_with("/*")) return through("*/", 2);
    if (text.starts_with("R\"") && !is_word(before)) {
        const auto open = text.find('(');
        return through(")" + std::string(text.substr(2, open - 2)) + "\"", open);
    }
    const bool is_separator = text.front() == '\'' && is_word(before);  // a digit separator
    if ((text.front() != '"' && text.front() != '\'') || is_separator) return 0;
    std::size_t end = 1;
    while (end < text.size() && text[end] != text.front()) end += text[end] == '\\' ? 2 : 1;
    return end + 1;
}

// Returns the code with comments, literals and preprocessor lines replaced by blanks.
std::string bare(std::string_view text) {
    std::string out(text);
    const auto blank = [&](std::size_t from, std::size_t count) {
        const std::size_t end = std::min(from + count, out.size());
        for (std::size_t i = from; i < end; ++i)
            if (out[i] != '\n') out[i] = ' ';
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char before = i == 0 ? '\n' : text[i - 1];
        std::size_t length = opaque_length(text.substr(i), before);
        if (length == 0 && text[i] == '#' && before == '\n') {
            length = text.find('\n', i) - i;
            while (text[i + length - 1] == '\\') length = text.find('\n', i + length + 1) - i;
        }
        if (length == 0) continue;
        blank(i, length);
        i += length - 1;
    }
    return out;
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
    return text;
}

// Returns whether the code before a brace makes it the beginning of a function's body.
bool begins_function(std::string_view head) {
    head = trimmed(head);
    for (const std::string_view control : {"if", "for", "while", "switch", "catch", "else", "do"})
        if (head.starts_with(control) && (head.size() == control.size() || !is_word(head[control.size()])))
            return false;
    if (const auto result = head.rfind("->"); result != std::string_view::npos && head.find(')', result) == head.npos)
        head = trimmed(head.substr(0, result));
    for (const std::string_view word : {"override", "final", "noexcept", "mutable", "const", "&"})
        if (head.ends_with(word)) head = trimmed(head.substr(0, head.size() - word.size()));
    return head.ends_with(')') || head.ends_with(']');
}

struct Function {
    std::string head;
    std::size_t line;   // the first line of the body, counted from 1
    std::size_t lines;  // of the body, including the braces
};

std::vector<Function> functions_of(std::string_view text) {
    const std::string code = bare(text);
    struct Open {
        std::size_t head;  // where the code before the brace begins
        std::size_t brace;
        std::size_t line;
        std::size_t depth;  // of enclosing parentheses
    };
    std::vector<Function> out;
    std::vector<Open> open;
    std::size_t head = 0;
    std::size_t depth = 0;
    std::size_t line = 1;
    for (std::size_t i = 0; i < code.size(); ++i) {
        const char c = code[i];
        if (c == '\n') ++line;
        if (c == '(') ++depth;
        if (c == ')' && depth > 0) --depth;
        if (c == '{') {
            open.push_back({head, i, line, depth});
            depth = 0;
        }
        if (c == '}' && !open.empty()) {
            const Open begun = open.back();
            open.pop_back();
            depth = begun.depth;
            const std::string_view before = std::string_view(code).substr(begun.head, begun.brace - begun.head);
            if (begins_function(before))
                out.push_back({std::string(trimmed(before)), begun.line, line - begun.line + 1});
            if (depth > 0) head = begun.head;
        }
        if (c == '{' || ((c == '}' || c == ';') && depth == 0)) head = i + 1;
    }
    return out;
}

bool is_named(const Function& function, std::string_view name) {
    if (name.contains('(')) return function.head.contains(name);
    const auto found = function.head.find(std::string(name) + "(");
    return found != std::string::npos && (found == 0 || !is_word(function.head[found - 1]));
}

TEST(FunctionSizes, EveryFunctionFitsOnAPage) {
    std::size_t functions = 0;
    std::vector<std::string_view> needed;
    for (const std::string folder : {"src", "tests"})
        for (const std::string& path : files_below(folder)) {
            if (!is_source(path)) continue;
            for (const Function& function : functions_of(read_file(path))) {
                ++functions;
                if (function.lines <= function_lines_max) continue;
                const auto known = std::ranges::find_if(
                    long_functions, [&](const LongFunction& one) { return is_named(function, one.name); });
                if (known != long_functions.end())
                    needed.push_back(known->name);
                else
                    ADD_FAILURE() << path << ':' << function.line << ": " << function.lines << " lines of "
                                  << function.head;
            }
        }
    EXPECT_GT(functions, 3'000U) << "nothing was read: is the working directory the project root?";
    for (const auto& [name, reason] : long_functions) {
        EXPECT_FALSE(reason.empty()) << name;
        EXPECT_TRUE(std::ranges::find(needed, name) != needed.end()) << name << " is no exception any more";
    }
}

TEST(FunctionSizes, FunctionsAreFoundAndOtherBracesAreNot) {
    const auto lines = [](std::string_view text) {
        std::vector<std::size_t> out;
        for (const Function& function : functions_of(text)) out.push_back(function.lines);
        return out;
    };
    using Lines = std::vector<std::size_t>;
    EXPECT_EQ(lines("int f(int a) {\n    return a;\n}\n"), (Lines{3}));
    EXPECT_EQ(lines("struct S : T {\n    S() : T(1) {\n    }\n    int g() const override { return 1'000; }\n};\n"),
              (Lines{2, 1}));
    EXPECT_EQ(
        lines("auto f(A a) -> B<C> {\n    for (int i = 0; i < 2; ++i) {\n    }\n    if (a) {\n    } else {\n    }\n}"),
        (Lines{7}));
    EXPECT_EQ(lines("void f() {\n    g([&] {\n        h();\n    });\n    i({1, 2}, [](int a) {\n    });\n}\n"),
              (Lines{3, 2, 7}));
    EXPECT_EQ(lines("const T t[] = {\n    {1}, {2}};\n"), Lines{});
    EXPECT_EQ(lines("void f() {\n    // {\n    g(\"{\", '{', R\"({)\");\n}\n"), (Lines{4}));
}

}  // namespace
}  // namespace consentry::rules
