// Comparisons of two published versions as pages for users. A client can name the page that it showed when the user
// accepts. Each page is therefore made once and kept: the same bytes can be shown later.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/locales.hpp"
#include "base/worker_pool.hpp"
#include "features/term_policies/term_policies.hpp"

namespace consentry {

class PolicyDiffs {
public:
    // All arguments must outlive this.
    PolicyDiffs(storage::Database& database, TermPolicies& policies, const Locales& locales);

    // Errors: notFound (one of the versions is not published, or `from` is not lower than `to`), contentNotFound,
    // contentInvalid.
    awaitable<Result<std::string>> page(PolicyType type, std::int64_t from, std::int64_t to, Language language);

private:
    awaitable<Result<std::string>> text_of(PolicyType type, std::int64_t version, Language language);
    awaitable<std::optional<std::string>> find(PolicyType type, std::int64_t from, std::int64_t to, Language language);

    storage::Database& database_;
    TermPolicies& policies_;
    const Locales& locales_;
    WorkerPool pool_;  // comparing long texts takes too long for an I/O thread
};

}  // namespace consentry
