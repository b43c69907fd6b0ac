#include "features/term_policies/processing_dto.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "base/ascii.hpp"
#include "base/errors.hpp"
#include "base/strict_json.hpp"
#include "http/schema/parse.hpp"
#include "http/schema/serialize.hpp"

namespace consentry {
namespace {

constexpr std::array<std::string_view, 5> vocabularies{"dpv", "pd", "loc", "legal", "eu-gdpr"};

// Collects the violations of lists, whose entries have no fields.
class Lists {
public:
    Lists(std::string_view at, Report& report) : at_(at), report_(report) {}

    template <class Entry>
    void size(std::string_view name, const std::vector<Entry>& list, bool may_be_empty) {
        if (list.empty() && !may_be_empty) report_.add("arrayNotEmpty", at_ + std::string(name));
        if (list.size() > processing_entries_max)
            report_.add("arrayMaxSize", at_ + std::string(name), {{"max", processing_entries_max}});
    }
    template <class Rule>
    void entries(std::string_view name, const std::vector<std::string>& list, const Rule& rule) {
        for (std::size_t i = 0; i < list.size(); ++i)
            if (!rule.holds(list[i]))
                report_.add(Rule::key, at_ + std::string(name) + "." + std::to_string(i), rule.placeholders());
    }

private:
    const std::string at_;
    Report& report_;
};

}  // namespace

bool is_vocabulary_term(std::string_view text) {
    if (text.size() > 500 || !std::ranges::all_of(text, is_visible)) return false;
    if (text.starts_with("https://") || text.starts_with("http://")) return text.size() > 8;
    const auto colon = text.find(':');
    if (colon == std::string_view::npos || colon + 1 == text.size()) return false;
    return std::ranges::find(vocabularies, text.substr(0, colon)) != vocabularies.end() &&
           std::ranges::all_of(text.substr(colon + 1), [](char c) { return is_alphanumeric(c) || c == '-'; });
}

bool is_region(std::string_view text) {
    if (text.size() < 2 || !std::ranges::all_of(text.substr(0, 2), is_upper_letter)) return false;
    if (text.size() == 2) return true;
    const auto part = text.substr(3);
    return text[2] == '-' && !part.empty() && part.size() <= 3 &&
           std::ranges::all_of(part, [](char c) { return is_upper_letter(c) || is_digit(c); });
}

bool is_period(std::string_view text) {
    if (text.size() < 3 || text.size() > 7 || text.front() != 'P') return false;
    const auto digits = text.substr(1, text.size() - 2);
    return std::string_view("YMWD").contains(text.back()) && digits.front() != '0' &&
           std::ranges::all_of(digits, is_digit);
}

void check_processing(const Processing& processing, std::string_view at, Report& report) {
    Lists lists(at, report);
    lists.size("jurisdictions", processing.jurisdictions, false);
    lists.entries("jurisdictions", processing.jurisdictions, Region{});
    lists.size("personalData", processing.personal_data, false);
    lists.size("purposes", processing.purposes, false);
    lists.size("recipients", processing.recipients, true);
    lists.size("rights", processing.rights, true);
    lists.entries("rights", processing.rights, VocabularyTerm{});
    lists.size("storage.locations", processing.storage.locations, false);
    lists.entries("storage.locations", processing.storage.locations, Region{});
}

std::string processing_text(const Processing& processing) {
    std::string out;
    http::write_json(out, processing);
    return out;
}

Processing stored_processing(const std::string& text) {
    auto read = read_processing(text);
    if (!read) throw std::runtime_error("term_policies: a processing document is damaged");
    return std::move(*read);
}

Result<Processing> read_processing(std::string_view text) {
    const auto json = parse_strict_json(text);
    Report report;
    Processing out;
    if (json && json->is_object()) {
        http::read_object(json->get_object(), out, nullptr, report);
        check_processing(out, "", report);
    } else {
        report.add("isObject", "processing");
    }
    if (!report.empty()) return fail(Error{errors::validation, report.take()});
    return out;
}

}  // namespace consentry
