#include "features/consent_proof/named_documents.hpp"

#include <boost/json/object.hpp>

#include "base/json_values.hpp"
#include "base/strict_json.hpp"

namespace consentry {

std::vector<std::string> hashes_in_addendum(std::string_view text) {
    if (!text.contains("\"shownDiffHash\"")) return {};  // few have one, and parsing a million takes seconds
    const auto addendum = parse_strict_json(text);
    if (!addendum || !addendum->is_object()) return {};
    return {std::string(text_or_empty(addendum->get_object(), "shownDiffHash"))};
}

std::map<std::string, std::string, std::less<>> texts_in_record(std::string_view text) {
    const auto record = parse_strict_json(text);
    const boost::json::object* contents =
        record && record->is_object() ? object_member(record->get_object(), "contentHashes") : nullptr;
    std::map<std::string, std::string, std::less<>> out;
    if (contents == nullptr) return out;
    for (const auto& [language, hash] : *contents)
        if (hash.is_string()) out.emplace(language, hash.get_string());
    return out;
}

std::vector<std::string> hashes_in_record(std::string_view text) {
    const auto record = parse_strict_json(text);
    if (!record || !record->is_object()) return {};
    std::vector<std::string> out{std::string(text_or_empty(record->get_object(), "processingHash"))};
    for (const auto& [language, hash] : texts_in_record(text)) out.push_back(hash);
    return out;
}

}  // namespace consentry
