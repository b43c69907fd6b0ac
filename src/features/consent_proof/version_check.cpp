// What the database check compares of published versions: their rows, and their texts in the object store.
#include <algorithm>
#include <string_view>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "base/numbers.hpp"
#include "base/strict_json.hpp"
#include "features/consent_log/publications.hpp"
#include "features/consent_proof/database_check.hpp"
#include "features/consent_proof/receipt_check.hpp"
#include "features/term_policies/content_check.hpp"
#include "features/term_policies/diff_page.hpp"

namespace consentry {
namespace {

constexpr const char* versions_table = "term_policies";
constexpr std::int64_t pages_at_once = 10;  // each may have megabytes

// Whether content_hashes names the texts of the version, and no others.
bool has_hashes(const TermPolicy& policy, std::string_view content_hashes) {
    const auto read = parse_strict_json(content_hashes);
    if (!read || !read->is_object() || read->get_object().size() != policy.contents.size()) return false;
    return std::ranges::all_of(policy.contents, [&](const PolicyContent& content) {
        const auto* hash = read->get_object().if_contains(name_of(content.language));
        return hash != nullptr && hash->is_string() && std::string_view(hash->get_string()) == content.digest;
    });
}

// Of a published version, as a kept comparison names it.
std::optional<PublishedText> text_of(const std::vector<TermPolicy>& all, const StoredPage& page,
                                     const std::string& version) {
    const auto language = find_enum<Language>(page.language);
    if (!language) return std::nullopt;
    for (const TermPolicy& policy : all) {
        if (policy.status != PolicyStatus::published || name_of(policy.type) != page.type ||
            std::to_string(policy.version) != version)
            continue;
        const auto content = std::ranges::find(policy.contents, *language, &PolicyContent::language);
        if (content == policy.contents.end()) return std::nullopt;
        return PublishedText{policy.type, policy.version, *language, content->digest};
    }
    return std::nullopt;
}

using Facts = std::map<std::string, VersionFacts>;

std::optional<std::int64_t> grace_version_of(const TermPolicy& policy, const Facts& facts) {
    const auto own = facts.find(policy.id.text());
    if (own == facts.end() || !own->second.grace_version) return std::nullopt;
    return parse_number<std::int64_t>(*own->second.grace_version);
}

bool is_published_before(const TermPolicy& one, const TermPolicy& other) {
    return std::pair(one.published_at, one.version) < std::pair(other.published_at, other.version);
}
bool is_version_before(const TermPolicy& one, const TermPolicy& other) { return one.version < other.version; }

// The lowest version of which acceptances passed the guard when this one was published (TermPolicyRepository::
// add_publish); nullopt if nothing passed, because it is the first one.
std::optional<std::int64_t> passing_before(const TermPolicy& policy, const std::vector<TermPolicy>& all,
                                           const Facts& facts,
                                           bool (*is_before)(const TermPolicy&, const TermPolicy&)) {
    const TermPolicy* required = nullptr;  // `all` is in the order of versions
    for (const TermPolicy& other : all)
        if (other.type == policy.type && other.status == PolicyStatus::published && other.is_material &&
            is_before(other, policy))
            required = &other;
    if (required == nullptr) return std::nullopt;
    if (required->grace_until <= policy.published_at) return required->version;
    return grace_version_of(*required, facts).value_or(required->version);
}

}  // namespace

awaitable<void> DatabaseCheck::compare_publications() {
    TermPolicyRepository policies(database_);
    const auto all = co_await policies.list_all();
    const auto facts = co_await repository_.version_facts();
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
        if (const auto own = facts.find(policy.id.text());
            own == facts.end() || !has_hashes(policy, own->second.content_hashes.value_or("")))
            add(versions_table, policy.id.text(), "its content_hashes are not those of its texts");
        check_grace(policy, all, facts);
        publications_.erase(found);
    }
    for (const auto& [id, publication] : publications_)
        add(versions_table, id, "the published version is missing; the log says: " + describe(publication));
    publications_.clear();
}

// What admits users who have not accepted the version. Its time and its grace period are in the log.
void DatabaseCheck::check_grace(const TermPolicy& policy, const std::vector<TermPolicy>& all,
                                const std::map<std::string, VersionFacts>& facts) {
    std::optional<TimePoint> until;
    if (policy.grace_in_days > 0 && policy.grace_in_days <= grace_days_max && policy.published_at)
        until = *policy.published_at + std::chrono::days{policy.grace_in_days};
    if (policy.grace_until != until)
        return add(versions_table, policy.id.text(), "its grace_until is not what follows from the publications");
    if (!until) return;
    const auto stored = grace_version_of(policy, facts);
    const auto passing = passing_before(policy, all, facts, is_published_before);
    // A former program gave the first version a grace period as well. It lets itself pass.
    const bool is_own = !passing && stored == policy.version;
    // Versions are usually published in their order. Their times are not, if the clock of an instance was ahead.
    const bool is_next = stored == passing_before(policy, all, facts, is_version_before);
    if (stored != passing && !is_own && !is_next)
        add(versions_table, policy.id.text(), "its grace_version is not what follows from the publications");
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
                                                    policy_text_bytes_max);
            const std::string_view language = name_of(content.language);
            if (!object)
                add(versions_table, policy.id.text(), fmt::format("the object store lacks its text in {}", language));
            else if (digest_of(object->bytes) != content.digest)
                add(versions_table, policy.id.text(),
                    fmt::format("the object store has another text in {} than the one that was published", language));
        }
    }
}

awaitable<std::optional<std::string>> DatabaseCheck::published_text(PublishedText text) {
    auto object = co_await store_.get(
        storage::Area::public_area, paths_.publication(text.type, text.version, text.language), policy_text_bytes_max);
    if (!object || digest_of(object->bytes) != text.digest) co_return std::nullopt;
    co_return std::move(object->bytes);
}

// Acceptances name the comparison that was shown by the hash of its page.
awaitable<void> DatabaseCheck::compare_pages() {
    TermPolicyRepository policies(database_);
    std::string after;
    for (;;) {
        show("comparing comparisons of versions");
        const auto found = co_await repository_.pages(after, pages_at_once);
        if (found.empty()) co_return;
        const auto all = co_await policies.list_all();  // later than the pages, so that their versions are there
        for (const StoredPage& one : found) {
            const auto fault = co_await fault_of(one, all);
            if (!fault.empty()) add("term_policy_diffs", one.hash, fault);
        }
        // SQLite sorts bytes behind every text, so that a row with bytes for a hash would come again and again.
        if (std::ssize(found) < pages_at_once || found.back().hash <= after) co_return;
        after = found.back().hash;
    }
}

// A forger of a page computes its hash as well, so the page is compared with the texts.
awaitable<std::string> DatabaseCheck::fault_of(StoredPage page, std::vector<TermPolicy> all) {
    if (digest_of(page.page) != page.hash) co_return "its page does not have this hash";
    const auto before = text_of(all, page, page.from_version);
    const auto after = text_of(all, page, page.to_version);
    if (!before || !after || before->version >= after->version)
        co_return "it compares versions or texts that were not published";
    const auto earlier = co_await published_text(*before);
    const auto later = co_await published_text(*after);
    if (!earlier || !later) co_return std::string();  // named by the comparison of texts
    if (is_diff_page(page.page, before->language, *earlier, *later)) co_return std::string();
    co_return "its page does not show how the two texts differ";
}

}  // namespace consentry
