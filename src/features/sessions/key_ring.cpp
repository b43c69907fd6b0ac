#include "features/sessions/key_ring.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/new_file.hpp"
#include "base/text.hpp"
#include "base/whole_file.hpp"
#include "base/wrong_settings.hpp"

namespace consentry {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t index_of(TokenKind kind) { return kind == TokenKind::access ? 0 : 1; }
constexpr std::string_view setting_prefix(TokenKind kind) {
    return kind == TokenKind::access ? "AUTH_JWT_ACCESS_TOKEN_" : "AUTH_JWT_REFRESH_TOKEN_";
}

bool is_pem(std::string_view text) { return text.starts_with("-----BEGIN"); }

// access-ES256-1763636587000-<kid>.pem
struct KeyFile {
    fs::path path;
    crypto::SignatureAlgorithm algorithm{};
    std::int64_t made_ms = 0;
    std::string kid;
};

// Returns nullopt if the name is not that of a key of this kind.
std::optional<KeyFile> key_file(const fs::path& path, TokenKind kind) {
    const std::string name = path.filename();
    std::string_view rest = name;
    const std::string begin = std::string(name_of(kind)) + '-';
    constexpr std::string_view end = ".pem";
    if (!rest.starts_with(begin) || !rest.ends_with(end)) return std::nullopt;
    rest.remove_prefix(begin.size());
    rest.remove_suffix(end.size());
    const auto algorithm = crypto::find_algorithm(rest.substr(0, rest.find('-')));
    if (!algorithm) return std::nullopt;
    rest.remove_prefix(std::min(rest.size(), name_of(*algorithm).size() + 1));
    std::int64_t made_ms = 0;
    const auto number = std::from_chars(rest.data(), rest.data() + rest.size(), made_ms);
    if (number.ec != std::errc{} || made_ms < 0) return std::nullopt;
    rest.remove_prefix(static_cast<std::size_t>(number.ptr - rest.data()));
    if (!rest.starts_with('-')) return std::nullopt;
    return KeyFile{path, *algorithm, made_ms, std::string(rest.substr(1))};
}

// The keys of all algorithms, newest first.
std::vector<KeyFile> key_files(const fs::path& folder, TokenKind kind) {
    std::vector<KeyFile> out;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error))
        if (auto file = key_file(entry.path(), kind)) out.push_back(std::move(*file));
    std::ranges::sort(out, std::greater{}, &KeyFile::made_ms);
    return out;
}

// When a newer key took over from the one at `at`, which is not the newest. It may be the next one of the same
// algorithm: a service goes on with its own algorithm although a command with other settings has made a key.
TimePoint superseded_at(const std::vector<KeyFile>& files, std::size_t at) {
    for (std::size_t newer = at; newer-- > 0;)
        if (files[newer].algorithm == files[at].algorithm) return from_epoch_ms(files[newer].made_ms);
    return from_epoch_ms(files[at - 1].made_ms);
}

std::string read_key(const fs::path& path) {
    auto text = read_whole_file(path);
    if (!text) throw std::runtime_error("cannot read the key file " + path.string());
    return std::move(*text);
}

// File timestamps are coarse: a key added within the same tick as a check does not change the folder's time. A recent
// time is therefore not remembered, so that the next check reads the folder again.
fs::file_time_type settled(fs::file_time_type changed) {
    constexpr seconds settling{2};
    return fs::file_time_type::clock::now() - changed < settling ? fs::file_time_type::min() : changed;
}

bool same_keys(const KindKeys& a, const KindKeys& b) {
    return a.signing->kid == b.signing->kid &&
           std::ranges::equal(a.verifying, b.verifying, [](const auto& left, const auto& right) {
               return left.first == right.first && left.second.jwk() == right.second.jwk();
           });
}

template <class Fault, class Key>
Key unwrap(std::expected<Key, std::string> key, const std::string& where) {
    if (!key) throw Fault(where + ": " + key.error());
    return std::move(*key);
}

void add(KindKeys& keys, TokenKind kind, const std::string& kid, crypto::PublicKey key) {
    if (keys.find(kid) != nullptr)
        throw std::runtime_error(fmt::format("{} keys: duplicate key ID {}", name_of(kind), kid));
    keys.verifying.emplace_back(kid, std::move(key));
}

