// Makes auditor's bundles: everything that others need to verify the consent log, or a part of it, in one ZIP archive.
// The same filter and the same content (checkpoint, cosignatures, timestamp, description, evidence, texts) make the
// same bytes in one version of the program. Memory does not grow with the number of entries; it grows by some 200 bytes
// for each proof of a filtered bundle, and while the log is read by some 100 for each account between its first entry
// without evidence and its erasure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "features/activity/audit.hpp"
#include "features/consent_proof/bundle_source.hpp"
#include "features/users/actor.hpp"
#include "http/response.hpp"

namespace consentry {

struct Bundle {
    std::uint64_t size = 0;  // of the archive
    std::uint64_t entries = 0;
    // That are named, but were lost or altered, and so the timestamp: their keys, or what they are.
    std::vector<std::string> lost_texts;
    // Whether the checkpoint has the cosignatures that the policy of the bundle demands: witnesses may lag behind.
    bool is_cosigned = false;
    http::NextPiece next;  // throws if what it reads is not what it read to compute the size
};

class Bundles {
public:
    // The references must outlive this object and its bundles.
    Bundles(storage::Database& database, storage::ObjectStore& store, const Clock& clock, ConsentLog& log,
            PolicyPaths paths)
        : database_(database), store_(store), clock_(clock), log_(log), paths_(std::move(paths)) {}

    // Reads the whole log once, to know the size. Errors: logDiffers; userNotFound if the filter names no account, or
    // an erased one, because it is no longer known which entries are about it.
    awaitable<Result<Bundle>> make(BundleFilter filter, BundleStep step = {});
    // Records an export by an administrator, and then makes it.
    awaitable<Result<Bundle>> make_for(Actor by, Cause cause, BundleFilter filter, BundleStep step);

private:
    storage::Database& database_;
    storage::ObjectStore& store_;
    const Clock& clock_;
    ConsentLog& log_;
    const PolicyPaths paths_;
};

}  // namespace consentry
