// Languages have marks of their own: the spaces of French and Japanese are the same in all texts.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/strict_json.hpp"
#include "base/utf8.hpp"
#include "tests/rules/source_tree.hpp"

namespace consentry::rules {
namespace {

constexpr std::uint32_t no_break_space = 0xA0;

struct Text {
    std::string place;
    std::vector<std::uint32_t> characters;
};

std::vector<std::uint32_t> characters_of(std::string_view text) {
    std::vector<std::uint32_t> out;
    while (!text.empty()) {
        const auto [character, length] = first_code_point(text);
        out.push_back(character);
        text.remove_prefix(length);
    }
    return out;
}

// The messages of a language, and the example policies in it.
std::vector<Text> texts_in(const std::string& language) {
    std::vector<Text> out;
    const auto messages = parse_strict_json(read_file("locales/" + language + ".json"), {.members_max = 10'000});
    if (messages && messages->is_object())
        for (const auto& [key, message] : messages->get_object())
            out.push_back({std::string(key), characters_of(std::string_view(message.as_string()))});
    EXPECT_GT(out.size(), 500U);
    const std::size_t before = out.size();
    for (const std::string& path : files_below("docs/examples/policies"))
        if (file_name(path) == language + ".hbs") out.push_back({path, characters_of(read_file(path))});
    EXPECT_GE(out.size(), before + 4);
    return out;
}

// What surrounds a mistake, for the message of the test; only ASCII and the places of other characters are shown.
std::string around(const std::vector<std::uint32_t>& text, std::size_t at) {
    std::string out;
    for (std::size_t i = at < 12 ? 0 : at - 12; i < text.size() && i < at + 12; ++i)
        out += text[i] < 0x80 ? static_cast<char>(text[i]) : '_';
    return out + " at " + std::to_string(at);
}

bool is_japanese(std::uint32_t c) {
    return (c >= 0x3040 && c <= 0x30FF) || (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x4E00 && c <= 0x9FFF) || c == 0x3005;
}

bool is_latin(std::uint32_t c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '{' || c == '}';
}

// Where kana or kanji stand directly beside a Latin letter, a digit or a placeholder. Marks such as 「 and 、 have
// their own space.
std::optional<std::size_t> unspaced_japanese(const std::vector<std::uint32_t>& text) {
    for (std::size_t i = 1; i < text.size(); ++i)
        if ((is_japanese(text[i - 1]) && is_latin(text[i])) || (is_latin(text[i - 1]) && is_japanese(text[i])))
            return i;
    return std::nullopt;
}

// Where a mark of two parts lacks its no-break space. A colon within a word, as in dpv:Marketing, has none.
std::optional<std::size_t> unspaced_french(const std::vector<std::uint32_t>& text) {
    const auto at = [&](std::size_t i) { return i < text.size() ? text[i] : std::uint32_t{' '}; };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const std::uint32_t next = at(i + 1);
        const bool ends_a_word = next == ' ' || next == '\n' || next == no_break_space;
        const bool needs_it_before = text[i] == ';' || text[i] == '!' || text[i] == '?' || text[i] == 0xBB /* » */ ||
                                     (text[i] == ':' && ends_a_word);
        if (needs_it_before && (i == 0 || text[i - 1] != no_break_space)) return i;
        if (text[i] == 0xAB /* « */ && next != no_break_space) return i;
    }
    return std::nullopt;
}

TEST(Typography, JapaneseHasASpaceBesideLatinLettersDigitsAndPlaceholders) {
    for (const Text& text : texts_in("ja"))
        if (const auto found = unspaced_japanese(text.characters))
            ADD_FAILURE() << text.place << ": " << around(text.characters, *found);
    EXPECT_TRUE(unspaced_japanese(characters_of("6桁")));
    EXPECT_TRUE(unspaced_japanese(characters_of("は{count}")));
    EXPECT_FALSE(unspaced_japanese(characters_of("「{other}」と 6 桁、{count}")));
}

TEST(Typography, FrenchHasANoBreakSpaceBesideMarksOfTwoParts) {
    for (const Text& text : texts_in("fr"))
        if (const auto found = unspaced_french(text.characters))
            ADD_FAILURE() << text.place << ": " << around(text.characters, *found);
    EXPECT_TRUE(unspaced_french(characters_of("compte : profil")));
    EXPECT_TRUE(unspaced_french(characters_of("oublié ?")));
    EXPECT_TRUE(unspaced_french(characters_of("« oui »")));
    EXPECT_FALSE(unspaced_french(characters_of("un terme tel que dpv:Marketing\u00A0; «\u00A0oui\u00A0»")));
}

}  // namespace
}  // namespace consentry::rules
