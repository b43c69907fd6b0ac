// Policies of verifiers: whatever is read can be satisfied by all of its witnesses.
#include "tests/fuzz/fuzz.hpp"
#include "tlog/policy.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace consentry;
    const auto policy = tlog::Policy::parse(fuzz::text_of(data, size));
    if (!policy) {
        fuzz::require(!policy.error().empty(), "a refusal says why");
        return 0;
    }
    const std::size_t witnesses = policy->witnesses().size();
    fuzz::require(witnesses <= tlog::policy_definitions_max, "the limit holds");
    fuzz::require(policy->has_quorum(std::vector<bool>(witnesses, true)), "all witnesses together are a quorum");
    const bool needs_none = policy->has_quorum(std::vector<bool>(witnesses, false));
    fuzz::require(needs_none || witnesses > 0, "who needs a witness names one");
    return 0;
}
