// Comparisons of two published versions as pages for users. A client can name the page that it showed when the user
// accepts. Each page is therefore made once and kept: the same bytes can be shown later.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/html.hpp"
#include "base/locales.hpp"
#include "base/recent_map.hpp"
#include "base/worker_pool.hpp"
#include "features/term_policies/diff_page.hpp"
#include "features/term_policies/term_policies.hpp"

namespace consentry {

// A comparison for a page that also shows something else.
struct PolicyChanges {
    std::string title;   // plain text
    Html lines;          // see diff_lines()
    std::string digest;  // of the page that is kept, which an acceptance names
};

class PolicyDiffs {
public:
    // All arguments must outlive this.
    PolicyDiffs(storage::Database& database, TermPolicies& policies, const Locales& locales);

    // Errors: notFound (one of the versions is not published, or `from` is not lower than `to`), contentNotFound.
    // Throws Unavailable if the object store has lost one of the texts.
    awaitable<Result<std::string>> page(PolicyType type, std::int64_t from, std::int64_t to, Language language);
    // The same for a page of our own; keeps that page as well. Errors: as page().
    awaitable<Result<PolicyChanges>> changes(PolicyType type, std::int64_t from, std::int64_t to, Language language);

private:
    // Two versions of a text.
    struct Pair {
        std::string before;
        std::string after;
    };
    DiffPage labels(PolicyType type, std::int64_t from, std::int64_t to, Language language) const;
    awaitable<Result<Pair>> texts_of(PolicyType type, std::int64_t from, std::int64_t to, Language language);
    awaitable<Result<std::string>> text_of(PolicyType type, std::int64_t version, Language language);

    TermPolicyRepository repository_;
    TermPolicies& policies_;
    const Locales& locales_;
    static constexpr std::size_t shown_max = 64;
    RecentMap<std::string, PolicyChanges> shown_;  // published texts never change
    WorkerPool pool_;                              // comparing long texts takes too long for an I/O thread
};

}  // namespace consentry
