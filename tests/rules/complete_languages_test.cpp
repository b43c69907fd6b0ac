// Every language has every message, complete and translated.
#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <boost/regex.hpp>
#include <gtest/gtest.h>

#include "base/locales.hpp"
#include "base/strict_json.hpp"
#include "tests/rules/source_tree.hpp"

namespace consentry::rules {
namespace {

// Texts that are the same in more than one language.
constexpr std::array<std::string_view, 4> same_in_other_languages{"OK", "Name", "{label}:", "{label}: {value}"};

boost::json::object messages_of(std::string_view language) {
    // The strict parser refuses duplicate keys.
    const auto parsed =
        parse_strict_json(read_file("locales/" + std::string(language) + ".json"), {.members_max = 10'000});
    if (!parsed || !parsed->is_object()) {
        ADD_FAILURE() << "locales/" << language << ".json is no flat JSON object with each key once";
        return {};
    }
    return parsed->get_object();
}

std::string text_of(const boost::json::value& message) {
    return message.is_string() ? std::string(message.get_string()) : std::string();
}

std::multiset<std::string> placeholders_of(std::string_view text) {
    std::multiset<std::string> out;
    for (auto open = text.find('{'); open != std::string_view::npos; open = text.find('{', open + 1)) {
        const auto close = text.find('}', open);
        if (close == std::string_view::npos) break;
        out.emplace(text.substr(open + 1, close - open - 1));
    }
    return out;
}

// Maps each message key in use to a source file that uses it.
std::map<std::string, std::string> keys_in_use() {
    std::map<std::string, std::string> out;
    // The message key is the second text of each error kind. clang-format may have broken the declaration into several
    // lines.
    const std::string table = read_file("src/base/errors.hpp");
    for (auto at = table.find("constexpr ErrorKind "); at != std::string::npos;
         at = table.find("constexpr ErrorKind ", at + 1)) {
        const auto end = table.find(';', at);
        const auto first_comma = table.find(',', at);
        const auto open = table.find('"', first_comma);
        if (open < end)
            out.emplace(table.substr(open + 1, table.find('"', open + 1) - open - 1), "src/base/errors.hpp");
    }
    for (const std::string& path : files_below("src")) {
        if (!is_source(path) || is_unit_test(path)) continue;
        const std::string text = read_file(path);
        for (const std::string& key : quoted_after(R"(.message(")", text)) out.emplace(key, path);
        for (const std::string& key : quoted_after(R"(with_message(")", text)) out.emplace(key, path);

        std::vector<std::string> rules = quoted_after(R"(report.add(")", text);
        std::ranges::copy(quoted_after(R"(string_view key = ")", text), std::back_inserter(rules));
        if (path == "src/base/report.hpp") std::ranges::copy(quoted_after(R"(add(")", text), std::back_inserter(rules));
        if (path == "src/http/schema/parse.hpp")  // type_key() names the rule of each type
            std::ranges::copy(quoted_after(R"(return ")", text), std::back_inserter(rules));
        for (const std::string& rule : rules)
            if (!rule.empty()) out.emplace("request.error." + rule, path);
    }
    return out;
}

// Returns the quoted texts of the sources, and the messages that the templates of pages name.
std::set<std::string> names_in_the_program() {
    std::set<std::string> out;
    const auto collect = [&](const std::string& text, const boost::regex& name) {
        for (boost::sregex_iterator found(text.begin(), text.end(), name), end; found != end; ++found)
            out.insert((*found)[1]);
    };
    static const boost::regex literal(R"re("([^"\\\n]*)")re");
    static const boost::regex mark(R"(\{\{@([\w.]+))");
    for (const std::string& path : files_below("src"))
        if (is_source(path) && !is_unit_test(path))
            for (const std::string& line : lines_of(read_file(path))) collect(std::string(code_of(line)), literal);
    for (const std::string& path : files_below("assets/pages"))
        if (path.ends_with(".html")) collect(read_file(path), mark);
    return out;
}

// The beginnings of keys that the program completes with a name: of an action, a rule, a field, a page and so on.
constexpr std::array<std::string_view, 7> completed{
    "activityLog.", "pages.error.", "pages.field.", "pages.gender.", "request.error.", "pages.", "termPolicy.type."};

bool is_in_use(std::string_view key, const std::set<std::string>& names) {
    const auto is_name = [&](std::string_view name) { return names.contains(std::string(name)); };
    if (is_name(key)) return true;
    // mail.KIND.PART
    if (key.starts_with("mail.")) return is_name(key.substr(5, key.rfind('.') - 5));
    return std::ranges::any_of(completed, [&](std::string_view beginning) {
        return key.starts_with(beginning) && is_name(key.substr(beginning.size()));
    });
}

TEST(CompleteLanguages, EveryLanguageHasTheSameKeysInOrder) {
    const auto english = messages_of("en");
    ASSERT_FALSE(english.empty());
    for (const std::string_view language : language_names) {
        const auto messages = messages_of(language);
        EXPECT_TRUE(std::ranges::is_sorted(messages, {}, [](const auto& m) { return m.key(); }))
            << language << ": keys are sorted, so that two people add in two places";
        for (const auto& [key, text] : english) EXPECT_TRUE(messages.contains(key)) << language << " lacks " << key;
        for (const auto& [key, text] : messages) EXPECT_TRUE(english.contains(key)) << "en lacks " << key;
    }
}

TEST(CompleteLanguages, EveryTextIsThereWithItsPlaceholders) {
    const auto english = messages_of("en");
    for (const std::string_view language : language_names) {
        for (const auto& [key, message] : messages_of(language)) {
            const std::string text = text_of(message);
            EXPECT_NE(text.find_first_not_of(" \n\t"), std::string::npos) << language << ": " << key << " is empty";
            if (const auto* original = english.if_contains(key))
                EXPECT_EQ(placeholders_of(text), placeholders_of(text_of(*original))) << language << ": " << key;
        }
    }
}

TEST(CompleteLanguages, NoTextIsLeftInEnglish) {
    const auto english = messages_of("en");
    for (const std::string_view language : language_names) {
        if (language == "en") continue;
        for (const auto& [key, message] : messages_of(language)) {
            const auto* original = english.if_contains(key);
            if (original == nullptr || text_of(message) != text_of(*original)) continue;
            EXPECT_TRUE(std::ranges::find(same_in_other_languages, text_of(message)) != same_in_other_languages.end())
                << language << ": " << key << " is the English text";
        }
    }
}

TEST(CompleteLanguages, EveryMessageInUseHasAText) {
    const auto english = messages_of("en");
    const auto used = keys_in_use();
    // One sample per kind of place, so that the test fails if the search finds nothing.
    for (const auto* sample : {"auth.error.twoFactorInvalid", "request.error.isEmail", "request.error.isString",
                               "request.error.whitelistValidation"})
        EXPECT_TRUE(used.contains(sample)) << sample << " was not found in the sources";
    for (const auto& [key, path] : used) EXPECT_TRUE(english.contains(key)) << key << ", used in " << path;
}

TEST(CompleteLanguages, EveryMessageIsInUse) {
    const std::set<std::string> names = names_in_the_program();
    for (const auto& [key, message] : messages_of("en"))
        EXPECT_TRUE(is_in_use(key, names)) << key << " is used nowhere";
    EXPECT_FALSE(is_in_use("http.200", names));
    EXPECT_FALSE(is_in_use("mail.noSuchKind.text", names));
    EXPECT_FALSE(is_in_use("request.error.noSuchRule", names));
}

TEST(CompleteLanguages, TheProgramCarriesTheseFiles) {
    const Locales locales;
    for (std::size_t i = 0; i < language_names.size(); ++i)
        for (const auto& [key, message] : messages_of(language_names[i]))
            EXPECT_EQ(locales.text(static_cast<Language>(i), key), text_of(message))
                << language_names[i] << ": " << key;
}

// The greeting "Guten Tag," ends with a comma, so the sentence continues in lower case: "jemand hat ...". Only words
// that are always capitalized keep their capital: forms of address, and names that the service fills in.
TEST(CompleteLanguages, GermanMailsGoOnInSmallLettersAfterTheGreeting) {
    const auto messages = messages_of("de");
    EXPECT_TRUE(text_of(messages.at("mail.greeting")).ends_with(','));
    std::size_t read = 0;
    for (const auto& [key, message] : messages) {
        if (!key.starts_with("mail.") || !key.ends_with(".text")) continue;
        ++read;
        const std::string text = text_of(message);
        const bool is_always_large = text.starts_with("Ihr") || text.starts_with("Sie ") || text.starts_with('{');
        const bool is_small = (text.front() >= 'a' && text.front() <= 'z') || text.starts_with("ü");
        EXPECT_TRUE(is_small || is_always_large) << key << ": " << text;
    }
    EXPECT_GT(read, 10U);
}

}  // namespace
}  // namespace consentry::rules