void add_private_key(KindKeys& keys, TokenKind kind, const KeySettings& settings) {
    const auto der = is_pem(settings.private_key) ? std::nullopt : from_base64(settings.private_key);
    auto key = unwrap<WrongSettings>(der ? crypto::PrivateKey::from_pkcs8_der(*der, settings.algorithm)
                                         : crypto::PrivateKey::from_pem(settings.private_key, settings.algorithm),
                                     std::string(setting_prefix(kind)) + "PRIVATE_KEY");
    const std::string kid = settings.kid.empty() ? key.public_key().thumbprint() : settings.kid;
    add(keys, kind, kid, key.public_key());
    keys.signing = std::make_shared<const SigningKey>(kid, std::move(key));
}

void add_files(KindKeys& keys, TokenKind kind, const KeySettings& settings, const fs::path& folder, TimePoint now) {
    const auto files = key_files(folder, kind);
    for (std::size_t at = 0; at < files.size(); ++at) {
        const KeyFile& file = files[at];
        // Keys newer than the one that signs are of another algorithm; nothing tells when the last one of them signed.
        if (keys.signing) {
            // An instance signs with the former key until it has looked at the folder, by its own clock.
            const TimePoint last_token_ends = superseded_at(files, at) + settings.lifetime + clock_ahead_max;
            if (last_token_ends < now) continue;
            keys.complete_until = std::min(keys.complete_until, last_token_ends);
        }
        auto key = unwrap<std::runtime_error>(crypto::PrivateKey::from_pem(read_key(file.path), file.algorithm),
                                              file.path.string());
        add(keys, kind, file.kid, key.public_key());
        if (!keys.signing && file.algorithm == settings.algorithm)
            keys.signing = std::make_shared<const SigningKey>(file.kid, std::move(key), from_epoch_ms(file.made_ms));
    }
    if (!keys.signing)
        throw std::runtime_error(
            fmt::format("no {} key for {} tokens in {}", name_of(settings.algorithm), name_of(kind), folder.string()));
}

// The curve of a former key tells its algorithm, which may differ from that of new tokens.
std::expected<crypto::PublicKey, std::string> read_former_key(const std::string& text) {
    using enum crypto::SignatureAlgorithm;
    const auto der = is_pem(text) ? std::nullopt : from_base64(text);
    for (const auto algorithm : {es256, es384, es512, eddsa}) {
        auto key =
            der ? crypto::PublicKey::from_spki_der(*der, algorithm) : crypto::PublicKey::from_pem(text, algorithm);
        if (key) return key;
    }
    return std::unexpected(
        "not a public key (SubjectPublicKeyInfo) on P-256, P-384, P-521 or Ed25519, as base64 of DER or as PEM");
}

}  // namespace

const crypto::PublicKey* KindKeys::find(std::string_view kid) const {
    for (const auto& [name, key] : verifying)
        if (name == kid) return &key;
    return nullptr;
}

KeyRing::KeyRing(const Clock& clock, fs::path folder, KeySettings access, KeySettings refresh, OnFault on_fault)
    : clock_(clock),
      folder_(std::move(folder)),
      settings_{std::move(access), std::move(refresh)},
      on_fault_(std::move(on_fault)) {
    std::error_code error;
    const auto changed = fs::last_write_time(folder_, error);
    if (!error) seen_ = settled(changed);
    for (const auto kind : {TokenKind::access, TokenKind::refresh}) keys_[index_of(kind)].store(load(kind));
}

std::shared_ptr<const KindKeys> KeyRing::load(TokenKind kind) const {
    const KeySettings& settings = settings_[index_of(kind)];
    auto out = std::make_shared<KindKeys>();
    if (settings.private_key.empty())
        add_files(*out, kind, settings, folder_, clock_.now());
    else
        add_private_key(*out, kind, settings);
    for (const FormerKey& former : settings.public_keys) {
        const std::string where = std::string(setting_prefix(kind)) + "PUBLIC_KEY";
        auto key = unwrap<WrongSettings>(read_former_key(former.key), where);
        const std::string kid = former.kid.empty() ? key.thumbprint() : former.kid;
        if (const crypto::PublicKey* known = out->find(kid); known == nullptr)
            add(*out, kind, kid, std::move(key));
        else if (known->jwk() != key.jwk())
            throw WrongSettings(fmt::format("{}: two keys have the key ID {}", where, kid));
    }
    return out;
}

