#include "features/passwords/common_passwords.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/ascii.hpp"
#include "base/embedded.hpp"
#include "base/text.hpp"

namespace consentry {

// One file with one entry per line, folded as below and sorted by bytes (cmake/common_passwords.sh).
std::span<const EmbeddedFile> common_password_files();

namespace {

constexpr std::size_t decoration_max = 4;  // "Sunflower8842" decorates a word; "Sunflower-8842" is a little more
constexpr std::size_t entry_bytes_min = 4;
constexpr std::size_t entry_bytes_max = 40;  // longer than any entry
constexpr std::size_t parts_min = 5;
constexpr std::size_t run_min = 3;
constexpr std::size_t crooked_walk_min = 4;
constexpr std::size_t repeated_text_min = 4;  // any number of copies of a shorter text is too weak

std::string_view entries() { return common_password_files().front().bytes; }

// Bytes beyond ASCII count as letters.
bool is_decoration(char c) { return is_ascii(c) && !is_lower_letter(c); }

// Binary search in the sorted lines needs no memory beyond the program's own pages.
bool is_listed(std::string_view wanted) {
    if (wanted.size() < entry_bytes_min || wanted.size() > entry_bytes_max) return false;
    const std::string_view sorted = entries();
    std::size_t low = 0;
    std::size_t high = sorted.size();
    while (low < high) {
        const std::size_t middle = (low + high) / 2;
        const std::size_t before = middle == 0 ? std::string_view::npos : sorted.rfind('\n', middle - 1);
        const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
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

// "p@ssw0rd" reads "password". Characters that stand for more than one letter are all mapped to one letter.
char look_alike(char c) {
    constexpr std::array<std::pair<char, char>, 12> pairs{{{'@', 'a'},
                                                           {'4', 'a'},
                                                           {'0', 'o'},
                                                           {'1', 'l'},
                                                           {'3', 'e'},
                                                           {'!', 'l'},
                                                           {'|', 'l'},
                                                           {'i', 'l'},
                                                           {'5', 's'},
                                                           {'$', 's'},
                                                           {'7', 't'},
                                                           {'8', 'b'}}};
    for (const auto& [sign, letter] : pairs)
        if (c == sign) return letter;
    return c;
}

// The text that `text` repeats, or all of `text`.
std::string_view repeated_part(std::string_view text) {
    for (std::size_t size = 1; size <= text.size() / 2; ++size)
        if (text.size() % size == 0 && text.substr(size) == text.substr(0, text.size() - size))
            return text.substr(0, size);
    return text;
}

bool is_listed_once_or_repeated(std::string_view folded) {
    if (is_listed(folded)) return true;
    const std::string_view part = repeated_part(folded);
    return part.size() < folded.size() && (part.size() < repeated_text_min || is_listed(part));
}

// The position of a key on a US keyboard, with or without Shift.
struct Key {
    int row = -1;
    int column = -1;
};

constexpr std::array<Key, 128> keys = [] {
    constexpr std::string_view rows[] = {"`1234567890-=", " qwertyuiop[]\\", " asdfghjkl;'", " zxcvbnm,./"};
    constexpr std::string_view shifted[] = {"~!@#$%^&*()_+", " QWERTYUIOP{}|", " ASDFGHJKL:\"", " ZXCVBNM<>?"};
    std::array<Key, 128> out{};
    for (const auto* keyboard : {&rows, &shifted})
        for (int row = 0; row < 4; ++row)
            for (int column = 0; column < static_cast<int>((*keyboard)[row].size()); ++column) {
                const auto c = static_cast<unsigned char>((*keyboard)[row][static_cast<std::size_t>(column)]);
                if (c != ' ') out[c] = {row, column};
            }
    return out;
}();

Key key_of(char c) {
    const auto index = static_cast<unsigned char>(c);
    return index < keys.size() ? keys[index] : Key{};
}

// The relation of a character to the one before it.
struct Step {
    bool is_neighbor = false;  // an adjacent key, or the same key
    int rows = 0;
    int columns = 0;
    int alphabet = 0;  // one letter or digit forwards or backwards; 0: neither

    bool same_line(const Step& other) const {
        if (is_neighbor && other.is_neighbor && rows == other.rows && columns == other.columns) return true;
        return alphabet != 0 && alphabet == other.alphabet;
    }
};

Step step_between(char from, char to) {
    Step out;
    const Key a = key_of(from);
    const Key b = key_of(to);
    out.rows = b.row - a.row;
    out.columns = b.column - a.column;
    // Each row is offset half a key to the right of the one above.
    const bool is_beside = (out.rows == 0 && std::abs(out.columns) <= 1) ||
                           (out.rows == 1 && (out.columns == 0 || out.columns == -1)) ||
                           (out.rows == -1 && (out.columns == 0 || out.columns == 1));
    out.is_neighbor = from == to || (a.row >= 0 && b.row >= 0 && is_beside);
    if ((is_lower_letter(from) && is_lower_letter(to)) || (is_digit(from) && is_digit(to)))
        out.alphabet = std::abs(to - from) == 1 ? to - from : 0;
    return out;
}

bool is_year(std::string_view text) {
    return text.size() >= 4 && (text.starts_with("19") || text.starts_with("20")) && is_digit(text[2]) &&
           is_digit(text[3]);
}

// The minimum number of parts that make up the text. A straight run, a year and a single character count as one part, a
// walk with bends as two.
std::size_t parts_of(std::string_view lowered) {
    const std::size_t size = lowered.size();
    std::vector<Step> steps(size);  // from the previous character
    for (std::size_t i = 1; i < size; ++i) steps[i] = step_between(lowered[i - 1], lowered[i]);
    // Computed backwards for each position: the lengths of the straight run and of the walk that begin there, and the
    // number of parts from there to the end.
    std::vector<std::size_t> straight(size + 1, 1);
    std::vector<std::size_t> walk(size + 1, 1);
    std::vector<std::size_t> parts(size + 1, 0);
    for (std::size_t i = size; i-- > 0;) {
        if (i + 1 < size) {
            straight[i] = i + 2 < size && steps[i + 1].same_line(steps[i + 2]) ? straight[i + 1] + 1 : 2;
            walk[i] = steps[i + 1].is_neighbor ? walk[i + 1] + 1 : 1;
        }
        parts[i] = parts[i + 1] + 1;
        if (straight[i] >= run_min) parts[i] = std::min(parts[i], parts[i + straight[i]] + 1);
        if (walk[i] >= crooked_walk_min) parts[i] = std::min(parts[i], parts[i + walk[i]] + 2);
        if (is_year(lowered.substr(i))) parts[i] = std::min(parts[i], parts[i + 4] + 1);
    }
    return parts[0];
}

// Every permitted number of decorating characters to remove: up to four, or all of them if they are runs ("@12345").
std::vector<std::size_t> ways_to_strip(std::string_view decoration) {
    std::vector<std::size_t> out;
    for (std::size_t count = 0; count <= std::min(decoration.size(), decoration_max); ++count) out.push_back(count);
    if (decoration.size() > decoration_max && parts_of(decoration) <= decoration_max) out.push_back(decoration.size());
    return out;
}

bool is_decorated_entry(std::string_view lowered) {
    std::string folded(lowered);
    std::ranges::transform(folded, folded.begin(), look_alike);
    const auto first = std::ranges::find_if_not(lowered, is_decoration);
    const auto after_last = std::find_if_not(lowered.rbegin(), lowered.rend(), is_decoration).base();
    for (const std::size_t front : ways_to_strip({lowered.begin(), first}))
        for (const std::size_t back : ways_to_strip({after_last, lowered.end()}))
            if (front + back < folded.size() &&
                is_listed_once_or_repeated(std::string_view(folded).substr(front, folded.size() - front - back)))
                return true;
    return false;
}

}  // namespace

bool is_common_password(std::string_view password) {
    const std::string lowered = to_lower_ascii(password);
    if (is_decorated_entry(lowered) || parts_of(lowered) < parts_min) return true;
    const std::string_view part = repeated_part(lowered);
    return part.size() < lowered.size() && is_common_password(part);
}

}  // namespace consentry
