#include "features/published_logs/continuation.hpp"

#include <utility>

#include <fmt/format.h>
#include <openssl/crypto.h>

#include "base/wrong_settings.hpp"

namespace consentry {
namespace {

constexpr const char* differs = "The log in the database differs from its own checkpoint. Restore it from a backup.";

[[noreturn]] void refuse_damage(const std::string& what) {
    throw LogRefused("The database's log is damaged: " + what + ". Restore it from a backup.");
}

}  // namespace

tlog::VerifierKey stored_verifier_key(const std::string& verifier_key) {
    auto known = tlog::VerifierKey::parse(verifier_key);
    if (!known) refuse_damage(known.error());
    return std::move(*known);
}

tlog::GrowingTree tree_of(const LogState& known) {
    auto tree = tlog::GrowingTree::restore(static_cast<std::uint64_t>(known.published), known.edge);
    if (!tree) refuse_damage(tree.error());
    return std::move(*tree);
}

tlog::NoteSigner signer_for(const std::string& origin, const crypto::PrivateKey& key) {
    Bytes seed = key.ed25519_seed();
    auto signer = tlog::NoteSigner::from_seed(origin, tlog::KeyType::ed25519, seed);
    OPENSSL_cleanse(seed.data(), seed.size());
    if (!signer) throw WrongSettings("CONSENT_LOG_ORIGIN: " + signer.error());
    return std::move(*signer);
}

tlog::NoteSigner signer_for(const std::string& verifier_key, const std::string& origin, bool origin_is_given,
                            const crypto::PrivateKey& key) {
    const std::string known = stored_verifier_key(verifier_key).name();
    if (origin_is_given && known != origin)
        throw WrongSettings(fmt::format(
            "CONSENT_LOG_ORIGIN: {} is not the origin of the log in this database, {}. A log keeps its origin: set it "
            "to {}.",
            origin, known, known));
    auto signer = signer_for(known, key);
    if (signer.verifier().text() != verifier_key)
        throw WrongSettings(fmt::format(
            "CONSENT_LOG_PRIVATE_KEY: not the key of the log in this database. Verifiers know {}; the given key is "
            "that of {}. Set the former key, which signed the checkpoints so far (with APP_ENV=local it "
            "is the content of DATA_DIR/keys/consent-log.key).",
            verifier_key, signer.verifier().text()));
    return signer;
}

tlog::Checkpoint own_checkpoint(const std::string& note, const tlog::VerifierKey& log) {
    auto own = tlog::open_checkpoint(note, log);
    if (!own) throw LogRefused(differs);
    return std::move(own->checkpoint);
}

tlog::Checkpoint published_checkpoint(const std::string& note, const tlog::VerifierKey& log) {
    auto published = tlog::open_checkpoint(note, log);
    if (!published)
        throw LogRefused("The published checkpoint is not one of this log: " + published.error() +
                         ". Each log needs a place of its own: check STORAGE_URL. If no other log is there, the "
                         "object is damaged: delete it, and the log continues.");
    return std::move(published->checkpoint);
}

void require_whole(const LogState& known, const tlog::VerifierKey& log) {
    const tlog::Checkpoint own = own_checkpoint(known.checkpoint, log);
    const tlog::GrowingTree tree = tree_of(known);
    if (own.size != tree.size() || own.root != tree.root()) throw LogRefused(differs);
}

void require_public(const LogState& known, const tlog::VerifierKey& log) {
    if (known.public_checkpoint.empty()) return;
    const auto shown = tlog::open_checkpoint(known.public_checkpoint, log);
    if (!shown || std::cmp_not_equal(shown->checkpoint.size, known.public_size) || known.public_size > known.published)
        throw LogRefused(
            "The public checkpoint in the database is not one of this log, or not of the size that the database says: "
            "columns public_checkpoint and public_size of table logs have been changed. Restore them from a backup.");
}

void require_not_behind(const tlog::Checkpoint& own, const tlog::Checkpoint& published) {
    if (published.size > own.size)
        throw LogRefused(fmt::format(
            "The published log has {} entries, but the one in the database only {}: the database is older than "
            "what others have seen. Restore a backup that contains all of them. If there is none, begin another "
            "log, as docs/guides/backup.md explains.",
            published.size, own.size));
    if (published.size == own.size && published.root != own.root)
        throw LogRefused(
            "The published log and the one in the database have equal sizes but differ: the database is not the "
            "one that published it. Restore a backup of that database.");
}

}  // namespace consentry
