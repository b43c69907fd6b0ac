// Verifies an auditor's bundle without the service, from nothing but what its reader trusts. Pure functions.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "features/consent_proof/bundle_manifest.hpp"
#include "features/consent_proof/earlier_check.hpp"
#include "features/consent_proof/entry_doubts.hpp"
#include "features/consent_proof/stamp_check.hpp"
#include "tlog/policy.hpp"

namespace consentry {

struct VerifiedBundle {
    tlog::AcceptedCheckpoint accepted;
    // Not whole: each entry is one that the filter takes. That no other one is, only the log states, by its signature.
    BundleFilter filter;
    bool is_whole() const { return filter.is_whole(); }
    std::uint64_t entries = 0;
    std::uint64_t addenda = 0;
    std::uint64_t withheld = 0;  // further addenda of a whole bundle, whose absence no erasure in it explains
    std::uint64_t documents = 0;
    std::uint64_t absent_documents = 0;  // that entries name
    std::optional<VerifiedStamp> stamp;
    EntryDoubts doubts;
    std::uint64_t kept_promises = 0;  // earlier receipts whose entries it has
};

// Called from time to time with the number of verified entries and the number that the bundle says it has.
using BundleProgress = std::function<void(std::uint64_t verified, std::uint64_t entries)>;

// The error is a sentence that names the member and says what is wrong. `authorities`: see verify_stamp(). Refuses a
// bundle that contradicts `earlier` records, or cannot be compared with them.
std::expected<VerifiedBundle, std::string> verify_bundle(BytesView archive, const tlog::Policy& policy,
                                                         std::optional<std::string_view> authorities = {},
                                                         const BundleProgress& progress = {},
                                                         const EarlierRecords& earlier = {});

}  // namespace consentry
