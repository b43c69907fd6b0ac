#include "tlog/note_keys.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "crypto/digest.hpp"
#include "crypto/random.hpp"

namespace consentry::tlog {
namespace {

constexpr std::size_t point_size = 32;
constexpr std::size_t seed_size = 32;
constexpr std::size_t time_size = 8;
constexpr std::string_view private_mark = "PRIVATE+KEY+";

// Unicode's property White_Space.
constexpr bool is_space(std::uint32_t code_point) {
    return (code_point >= 0x09 && code_point <= 0x0D) || code_point == 0x20 || code_point == 0x85 ||
           code_point == 0xA0 || code_point == 0x1680 || (code_point >= 0x2000 && code_point <= 0x200A) ||
           code_point == 0x2028 || code_point == 0x2029 || code_point == 0x202F || code_point == 0x205F ||
           code_point == 0x3000;
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20; }

std::optional<KeyType> find_type(std::uint8_t byte) {
    for (const KeyType type : {KeyType::ed25519, KeyType::cosignature})
        if (byte == std::to_underlying(type)) return type;
    return std::nullopt;
}

std::uint32_t key_id_of(std::string_view name, KeyType type, BytesView point) {
    std::string message(name);
    message.push_back('\n');
    message.push_back(static_cast<char>(std::to_underlying(type)));
    message.append(as_text(point));
    const auto hash = crypto::sha256(message);
    return std::uint32_t{hash[0]} << 24 | std::uint32_t{hash[1]} << 16 | std::uint32_t{hash[2]} << 8 | hash[3];
}

// `material` may be secret, so nothing but the result keeps a copy of it.
std::string key_text(std::string_view prefix, const VerifierKey& key, BytesView material) {
    Bytes typed;
    typed.reserve(1 + material.size());
    typed.push_back(std::to_underlying(key.type()));
    typed.insert(typed.end(), material.begin(), material.end());
    std::string encoded = to_base64(typed);
    const std::string front = fmt::format("{}{}+{:08x}+", prefix, key.name(), key.id());
    std::string text;
    text.reserve(front.size() + encoded.size());
    text.append(front).append(encoded);
    crypto::wipe(typed);
    crypto::wipe(encoded);
    return text;
}

// <name>+<key ID>+base64(type || material)
struct KeyText {
    std::string name;
    std::string id;
    KeyType type;
    Bytes material;
};
std::expected<KeyText, std::string> read_key_text(std::string_view text, std::size_t material_size) {
    const auto name_end = text.find('+');
    const auto id_end = name_end == std::string_view::npos ? name_end : text.find('+', name_end + 1);
    if (id_end == std::string_view::npos) return std::unexpected("the key is not of the form name+id+base64");
    auto typed = from_base64(text.substr(id_end + 1));
    if (!typed || typed->empty()) return std::unexpected("the last part of the key is not base64");
    const std::uint8_t type_byte = typed->front();
    const std::size_t size = typed->size() - 1;
    const auto type = find_type(type_byte);
    std::optional<KeyText> key;
    if (type && size == material_size)
        key.emplace(std::string(text.substr(0, name_end)),
                    std::string(text.substr(name_end + 1, id_end - name_end - 1)), *type,
                    Bytes(typed->begin() + 1, typed->end()));
    crypto::wipe(*typed);  // also if it is refused: most of a seed is as secret as all of it
    if (!type) return std::unexpected(fmt::format("keys of type {} are not supported", type_byte));
    if (!key) return std::unexpected(fmt::format("the key has {} bytes instead of {}", size, material_size));
    return std::move(*key);
}

std::expected<void, std::string> check_id(std::string_view given, const VerifierKey& key) {
    if (given == fmt::format("{:08x}", key.id())) return {};
    return std::unexpected("the key ID does not belong to this name and key");
}

// Of cosignature/v1.
std::string cosigned_message(std::string_view note_text, std::chrono::sys_seconds time) {
    return fmt::format("cosignature/v1\ntime {}\n{}", time.time_since_epoch().count(), note_text);
}

}  // namespace

bool is_key_name(std::string_view name) {
    if (name.empty() || !code_points(name)) return false;
    while (!name.empty()) {
        const auto [code_point, length] = first_code_point(name);
        if (code_point < 0x20 || code_point == '+' || is_space(code_point)) return false;
        name.remove_prefix(length);
    }
    return true;
}

bool is_note_text(std::string_view text) {
    return text.ends_with('\n') && code_points(text) &&
           std::ranges::none_of(text, [](char c) { return is_control(c) && c != '\n'; });
}

VerifierKey::VerifierKey(std::string name, KeyType type, crypto::PublicKey key)
    : name_(std::move(name)), type_(type), key_(std::move(key)), id_(key_id_of(name_, type_, point())) {}

std::expected<VerifierKey, std::string> VerifierKey::from_ed25519(std::string name, KeyType type, BytesView point) {
    if (!is_key_name(name)) return std::unexpected("the name of a key has no spaces and no '+', and is not empty");
    if (name.size() > key_name_bytes_max)
        return std::unexpected(fmt::format("the name of a key is longer than {} bytes", key_name_bytes_max));
    auto key = crypto::PublicKey::from_ed25519(point);
    if (!key) return std::unexpected(std::move(key.error()));
    return VerifierKey(std::move(name), type, std::move(*key));
}

std::expected<VerifierKey, std::string> VerifierKey::parse(std::string_view vkey) {
    auto read = read_key_text(vkey, point_size);
    if (!read) return std::unexpected(std::move(read.error()));
    auto key = from_ed25519(std::move(read->name), read->type, read->material);
    if (!key) return key;
    if (auto checked = check_id(read->id, *key); !checked) return std::unexpected(std::move(checked.error()));
    return key;
}

std::string VerifierKey::text() const { return key_text("", *this, point()); }

bool VerifierKey::verify(std::string_view note_text, BytesView signature) const {
    if (type_ == KeyType::ed25519) return key_.verify(note_text, signature);
    const auto time = cosignature_time(signature);
    return time && key_.verify(cosigned_message(note_text, *time), signature.subspan(time_size));
}

std::optional<std::chrono::sys_seconds> cosignature_time(BytesView signature) {
    if (signature.size() < time_size) return std::nullopt;
    std::uint64_t time = 0;
    for (const std::uint8_t byte : signature.first(time_size)) time = time << 8 | byte;
    if (time > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
    return std::chrono::sys_seconds{std::chrono::seconds{static_cast<std::int64_t>(time)}};
}

std::expected<NoteSigner, std::string> NoteSigner::from_seed(std::string name, KeyType type, BytesView seed) {
    auto key = crypto::PrivateKey::from_ed25519_seed(seed);
    if (!key) return std::unexpected(std::move(key.error()));
    auto verifier = VerifierKey::from_ed25519(std::move(name), type, key->public_key().ed25519());
    if (!verifier) return std::unexpected(std::move(verifier.error()));
    return NoteSigner(std::move(*key), std::move(*verifier));
}

std::expected<NoteSigner, std::string> NoteSigner::generate(std::string name, KeyType type) {
    Bytes seed = crypto::random_bytes(seed_size);
    auto signer = from_seed(std::move(name), type, seed);
    crypto::wipe(seed);
    return signer;
}

std::expected<NoteSigner, std::string> NoteSigner::parse(std::string_view text) {
    if (!text.starts_with(private_mark)) return std::unexpected("a private key begins with PRIVATE+KEY+");
    auto read = read_key_text(text.substr(private_mark.size()), seed_size);
    if (!read) return std::unexpected(std::move(read.error()));
    auto signer = from_seed(std::move(read->name), read->type, read->material);
    crypto::wipe(read->material);
    if (!signer) return signer;
    if (auto checked = check_id(read->id, signer->verifier()); !checked)
        return std::unexpected(std::move(checked.error()));
    return signer;
}

std::string NoteSigner::text() const {
    Bytes seed = key_.ed25519_seed();
    std::string text = key_text(private_mark, verifier_, seed);
    crypto::wipe(seed);
    return text;
}

void NoteSigner::require(KeyType type, std::string_view note_text) const {
    if (verifier_.type() != type) throw std::logic_error("the key " + verifier_.name() + " signs in another form");
    if (!is_note_text(note_text)) throw std::invalid_argument("not the text of a note");
}

NoteSignature NoteSigner::signature(Bytes bytes) const { return {verifier_.name(), verifier_.id(), std::move(bytes)}; }

NoteSignature NoteSigner::sign(std::string_view note_text) const {
    require(KeyType::ed25519, note_text);
    const std::string signed_bytes = key_.sign(note_text);
    return signature({signed_bytes.begin(), signed_bytes.end()});
}

NoteSignature NoteSigner::cosign(std::string_view note_text, std::chrono::sys_seconds time) const {
    require(KeyType::cosignature, note_text);
    const auto since_epoch = time.time_since_epoch().count();
    if (since_epoch < 0) throw std::invalid_argument("a cosignature of a time before 1970");
    Bytes bytes;
    for (std::size_t shift = 8 * time_size; shift > 0; shift -= 8)
        bytes.push_back(static_cast<std::uint8_t>(since_epoch >> (shift - 8) & 0xFF));
    const std::string signed_bytes = key_.sign(cosigned_message(note_text, time));
    bytes.insert(bytes.end(), signed_bytes.begin(), signed_bytes.end());
    return signature(std::move(bytes));
}

}  // namespace consentry::tlog
