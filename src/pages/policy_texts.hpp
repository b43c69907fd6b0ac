// The published texts of policies as HTML.
#pragma once

#include "base/html.hpp"
#include "base/recent_map.hpp"
#include "base/worker_pool.hpp"
#include "features/term_policies/term_policies.hpp"

namespace consentry {

class PolicyTexts {
public:
    // The reference must outlive this object.
    explicit PolicyTexts(TermPolicies& policies);

    // Errors: contentNotFound. Throws Unavailable if the object store does not have the text that was published.
    awaitable<Result<Html>> find(const TermPolicy& policy, const PolicyContent& content);

private:
    // A long text takes too long for an I/O thread; published texts never change, so the result is kept.
    static constexpr std::size_t kept_max = 64;
    TermPolicies& policies_;
    RecentMap<std::string, Html> kept_;  // by the digest of the text
    WorkerPool pool_;
};

}  // namespace consentry