std::shared_ptr<const KindKeys> KeyRing::keys(TokenKind kind) {
    look_again();
    return keys_[index_of(kind)].load();
}

std::uint64_t KeyRing::generation() {
    look_again();
    return generation_.load(std::memory_order_acquire);
}

void KeyRing::look_again() {
    using Steady = std::chrono::steady_clock;
    const auto now_ms = std::chrono::duration_cast<milliseconds>(Steady::now().time_since_epoch()).count();
    if (now_ms < next_look_ms_.load(std::memory_order_relaxed)) return;
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return;  // another thread is checking
    next_look_ms_.store(now_ms + 1'000, std::memory_order_relaxed);
    const bool uses_folder = std::ranges::any_of(settings_, &std::string::empty, &KeySettings::private_key);
    std::error_code error;
    const auto changed = fs::last_write_time(folder_, error);
    const bool is_key_retired = std::ranges::any_of(
        keys_, [now = clock_.now()](const auto& keys) { return keys.load()->complete_until < now; });
    if (!uses_folder || (!error && changed == seen_ && !is_key_retired)) return;
    bool different = false;
    for (const auto kind : {TokenKind::access, TokenKind::refresh})
        if (load_again(kind)) different = true;
    // A file may become right without a change of the folder's time.
    const bool is_settled = !error && std::ranges::all_of(faults_, &std::string::empty);
    seen_ = is_settled ? settled(changed) : fs::file_time_type::min();
    if (different) generation_.fetch_add(1, std::memory_order_release);
}

// Returns whether the keys have changed. If they cannot be read, the former ones stay (TOK-9).
bool KeyRing::load_again(TokenKind kind) {
    auto& keys = keys_[index_of(kind)];
    try {
        auto found = load(kind);
        note(kind, {});
        const bool is_different = !same_keys(*keys.load(), *found);
        keys.store(std::move(found));
        return is_different;
    } catch (const std::exception& fault) {
        note(kind, fault.what());
        return false;
    }
}

void KeyRing::note(TokenKind kind, std::string fault) {
    std::string& known = faults_[index_of(kind)];
    if (fault == known) return;
    known = std::move(fault);
    if (on_fault_) on_fault_(kind, known);
}

boost::json::object KeyRing::jwks() {
    boost::json::array out;
    const auto current = keys(TokenKind::access);  // another thread may load others
    for (const auto& [kid, key] : current->verifying) {
        boost::json::object jwk = key.jwk();
        jwk["kid"] = kid;
        jwk["alg"] = name_of(key.algorithm());
        jwk["use"] = "sig";
        out.emplace_back(std::move(jwk));
    }
    return {{"keys", std::move(out)}};
}

std::optional<crypto::SignatureAlgorithm> KeyRing::newest_algorithm(const fs::path& folder, TokenKind kind) {
    const auto files = key_files(folder, kind);
    return files.empty() ? std::nullopt : std::optional(files.front().algorithm);
}

std::string KeyRing::generate(const fs::path& folder, TokenKind kind, crypto::SignatureAlgorithm algorithm,
                              TimePoint now) {
    make_folder(folder);
    fs::permissions(folder, fs::perms::owner_all);
    const auto key = crypto::PrivateKey::generate(algorithm);
    const std::string kid = key.public_key().thumbprint();
    // The newest key signs. If the clock was ahead when the former one was made, that one would go on signing.
    std::int64_t made_ms = epoch_ms(now);
    if (const auto present = key_files(folder, kind); !present.empty())
        made_ms = std::max(made_ms, present.front().made_ms + 1);
    const fs::path path = folder / fmt::format("{}-{}-{}-{}.pem", name_of(kind), name_of(algorithm), made_ms, kid);
    NewFile file(path);
    file.write(key.pem());
    file.replace();
    return kid;
}

}  // namespace consentry
