#include "features/passwords/policy.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "base/embedded.hpp"
#include "base/text.hpp"

namespace consentry {

// Two lists, one entry a line, lower case, sorted: words that make a password common whatever is hung on them, and the
// dictionary of the cracklib package, whose words do so with a few digits or signs.
std::span<const EmbeddedFile> common_password_files();

namespace {

constexpr std::size_t decoration_max = 3;  // "Sunflower42!" is a dictionary word; "Sunflower-8842" is a little more
constexpr std::size_t context_bytes_min = 4;

bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

std::string_view list(std::string_view name) {
    for (const EmbeddedFile& file : common_password_files())
        if (file.name == name) return file.bytes;
    return {};
}

// Binary search in the sorted lines: the list costs no memory beyond the program's own pages.
bool contains_line(std::string_view sorted, std::string_view wanted) {
    std::size_t low = 0;
    std::size_t high = sorted.size();
    while (low < high) {
        const std::size_t middle = (low + high) / 2;
        const std::size_t before = sorted.rfind('\n', middle == 0 ? 0 : middle - 1);
        const std::size_t begin = before == std::string_view::npos || middle == 0 ? 0 : before + 1;
        const std::size_t end = std::min(sorted.find('\n', begin), sorted.size());
        const std::string_view line = sorted.substr(begin, end - begin);
        if (line == wanted) return true;
        if (line < wanted)
            low = end + 1;
        else
            high = begin;
    }
    return false;
}

// "P@ssw0rd" reads "password".
std::string without_leet(std::string text) {
    constexpr std::array<std::pair<char, char>, 10> pairs{{{'0', 'o'},
                                                           {'1', 'l'},
                                                           {'3', 'e'},
                                                           {'4', 'a'},
                                                           {'5', 's'},
                                                           {'7', 't'},
                                                           {'@', 'a'},
                                                           {'$', 's'},
                                                           {'!', 'i'},
                                                           {'8', 'b'}}};
    for (char& c : text)
        for (const auto& [sign, letter] : pairs)
            if (c == sign) c = letter;
    return text;
}

std::string_view letters_inside(std::string_view text) {
    while (!text.empty() && !is_letter(text.front())) text.remove_prefix(1);
    while (!text.empty() && !is_letter(text.back())) text.remove_suffix(1);
    return text;
}

bool is_common_form(const std::string& lowered, std::size_t decoration) {
    const std::string plain = without_leet(lowered);
    const std::string_view stems = list("common_password_stems.txt");
    const std::string_view words = list("common_words.txt");
    if (contains_line(stems, lowered) || contains_line(stems, plain)) return true;
    return decoration <= decoration_max && (contains_line(words, lowered) || contains_line(words, plain));
}

}  // namespace

std::size_t common_password_count() {
    std::size_t count = 0;
    for (const EmbeddedFile& file : common_password_files())
        count += static_cast<std::size_t>(std::ranges::count(file.bytes, '\n'));
    return count;
}

bool is_common_password(std::string_view password) {
    const std::string lowered = to_lower_ascii(password);
    const std::string_view inside = letters_inside(lowered);
    if (inside.empty()) return true;  // digits and signs alone; the form asks for letters anyway
    return is_common_form(lowered, 0) || is_common_form(std::string(inside), lowered.size() - inside.size());
}

void PasswordPolicy::check(std::string_view password, std::string_view email, std::string_view property,
                           http::Report& report) const {
    if (is_common_password(password)) report.add("isNotCommonPassword", property);
    const std::string lowered = to_lower_ascii(password);
    const auto holds = [&](std::string_view word) {
        return word.size() >= context_bytes_min && lowered.find(to_lower_ascii(word)) != std::string::npos;
    };
    if (holds(service_name_) || holds(email.substr(0, email.find('@')))) report.add("isNotContext", property);
}

}  // namespace consentry
