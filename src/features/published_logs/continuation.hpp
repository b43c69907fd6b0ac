// Whether a process may continue a log: what its state in the database and its published checkpoint tell, without the
// entries and the tiles. The service asks before it continues a log, and `config check` without opening anything.
#pragma once

#include <string>
#include <string_view>

#include "crypto/signature_keys.hpp"
#include "features/published_logs/comparison.hpp"
#include "features/published_logs/log_refused.hpp"
#include "features/published_logs/repository.hpp"
#include "tlog/checkpoint.hpp"
#include "tlog/growing_tree.hpp"
#include "tlog/note_keys.hpp"

namespace consentry {

// What a process brings along to continue a log.
struct LogClaim {
    LogPlace place;
    std::string origin;
    bool origin_is_given = false;  // otherwise a log that exists keeps its own
    crypto::PrivateKey key;        // Ed25519
};

inline constexpr std::string_view checkpoint_object = "checkpoint";  // in the folder of the log

// Throw LogRefused if what the database has is damaged.
tlog::VerifierKey stored_verifier_key(const std::string& verifier_key);
tlog::GrowingTree tree_of(const LogState& known);

// Of a log that does not exist yet. Throws WrongSettings if no log can have this origin.
tlog::NoteSigner signer_for(const std::string& origin, const crypto::PrivateKey& key);
// Of the log that verifiers know by `verifier_key`. Throws WrongSettings unless a process with this origin and this key
// may continue it.
tlog::NoteSigner signer_for(const std::string& verifier_key, const std::string& origin, bool origin_is_given,
                            const crypto::PrivateKey& key);

// Each throws LogRefused unless `log` has signed the checkpoint.
tlog::Checkpoint own_checkpoint(const std::string& note, const tlog::VerifierKey& log);  // that the database has
tlog::Checkpoint published_checkpoint(const std::string& note, const tlog::VerifierKey& log);

// Throws LogRefused unless the checkpoint in the database is that of its tree.
void require_whole(const LogState& known, const tlog::VerifierKey& log);
// Throws LogRefused unless the public checkpoint in the database, if there is one, is one of this log and of the size
// that the database says.
void require_public(const LogState& known, const tlog::VerifierKey& log);
// Throws LogRefused if others have seen entries that the database lacks, or others in their place.
void require_not_behind(const tlog::Checkpoint& own, const tlog::Checkpoint& published);

}  // namespace consentry
