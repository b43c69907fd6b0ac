#include "crypto/aead.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "crypto/digest.hpp"
#include "crypto/openssl_handles.hpp"
#include "crypto/random.hpp"

namespace consentry::crypto {
namespace {

constexpr std::size_t key_size = 32;
constexpr std::size_t iv_size = 12;
constexpr std::size_t tag_size = 16;
// OpenSSL's lengths are int; records have only a few dozen bytes.
constexpr std::size_t message_size_max = std::numeric_limits<int>::max() - tag_size;

const EVP_CIPHER* aes_256_gcm() {
    static const CipherHandle cipher(EVP_CIPHER_fetch(nullptr, "AES-256-GCM", nullptr));
    require(cipher != nullptr, "AES-256-GCM");
    return cipher.get();
}

int length(BytesView bytes) { return static_cast<int>(bytes.size()); }

}  // namespace

Bytes aes_256_gcm_seal(BytesView key, BytesView iv, BytesView plain, BytesView associated) {
    if (key.size() != key_size || iv.size() != iv_size)
        throw std::invalid_argument("AES-256-GCM takes a key of 32 and an IV of 12 bytes");
    if (plain.size() > message_size_max || associated.size() > message_size_max)
        throw std::invalid_argument("AES-256-GCM: message too long");
    const CipherContext context(EVP_CIPHER_CTX_new());
    require(context != nullptr, "AES-256-GCM");
    Bytes out(plain.size() + tag_size);
    int written = 0;
    require(EVP_EncryptInit_ex2(context.get(), aes_256_gcm(), key.data(), iv.data(), nullptr) == 1, "AES-256-GCM");
    if (!associated.empty())
        require(EVP_EncryptUpdate(context.get(), nullptr, &written, associated.data(), length(associated)) == 1,
                "AES-256-GCM");
    if (!plain.empty())
        require(EVP_EncryptUpdate(context.get(), out.data(), &written, plain.data(), length(plain)) == 1,
                "AES-256-GCM");
    std::uint8_t* tag = out.data() + plain.size();
    require(EVP_EncryptFinal_ex(context.get(), tag, &written) == 1 && written == 0 &&
                EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_GET_TAG, tag_size, tag) == 1,
            "AES-256-GCM");
    return out;
}

std::optional<Bytes> aes_256_gcm_open(BytesView key, BytesView iv, BytesView ciphertext_and_tag, BytesView associated) {
    if (key.size() != key_size || iv.size() != iv_size || ciphertext_and_tag.size() < tag_size ||
        ciphertext_and_tag.size() > message_size_max || associated.size() > message_size_max)
        return std::nullopt;
    const ErrorsForgotten forgotten;
    const BytesView ciphertext = ciphertext_and_tag.first(ciphertext_and_tag.size() - tag_size);
    Bytes tag(ciphertext_and_tag.end() - tag_size, ciphertext_and_tag.end());
    const CipherContext context(EVP_CIPHER_CTX_new());
    require(context != nullptr, "AES-256-GCM");
    Bytes plain(ciphertext.size());
    int written = 0;
    require(EVP_DecryptInit_ex2(context.get(), aes_256_gcm(), key.data(), iv.data(), nullptr) == 1 &&
                EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_SET_TAG, tag_size, tag.data()) == 1,
            "AES-256-GCM");
    if (!associated.empty())
        require(EVP_DecryptUpdate(context.get(), nullptr, &written, associated.data(), length(associated)) == 1,
                "AES-256-GCM");
    if (!ciphertext.empty())
        require(EVP_DecryptUpdate(context.get(), plain.data(), &written, ciphertext.data(), length(ciphertext)) == 1,
                "AES-256-GCM");
    std::uint8_t nothing = 0;
    if (EVP_DecryptFinal_ex(context.get(), &nothing, &written) != 1) {
        wipe(plain);  // decrypted but not authenticated: must not be returned
        return std::nullopt;
    }
    return plain;
}

SealingKeys::SealingKeys(const std::vector<std::string>& secrets, std::string_view purpose) : purpose_(purpose) {
    if (secrets.empty()) throw std::invalid_argument("sealing needs at least one secret");
    for (const std::string& secret : secrets) {
        Bytes derived = hkdf_sha256(as_bytes(secret), purpose, key_size);
        const Sha256 digest = sha256(derived);
        const auto id = to_array<KeyId>(BytesView(digest).first(sizeof(KeyId))).value();
        keys_.push_back({id, std::move(derived)});
    }
}

SealingKeys::~SealingKeys() {
    for (Key& key : keys_) wipe(key.bytes);
}

Bytes SealingKeys::bind(const KeyId& id, BytesView associated) const {
    // The length of the purpose comes first, so that no two triples yield the same bytes.
    Bytes out;
    out.reserve(4 + purpose_.size() + id.size() + associated.size());
    for (int shift = 24; shift >= 0; shift -= 8)
        out.push_back(static_cast<std::uint8_t>(purpose_.size() >> shift & 0xFF));
    out.insert(out.end(), purpose_.begin(), purpose_.end());
    out.insert(out.end(), id.begin(), id.end());
    out.insert(out.end(), associated.begin(), associated.end());
    return out;
}

SealingKeys::Sealed SealingKeys::seal(BytesView plain, BytesView associated) const {
    const Key& key = keys_.front();
    Sealed out{.iv = random_bytes(iv_size), .bytes = Bytes(key.id.begin(), key.id.end())};
    const Bytes ciphertext = aes_256_gcm_seal(key.bytes, out.iv, plain, bind(key.id, associated));
    out.bytes.insert(out.bytes.end(), ciphertext.begin(), ciphertext.end());
    return out;
}

Bytes SealingKeys::seal_in_one(BytesView plain, BytesView associated) const {
    auto [out, bytes] = seal(plain, associated);
    out.insert(out.end(), bytes.begin(), bytes.end());
    return out;
}

std::optional<Bytes> SealingKeys::open(const Sealed& sealed, BytesView associated) const {
    return open(sealed.iv, sealed.bytes, associated);
}

std::optional<Bytes> SealingKeys::open_in_one(BytesView sealed, BytesView associated) const {
    if (sealed.size() < iv_size) return std::nullopt;
    return open(sealed.first(iv_size), sealed.subspan(iv_size), associated);
}

std::optional<Bytes> SealingKeys::open(BytesView iv, BytesView bytes, BytesView associated) const {
    if (bytes.size() < std::tuple_size_v<KeyId>) return std::nullopt;
    for (const Key& key : keys_) {  // two keys may share a four-byte id, so try each
        if (!std::ranges::equal(key.id, bytes.first(key.id.size()))) continue;
        auto plain = aes_256_gcm_open(key.bytes, iv, bytes.subspan(key.id.size()), bind(key.id, associated));
        if (plain) return plain;
    }
    return std::nullopt;
}

bool SealingKeys::sealed_with_first(const Sealed& sealed) const {
    const KeyId& id = keys_.front().id;
    return sealed.bytes.size() >= id.size() && std::equal(id.begin(), id.end(), sealed.bytes.begin());
}

std::vector<Bytes> SealingKeys::ids() const {
    std::vector<Bytes> out;
    out.reserve(keys_.size());
    for (const Key& key : keys_) out.emplace_back(key.id.begin(), key.id.end());
    return out;
}

}  // namespace consentry::crypto
