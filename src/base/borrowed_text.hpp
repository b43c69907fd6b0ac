// A view of text that lives elsewhere, for members that outlive the expression which sets them: unlike
// std::string_view, it cannot be taken from a string that ends with that expression.
#pragma once

#include <string>
#include <string_view>

namespace consentry {

class BorrowedText : public std::string_view {
public:
    constexpr BorrowedText() = default;
    constexpr BorrowedText(std::string_view text) : std::string_view(text) {}    // NOLINT(google-explicit-constructor)
    constexpr BorrowedText(const char* text) : std::string_view(text) {}         // NOLINT(google-explicit-constructor)
    constexpr BorrowedText(const std::string& text) : std::string_view(text) {}  // NOLINT(google-explicit-constructor)
    BorrowedText(std::string&&) = delete;
    BorrowedText(const std::string&&) = delete;
};

}  // namespace consentry
