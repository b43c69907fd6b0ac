// What the database check compares of published versions: their rows, and their texts in the object store.
#include <algorithm>
#include <string_view>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "base/strict_json.hpp"
#include "features/consent_log/publications.hpp"
#include "features/consent_proof/database_check.hpp"
#include "features/consent_proof/receipt_check.hpp"
#include "features/term_policies/content_check.hpp"

namespace consentry {
namespace {

constexpr const char* versions_table = "term_policies";

// Whether content_hashes names the texts of the version, and no others.
bool has_hashes(const TermPolicy& policy, std::string_view content_hashes) {
    const auto read = parse_strict_json(content_hashes);
    if (!read || !read->is_object() || read->get_object().size() != policy.contents.size()) return false;
    return std::ranges::all_of(policy.contents, [&](const PolicyContent& content) {
        const auto* hash = read->get_object().if_contains(name_of(content.language));
        return hash != nullptr && hash->is_string() && std::string_view(hash->get_string()) == content.digest;
    });
}

}  // namespace

awaitable<void> DatabaseCheck::compare_publications() {
    TermPolicyRepository policies(database_);
    const auto all = co_await policies.list_all();
    const auto hashes = co_await repository_.version_hashes();
    for (const TermPolicy& policy : all) {
        if (policy.status != PolicyStatus::published) continue;
        auto found = publications_.find(policy.id.text());
        if (found == publications_.end()) {  // it may have been published meanwhile
            if (const auto stored = co_await repository_.find_entry(policy.id.uuid())) compare(*stored);
            found = publications_.find(policy.id.text());
        }
        if (found == publications_.end()) {
            add(versions_table, policy.id.text(),
                "the version is published, but the log does not have its publication");
            continue;
        }
        if (found->second != publication_entry(policy, found->second.is_late))
            add(versions_table, policy.id.text(), "the version is not the one whose publication is in the log");
        if (const auto own = hashes.find(policy.id.text()); own == hashes.end() || !has_hashes(policy, own->second))
            add(versions_table, policy.id.text(), "its content_hashes are not those of its texts");
        publications_.erase(found);
    }
    for (const auto& [id, publication] : publications_)
        add(versions_table, id, "the published version is missing; the log says: " + describe(publication));
    publications_.clear();
}

// Users read what the object store has. The digests in the database are those of the log: see above.
awaitable<void> DatabaseCheck::compare_texts() {
    TermPolicyRepository policies(database_);
    const auto all = co_await policies.list_all();
    for (const TermPolicy& policy : all) {
        if (policy.status != PolicyStatus::published) continue;
        for (const PolicyContent& content : policy.contents) {
            show("comparing published texts");
            const auto object = co_await store_.get(storage::Area::public_area,
                                                    paths_.publication(policy.type, policy.version, content.language),
                                                    policy_bytes_max);
            const std::string_view language = name_of(content.language);
            if (!object)
                add(versions_table, policy.id.text(), fmt::format("the object store lacks its text in {}", language));
            else if (digest_of(object->bytes) != content.digest)
                add(versions_table, policy.id.text(),
                    fmt::format("the object store has another text in {} than the one that was published", language));
        }
    }
}

}  // namespace consentry
