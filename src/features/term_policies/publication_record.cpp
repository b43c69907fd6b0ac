#include "features/term_policies/publication_record.hpp"

#include <map>
#include <stdexcept>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "base/json_values.hpp"
#include "features/term_policies/content_check.hpp"

namespace consentry {

std::string publication_text(const TermPolicy& published) {
    if (!published.published_at) throw std::logic_error("only a published policy has a record of its publication");
    std::map<std::string_view, std::string_view> sorted;
    for (const PolicyContent& content : published.contents) sorted.emplace(name_of(content.language), content.digest);
    boost::json::object hashes;
    for (const auto& [language, digest] : sorted) hashes[language] = digest;
    const boost::json::object out{{"contentHashes", std::move(hashes)},
                                  {"graceInDays", published.grace_in_days},
                                  {"isMaterial", published.is_material},
                                  {"materialReason", json_or_null(published.material_reason)},
                                  {"processingHash", json_or_null(published.processing.transform(digest_of))},
                                  {"publishedAt", to_iso8601(*published.published_at)},
                                  {"type", name_of(published.type)},
                                  {"version", published.version}};
    return boost::json::serialize(out);
}

}  // namespace consentry
