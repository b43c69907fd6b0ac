#include "features/term_policies/term_policies.hpp"

#include <algorithm>

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include "base/error.hpp"
#include "base/errors.hpp"
#include "base/report.hpp"
#include "features/term_policies/content_check.hpp"

namespace consentry {
namespace {

using storage::Area;

// Each retry means that a concurrent change of the document committed between a read and a write.
constexpr int change_tries_max = 8;
// How long a file is protected after its check began: until the request that needs it ends.
constexpr milliseconds check_lifetime = std::chrono::minutes{10};
// An upload begun before its address expires may still be running this long.
constexpr milliseconds upload_longest = std::chrono::minutes{10};
// Limits each portion to a few milliseconds of an I/O thread.
constexpr std::int64_t accounts_at_once = 1'000;

const PolicyContent* content_of(const TermPolicy& policy, Language language) {
    const auto found = std::ranges::find(policy.contents, language, &PolicyContent::language);
    return found == policy.contents.end() ? nullptr : &*found;
}

}  // namespace

TermPolicies::TermPolicies(storage::Database& database, storage::ObjectStore& store, const Clock& clock,
                           const Mails& mails, Audit audit, TermPolicySettings settings, const PublicationLog* log)
    : database_(database),
      store_(store),
      repository_(database),
      loose_objects_(database, store, clock, settings.paths),
      publication_(database, store, clock, mails, audit, log, settings.paths),
      clock_(clock),
      settings_(std::move(settings)) {}

Error TermPolicies::busy() const {
    return retry_later(errors::term_policy_busy, store_.longest_call() + LooseObjects::margin);
}

awaitable<Result<TermPolicy>> TermPolicies::find(TermPolicyId id) {
    auto policy = co_await repository_.find(id);
    if (!policy) co_return fail(errors::term_policy_not_found);
    co_return std::move(*policy);
}

awaitable<std::optional<TermPolicy>> TermPolicies::find_version(PolicyType type, std::int64_t version) {
    auto policy = co_await repository_.find_version(type, version);
    if (!policy) co_return std::nullopt;
    co_return std::move(*policy);
}

awaitable<Result<TermPolicy>> TermPolicies::find_draft(TermPolicyId id) {
    auto policy = co_await find(id);
    if (policy && policy->status != PolicyStatus::draft) co_return fail(errors::term_policy_status_invalid);
    co_return policy;
}

awaitable<std::optional<Error>> TermPolicies::hindrance(TermPolicyId id) {
    const auto policy = co_await repository_.find(id);
    if (!policy) co_return Error{errors::term_policy_not_found};
    if (policy->status != PolicyStatus::draft) co_return Error{errors::term_policy_status_invalid};
    const TimePoint now = clock_.now();
    if (policy->publishing_until && *policy->publishing_until > now)
        co_return retry_later(errors::term_policy_busy, *policy->publishing_until - now);
    co_return std::nullopt;
}

awaitable<Result<void>> TermPolicies::expect(PolicyType type, std::int64_t version, std::vector<Language> languages,
                                             TimePoint due_at, std::optional<TimePoint> uploads_until) {
    storage::Transaction transaction;
    for (const Language language : languages)
        LooseObjects::add_expected(transaction, {Area::private_area, type, version, language}, due_at, uploads_until,
                                   clock_.now());
    const auto outcome = co_await database_.commit(std::move(transaction));
    if (!outcome.committed) co_return std::unexpected(busy());
    co_return Result<void>{};
}

awaitable<Result<PresignedFile>> TermPolicies::presign_upload(PolicyType type, std::int64_t version, Language language,
                                                              std::int64_t size) {
    const auto present = co_await repository_.find_version(type, version);
    if (present && present->status == PolicyStatus::published) co_return fail(errors::term_policy_status_invalid);
    const TimePoint now = clock_.now();
    const TimePoint until = now + settings_.presign_lifetime;
    const TimePoint uploads_until = until + upload_longest;
    auto expected = co_await expect(type, version, {language}, uploads_until, uploads_until);
    if (!expected) co_return fail(std::move(expected.error()));
    auto key = paths().draft(type, version, language);
    auto url = store_.address_to_put(key, std::string(policy_mime), static_cast<std::uint64_t>(size), now, until);
    co_return PresignedFile{std::move(url), std::move(key), settings_.presign_lifetime};
}

awaitable<Result<PresignedFile>> TermPolicies::presign_download(TermPolicyId id, Language language) {
    const auto policy = co_await repository_.find(id);
    if (!policy) co_return fail(errors::term_policy_not_found);
    if (content_of(*policy, language) == nullptr) co_return fail(errors::term_policy_content_not_found);
    if (policy->status == PolicyStatus::published) {
        auto key = paths().publication(policy->type, policy->version, language);
        auto url = store_.public_address(key);
        co_return PresignedFile{std::move(url), std::move(key), settings_.presign_lifetime};
    }
    const TimePoint now = clock_.now();
    auto key = paths().draft(policy->type, policy->version, language);
    auto url = store_.address_to_get(key, now, now + settings_.presign_lifetime);
    co_return PresignedFile{std::move(url), std::move(key), settings_.presign_lifetime};
}

awaitable<Result<std::vector<PolicyContent>>> TermPolicies::check(PolicyType type, std::int64_t version,
                                                                  std::vector<ContentFile> files) {
    std::vector<Language> languages;
    languages.reserve(files.size());
    for (const ContentFile& file : files) languages.push_back(file.language);
    auto expected = co_await expect(type, version, std::move(languages), clock_.now() + check_lifetime, std::nullopt);
    if (!expected) co_return fail(std::move(expected.error()));
    std::vector<PolicyContent> out;
    ContentComplaints complaints;
    for (const ContentFile& file : files) {
        const auto object = co_await store_.get(Area::private_area, file.key, policy_text_bytes_max);
        if (!object) {
            complaints.add(file.language, "absent");
        } else if (const auto reason = unfit(*object); !reason.empty()) {
            complaints.add(file.language, reason);
        } else if (std::ssize(object->bytes) != file.size) {
            complaints.add(file.language, "size");
        } else {
            out.push_back({.language = file.language, .size = file.size, .digest = digest_of(object->bytes)});
        }
    }
    if (!complaints.empty()) co_return fail(complaints.error());
    co_return out;
}

awaitable<Result<TermPolicy>> TermPolicies::create(Actor by, NewTermPolicy wanted, Cause cause) {
    Report report;
    for (std::size_t i = 0; i < wanted.contents.size(); ++i)
        if (wanted.contents[i].key != paths().draft(wanted.type, wanted.version, wanted.contents[i].language))
            report.add("isMatching", "contents." + std::to_string(i) + ".key");
    if (!report.empty()) co_return fail(Error{errors::validation, report.take()});
    const auto present = co_await repository_.find_version(wanted.type, wanted.version);
    if (present) co_return fail(errors::term_policy_exist);
    // Objects are always locked in this order, which prevents deadlocks.
    std::ranges::sort(wanted.contents, {}, [](const ContentFile& file) { return name_of(file.language); });
    auto contents = co_await check(wanted.type, wanted.version, wanted.contents);
    if (!contents) co_return fail(std::move(contents.error()));

    const TimePoint now = clock_.now();
    TermPolicy policy;
    policy.id = TermPolicyId::make(now);
    policy.type = wanted.type;
    policy.version = wanted.version;
    policy.contents = std::move(*contents);
    policy.processing = std::move(wanted.processing);
    policy.created_at = policy.updated_at = now;
    policy.created_by = policy.updated_by = by.user();
    PrivilegedTransaction transaction(by, now);
    TermPolicyRepository::add_insert(transaction, policy);
    for (const PolicyContent& content : policy.contents) {
        LooseObjects::add_taken_up(transaction, {Area::private_area, policy.type, policy.version, content.language},
                                   now);
        TermPolicyRepository::add_content(transaction, policy.id, content);
    }
    add_policy_activity(transaction, by, ActivityAction::admin_term_policy_create, policy, cause, now);
    auto outcome = co_await std::move(transaction).commit(database_);
    if (!outcome) co_return fail(std::move(outcome.error()));
    if (!outcome->committed && outcome->failed_at == 0) co_return fail(errors::term_policy_exist);
    if (!outcome->committed) co_return std::unexpected(busy());
    std::ranges::sort(policy.contents, {}, &PolicyContent::language);
    co_return policy;
}

awaitable<Result<void>> TermPolicies::add_content(Actor by, TermPolicyId id, ContentFile file, Cause cause) {
    return change_content(std::move(by), id, std::move(file), std::move(cause), true);
}
awaitable<Result<void>> TermPolicies::update_content(Actor by, TermPolicyId id, ContentFile file, Cause cause) {
    return change_content(std::move(by), id, std::move(file), std::move(cause), false);
}

awaitable<Result<void>> TermPolicies::change_content(Actor by, TermPolicyId id, ContentFile file, Cause cause,
                                                     bool is_new) {
    const ErrorKind& wrong = is_new ? errors::term_policy_content_exist : errors::term_policy_content_not_found;
    auto policy = co_await find_draft(id);
    if (!policy) co_return fail(std::move(policy.error()));
    if (file.key != paths().draft(policy->type, policy->version, file.language)) {
        Report report;
        report.add("isMatching", "key");
        co_return fail(Error{errors::validation, report.take()});
    }
    if ((content_of(*policy, file.language) == nullptr) != is_new) co_return fail(wrong);
    std::vector<ContentFile> files{file};
    auto contents = co_await check(policy->type, policy->version, std::move(files));
    if (!contents) co_return fail(std::move(contents.error()));
    const auto action =
        is_new ? ActivityAction::admin_term_policy_add_content : ActivityAction::admin_term_policy_update_content;
    co_return co_await change_draft(
        by, id,
        [&](PrivilegedTransaction& transaction, TimePoint now) {
            LooseObjects::add_taken_up(transaction, {Area::private_area, policy->type, policy->version, file.language},
                                       now);
            if (is_new)
                TermPolicyRepository::add_content(transaction, id, contents->front());
            else
                TermPolicyRepository::add_content_update(transaction, id, contents->front());
            add_policy_activity(transaction, by, action, *policy, cause, now, file.language);
        },
        [&](std::size_t failed_at) -> std::optional<Error> {
            if (failed_at == 1) return busy();
            if (failed_at == 2) return Error{wrong};
            return std::nullopt;
        });
}

awaitable<Result<void>> TermPolicies::remove_content(Actor by, TermPolicyId id, Language language, Cause cause) {
    auto policy = co_await find_draft(id);
    if (!policy) co_return fail(std::move(policy.error()));
    auto removed = co_await change_draft(
        by, id,
        [&](PrivilegedTransaction& transaction, TimePoint now) {
            TermPolicyRepository::add_content_erase(transaction, id, language);
            LooseObjects::add_released(transaction, {Area::private_area, policy->type, policy->version, language}, now);
            add_policy_activity(transaction, by, ActivityAction::admin_term_policy_remove_content, *policy, cause, now,
                                language);
        },
        [](std::size_t failed_at) -> std::optional<Error> {
            if (failed_at == 1) return Error{errors::term_policy_content_not_found};
            return std::nullopt;
        });
    if (!removed) co_return removed;
    std::vector<PolicyObject> file{{Area::private_area, policy->type, policy->version, language}};
    co_await loose_objects_.sweep_released(std::move(file));
    co_return removed;
}

awaitable<Result<void>> TermPolicies::update_processing(Actor by, TermPolicyId id,
                                                        std::optional<std::string> processing, Cause cause) {
    auto policy = co_await find_draft(id);
    if (!policy) co_return fail(std::move(policy.error()));
    co_return co_await change_draft(
        by, id,
        [&](PrivilegedTransaction& transaction, TimePoint now) {
            TermPolicyRepository::add_processing(transaction, id, processing);
            add_policy_activity(transaction, by, ActivityAction::admin_term_policy_update_processing, *policy, cause,
                                now);
        },
        [](std::size_t) { return std::optional<Error>(); });
}

awaitable<Result<void>> TermPolicies::change_draft(Actor by, TermPolicyId id, AddChange add, RefusalAt refusal_at) {
    for (int i = 0; i < change_tries_max; ++i) {
        const TimePoint now = clock_.now();
        PrivilegedTransaction transaction(by, now);
        TermPolicyRepository::add_change(transaction, id, by.user(), now);
        add(transaction, now);
        auto outcome = co_await std::move(transaction).commit(database_);
        if (!outcome) co_return fail(std::move(outcome.error()));
        if (outcome->committed) co_return Result<void>{};
        if (auto refusal = refusal_at(outcome->failed_at)) co_return fail(std::move(*refusal));
        auto why = co_await hindrance(id);
        if (why) co_return fail(std::move(*why));
    }
    throw Unavailable("changing a term policy: it kept changing");
}

awaitable<Result<TermPolicy>> TermPolicies::erase(Actor by, TermPolicyId id, Cause cause) {
    for (int i = 0; i < change_tries_max; ++i) {
        auto policy = co_await find_draft(id);
        if (!policy) co_return policy;
        const TimePoint now = clock_.now();
        PrivilegedTransaction transaction(by, now);
        TermPolicyRepository::add_change(transaction, id, by.user(), now);
        LooseObjects::add_released(transaction, id, now);
        TermPolicyRepository::add_erase(transaction, *policy);
        add_policy_activity(transaction, by, ActivityAction::admin_term_policy_delete, *policy, cause, now);
        auto outcome = co_await std::move(transaction).commit(database_);
        if (!outcome) co_return fail(std::move(outcome.error()));
        if (outcome->committed) {
            co_await sweep_drafts(*policy);
            co_return policy;
        }
        auto why = co_await hindrance(id);
        if (why) co_return fail(std::move(*why));
    }
    throw Unavailable("deleting a term policy: it kept changing");
}

awaitable<Result<TermPolicy>> TermPolicies::publish(Actor by, TermPolicyId id, Cause cause, PublicationTerms terms) {
    auto published = co_await publication_.publish(std::move(by), id, std::move(terms), std::move(cause));
    // Publishing moves files: a published document needs no private copy.
    if (published) co_await sweep_drafts(*published);
    co_return published;
}

awaitable<void> TermPolicies::sweep_drafts(TermPolicy policy) {
    std::vector<PolicyObject> files;
    files.reserve(policy.contents.size());
    for (const PolicyContent& content : policy.contents)
        files.push_back({Area::private_area, policy.type, policy.version, content.language});
    co_await loose_objects_.sweep_released(std::move(files));
}

awaitable<Result<PolicyImpact>> TermPolicies::impact(TermPolicyId id, std::function<void()> step) {
    const auto policy = co_await repository_.find(id);
    if (!policy) co_return fail(errors::term_policy_not_found);
    const auto passing = co_await repository_.find_required(policy->type, clock_.now());
    // Publishing an older version affects no user.
    const bool becomes_required = passing && passing->required < policy->version;
    PolicyImpact out;
    std::optional<UserId> after;
    do {
        if (step) step();
        // Yield to other work of this thread between portions.
        co_await boost::asio::post(co_await boost::asio::this_coro::executor, boost::asio::use_awaitable);
        const auto some =
            co_await repository_.count_some(*policy, passing ? passing->from : 0, after, accounts_at_once);
        out.active_users += some.impact.active_users;
        if (becomes_required) out.affected_users += some.impact.affected_users;
        after = some.last;
    } while (after);
    if (!passing) out.affected_users = out.active_users;
    co_return out;
}

awaitable<Result<ContentFile>> TermPolicies::upload(PolicyType type, std::int64_t version, Language language,
                                                    std::string bytes) {
    const std::int64_t size = std::ssize(bytes);
    ContentComplaints complaints;
    if (const auto reason = unfit({bytes, bytes.size()}); !reason.empty()) complaints.add(language, reason);
    if (!complaints.empty()) co_return fail(complaints.error());
    const auto present = co_await repository_.find_version(type, version);
    if (present && present->status == PolicyStatus::published) co_return fail(errors::term_policy_status_invalid);
    const TimePoint due_at = clock_.now() + check_lifetime;
    auto expected = co_await expect(type, version, {language}, due_at, due_at);
    if (!expected) co_return fail(std::move(expected.error()));
    auto key = paths().draft(type, version, language);
    co_await store_.put(Area::private_area, key, std::move(bytes), std::string(policy_mime));
    co_return ContentFile{language, std::move(key), size};
}

awaitable<Result<std::string>> TermPolicies::read(TermPolicyId id, Language language) {
    const auto policy = co_await repository_.find(id);
    if (!policy) co_return fail(errors::term_policy_not_found);
    const PolicyContent* content = content_of(*policy, language);
    if (content == nullptr) co_return fail(errors::term_policy_content_not_found);
    const bool is_public = policy->status == PolicyStatus::published;
    auto key = is_public ? paths().publication(policy->type, policy->version, language)
                         : paths().draft(policy->type, policy->version, language);
    auto object =
        co_await store_.get(is_public ? Area::public_area : Area::private_area, std::move(key), policy_text_bytes_max);
    if (object && digest_of(object->bytes) == content->digest) co_return std::move(object->bytes);
    const std::string_view reason = object ? "changed" : "absent";
    // A draft is the caller's to mend. A published text has been complete once, and never changes.
    if (is_public)
        throw Unavailable(fmt::format("the published text {}/{}/{} is {} in the object store", name_of(policy->type),
                                      policy->version, name_of(language), reason));
    ContentComplaints complaints;
    complaints.add(language, reason);
    co_return fail(complaints.error());
}

}  // namespace consentry
