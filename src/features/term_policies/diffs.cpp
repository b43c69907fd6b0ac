#include "features/term_policies/diffs.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"
#include "features/term_policies/content_check.hpp"

namespace consentry {

PolicyDiffs::PolicyDiffs(storage::Database& database, TermPolicies& policies, const Locales& locales)
    : repository_(database),
      policies_(policies),
      locales_(locales),
      shown_(shown_max),
      pool_({.name = "diff", .threads = 1, .queue_max = 32, .nice = 10}) {}

awaitable<Result<std::string>> PolicyDiffs::page(PolicyType type, std::int64_t from, std::int64_t to,
                                                 Language language) {
    if (from >= to) co_return fail(errors::term_policy_not_found);
    auto kept = co_await repository_.find_diff(type, from, to, language);
    if (kept) co_return std::move(*kept);
    auto texts = co_await texts_of(type, from, to, language);
    if (!texts) co_return fail(std::move(texts.error()));
    std::string made = co_await pool_.run([labels = labels(type, from, to, language), texts = std::move(*texts)] {
        return diff_page(labels, texts.before, texts.after);
    });
    co_await repository_.insert_diff(type, from, to, language, std::move(made));
    // An instance of another program version may have made it first, with other labels.
    kept = co_await repository_.find_diff(type, from, to, language);
    if (!kept) throw Unavailable("the page of a comparison cannot be kept");
    co_return std::move(*kept);
}

awaitable<Result<PolicyChanges>> PolicyDiffs::changes(PolicyType type, std::int64_t from, std::int64_t to,
                                                      Language language) {
    const std::string key = fmt::format("{}/{}/{}/{}", name_of(type), from, to, name_of(language));
    if (auto shown = shown_.find(key)) co_return std::move(*shown);
    auto kept = co_await page(type, from, to, language);
    if (!kept) co_return fail(std::move(kept.error()));
    auto texts = co_await texts_of(type, from, to, language);
    if (!texts) co_return fail(std::move(texts.error()));
    DiffPage labeled = labels(type, from, to, language);
    PolicyChanges out{.title = labeled.title, .lines = {}, .digest = digest_of(*kept)};
    out.lines = co_await pool_.run([labeled = std::move(labeled), texts = std::move(*texts)] {
        return diff_lines(labeled, texts.before, texts.after);
    });
    shown_.put(key, out);
    co_return out;
}

DiffPage PolicyDiffs::labels(PolicyType type, std::int64_t from, std::int64_t to, Language language) const {
    return labeled_page(locales_, language, "termPolicy.type." + std::string(name_of(type)), from, to);
}

awaitable<Result<PolicyDiffs::Pair>> PolicyDiffs::texts_of(PolicyType type, std::int64_t from, std::int64_t to,
                                                           Language language) {
    auto before = co_await text_of(type, from, language);
    if (!before) co_return fail(std::move(before.error()));
    auto after = co_await text_of(type, to, language);
    if (!after) co_return fail(std::move(after.error()));
    co_return Pair{std::move(*before), std::move(*after)};
}

awaitable<Result<std::string>> PolicyDiffs::text_of(PolicyType type, std::int64_t version, Language language) {
    const auto policy = co_await policies_.find_version(type, version);
    if (!policy || policy->status != PolicyStatus::published) co_return fail(errors::term_policy_not_found);
    co_return co_await policies_.read(policy->id, language);
}

}  // namespace consentry
