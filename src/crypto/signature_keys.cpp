#include "crypto/signature_keys.hpp"

#include <algorithm>

#include <openssl/core_names.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <sodium.h>

#include "crypto/digest.hpp"
#include "crypto/key_parts.hpp"
#include "crypto/sha2.hpp"

namespace consentry::crypto {
namespace {

constexpr AlgorithmFacts facts[] = {
    {SignatureAlgorithm::es256, "ES256", "P-256", "prime256v1", 32},
    {SignatureAlgorithm::es384, "ES384", "P-384", "secp384r1", 48},
    {SignatureAlgorithm::es512, "ES512", "P-521", "secp521r1", 66},
    {SignatureAlgorithm::eddsa, "EdDSA", "Ed25519", "ED25519", 32},
    {SignatureAlgorithm::rs256, "RS256", "", "", 0},
};

bool is_ecdsa(SignatureAlgorithm algorithm) {
    return algorithm != SignatureAlgorithm::eddsa && algorithm != SignatureAlgorithm::rs256;
}

// Holds the digest of any algorithm without an allocation.
struct Digest {
    std::array<std::uint8_t, 64> bytes{};
    std::size_t size = 0;
    explicit Digest(SignatureAlgorithm algorithm, BytesView message) {
        const auto keep = [this](const auto& digest) {
            size = digest.size();
            std::ranges::copy(digest, bytes.begin());
        };
        if (algorithm == SignatureAlgorithm::es384)
            keep(sha384(message));
        else if (algorithm == SignatureAlgorithm::es512)
            keep(sha512(message));
        else
            keep(sha256(message));
    }
};

Bytes der_of_public(EVP_PKEY* key) {
    unsigned char* out = nullptr;
    const int size = i2d_PUBKEY(key, &out);
    require(size > 0, "writing a public key");
    Bytes der(out, out + size);
    OPENSSL_free(out);
    return der;
}

// By way of its numbers: reading a key in DER lets OpenSSL 3.0 look through all of its decoders, which takes a start
// half a millisecond per key.
KeyHandle public_half(EVP_PKEY* key) {
    OSSL_PARAM* numbers = nullptr;
    require(EVP_PKEY_todata(key, EVP_PKEY_PUBLIC_KEY, &numbers) == 1, "reading a public key");
    const Parameters owned(numbers);
    const KeyContext context(EVP_PKEY_CTX_new_from_pkey(nullptr, key, nullptr));
    EVP_PKEY* half = nullptr;
    require(context && EVP_PKEY_fromdata_init(context.get()) == 1 &&
                EVP_PKEY_fromdata(context.get(), &half, EVP_PKEY_PUBLIC_KEY, numbers) == 1,
            "reading a public key");
    return KeyHandle(half);
}

BioHandle reading(std::string_view text) {
    BioHandle bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
    require(bio != nullptr, "memory");
    return bio;
}

// Without this callback OpenSSL prompts for a pass phrase on the terminal.
int no_pass_phrase(char*, int, int, void*) { return -1; }

constexpr std::size_t key_text_size_max = 16384;

}  // namespace

const AlgorithmFacts& facts_of(SignatureAlgorithm algorithm) { return facts[static_cast<std::size_t>(algorithm)]; }

std::string_view name_of(SignatureAlgorithm algorithm) { return facts_of(algorithm).name; }

std::optional<SignatureAlgorithm> find_algorithm(std::string_view exact) {
    for (const AlgorithmFacts& known : facts)
        if (known.name == exact && known.algorithm != SignatureAlgorithm::rs256) return known.algorithm;
    return std::nullopt;
}

std::expected<PublicKey, std::string> PublicKey::from_spki_der(BytesView der, SignatureAlgorithm algorithm) {
    const ErrorsForgotten forgotten;
    if (der.empty() || der.size() > key_text_size_max) return std::unexpected("not a public key in DER");
    const unsigned char* at = der.data();
    KeyHandle key(d2i_PUBKEY(nullptr, &at, static_cast<long>(der.size())));
    if (!key || at != der.data() + der.size()) return std::unexpected("not a public key (SubjectPublicKeyInfo) in DER");
    return adopt(key.release(), algorithm);
}

std::expected<PublicKey, std::string> PublicKey::from_pem(std::string_view pem, SignatureAlgorithm algorithm) {
    const ErrorsForgotten forgotten;
    if (pem.empty() || pem.size() > key_text_size_max)
        return std::unexpected("not a public key in PEM: empty or too long");
    const BioHandle bio = reading(pem);
    KeyHandle key(PEM_read_bio_PUBKEY(bio.get(), nullptr, no_pass_phrase, nullptr));
    if (!key) return std::unexpected("not a public key in PEM (BEGIN PUBLIC KEY)");
    return adopt(key.release(), algorithm);
}

std::expected<PublicKey, std::string> PublicKey::from_ed25519(BytesView point) {
    const ErrorsForgotten forgotten;
    KeyHandle key(EVP_PKEY_new_raw_public_key_ex(nullptr, "ED25519", nullptr, point.data(), point.size()));
    if (!key) return std::unexpected("an Ed25519 public key has 32 bytes");
    return adopt(key.release(), SignatureAlgorithm::eddsa);
}

SignatureAlgorithm PublicKey::algorithm() const { return parts_->facts->algorithm; }

bool PublicKey::verify(std::string_view signing_input, BytesView raw_signature) const {
    const ErrorsForgotten forgotten;
    const BytesView message = as_bytes(signing_input);
    if (algorithm() == SignatureAlgorithm::eddsa) {
        // libsodium's Ed25519 is twice as fast as OpenSSL 3.0's and needs no context.
        return raw_signature.size() == crypto_sign_BYTES &&
               crypto_sign_verify_detached(raw_signature.data(), message.data(), message.size(),
                                           parts_->ed25519.data()) == 0;
    }
    Bytes der;
    BytesView signature = raw_signature;
    if (is_ecdsa(algorithm())) {
        const std::size_t half = parts_->facts->integer_bytes;
        if (raw_signature.size() != 2 * half) return false;
        const int half_size = static_cast<int>(half);
        BignumHandle r(BN_bin2bn(raw_signature.data(), half_size, nullptr));
        BignumHandle s(BN_bin2bn(raw_signature.data() + half, half_size, nullptr));
        const EcdsaSignature pair(ECDSA_SIG_new());
        require(r && s && pair, "memory");
        // CVE-2022-21449: zeros satisfy the equation in implementations that do not check for them. The library checks
        // the upper bound.
        if (BN_is_zero(r.get()) || BN_is_zero(s.get())) return false;
        require(ECDSA_SIG_set0(pair.get(), r.release(), s.release()) == 1, "ECDSA");
        der.resize(2 * half + 16);
        unsigned char* at = der.data();
        const int size = i2d_ECDSA_SIG(pair.get(), &at);
        require(size > 0, "ECDSA");
        signature = BytesView(der).first(static_cast<std::size_t>(size));
    }
    const Digest digest(algorithm(), message);
    const KeyContext context(EVP_PKEY_CTX_dup(parts_->verifier.get()));
    require(context != nullptr, "memory");
    return EVP_PKEY_verify(context.get(), signature.data(), signature.size(), digest.bytes.data(), digest.size) == 1;
}

boost::json::object PublicKey::jwk() const { return parts_->jwk; }

Bytes PublicKey::spki_der() const { return der_of_public(parts_->key.get()); }

Bytes PublicKey::ed25519() const {
    if (algorithm() != SignatureAlgorithm::eddsa) throw std::logic_error("not an Ed25519 key");
    return {parts_->ed25519.begin(), parts_->ed25519.end()};
}

struct PrivateKey::Parts {
    KeyHandle key;
    KeyContext signer;  // see PublicKey::Parts::verifier
    PublicKey public_key;
    std::array<std::uint8_t, crypto_sign_SECRETKEYBYTES> ed25519{};

    Parts(KeyHandle owned, PublicKey verifying) : key(std::move(owned)), public_key(std::move(verifying)) {}
    ~Parts() { sodium_memzero(ed25519.data(), ed25519.size()); }
    Parts(const Parts&) = delete;
    Parts& operator=(const Parts&) = delete;
};

std::expected<PrivateKey, std::string> PrivateKey::adopt(evp_pkey_st* owned, SignatureAlgorithm algorithm) {
    KeyHandle key(owned);
    if (algorithm == SignatureAlgorithm::rs256) return std::unexpected("RS256 is not an algorithm to sign with");
    auto public_key = PublicKey::adopt(public_half(key.get()).release(), algorithm);
    if (!public_key) return std::unexpected(public_key.error());
    auto parts = std::make_shared<Parts>(std::move(key), std::move(*public_key));
    if (algorithm == SignatureAlgorithm::eddsa) {
        std::array<std::uint8_t, crypto_sign_SEEDBYTES> seed{};
        std::array<std::uint8_t, crypto_sign_PUBLICKEYBYTES> verifying{};
        std::size_t size = seed.size();
        const bool read = EVP_PKEY_get_raw_private_key(parts->key.get(), seed.data(), &size) == 1;
        if (read) crypto_sign_seed_keypair(verifying.data(), parts->ed25519.data(), seed.data());
        sodium_memzero(seed.data(), seed.size());
        if (!read) return std::unexpected("not an Ed25519 private key");
        if (verifying != parts->public_key.parts_->ed25519)
            return std::unexpected("the public and private halves do not match");
    } else {
        const KeyContext check(EVP_PKEY_CTX_new_from_pkey(nullptr, parts->key.get(), nullptr));
        require(check != nullptr, "memory");
        if (EVP_PKEY_pairwise_check(check.get()) != 1)
            return std::unexpected("the public and private halves do not match");
        parts->signer.reset(EVP_PKEY_CTX_new_from_pkey(nullptr, parts->key.get(), nullptr));
        require(parts->signer && EVP_PKEY_sign_init(parts->signer.get()) == 1, "signing");
    }
    return PrivateKey(std::move(parts));
}

PrivateKey PrivateKey::generate(SignatureAlgorithm algorithm) {
    if (algorithm == SignatureAlgorithm::rs256) throw std::invalid_argument("RS256 is not an algorithm to sign with");
    const AlgorithmFacts& chosen = facts_of(algorithm);
    EVP_PKEY* key = is_ecdsa(algorithm) ? EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", chosen.group)
                                        : EVP_PKEY_Q_keygen(nullptr, nullptr, chosen.group);
    require(key != nullptr, "making a key");
    auto made = adopt(key, algorithm);
    require(made.has_value(), "making a key");
    return std::move(*made);
}

std::expected<PrivateKey, std::string> PrivateKey::from_pkcs8_der(BytesView der, SignatureAlgorithm algorithm) {
    const ErrorsForgotten forgotten;
    if (der.empty() || der.size() > key_text_size_max) return std::unexpected("not a private key in DER");
    const unsigned char* at = der.data();
    const Pkcs8Handle info(d2i_PKCS8_PRIV_KEY_INFO(nullptr, &at, static_cast<long>(der.size())));
    if (!info || at != der.data() + der.size()) return std::unexpected("not a private key (PKCS#8) in DER");
    KeyHandle key(EVP_PKCS82PKEY(info.get()));
    if (!key) return std::unexpected("not a private key of a supported type");
    return adopt(key.release(), algorithm);
}

std::expected<PrivateKey, std::string> PrivateKey::from_pem(std::string_view pem, SignatureAlgorithm algorithm) {
    const ErrorsForgotten forgotten;
    if (pem.empty() || pem.size() > key_text_size_max)
        return std::unexpected("not a private key in PEM: empty or too long");
    const BioHandle bio = reading(pem);
    const Pkcs8Handle info(PEM_read_bio_PKCS8_PRIV_KEY_INFO(bio.get(), nullptr, no_pass_phrase, nullptr));
    if (!info) return std::unexpected("not a private key in PEM (PKCS#8: BEGIN PRIVATE KEY)");
    KeyHandle key(EVP_PKCS82PKEY(info.get()));
    if (!key) return std::unexpected("not a private key of a supported type");
    return adopt(key.release(), algorithm);
}

std::expected<PrivateKey, std::string> PrivateKey::from_ed25519_seed(BytesView seed) {
    const ErrorsForgotten forgotten;
    KeyHandle key(EVP_PKEY_new_raw_private_key_ex(nullptr, "ED25519", nullptr, seed.data(), seed.size()));
    if (!key) return std::unexpected("the seed of an Ed25519 key has 32 bytes");
    return adopt(key.release(), SignatureAlgorithm::eddsa);
}

Bytes PrivateKey::ed25519_seed() const {
    if (algorithm() != SignatureAlgorithm::eddsa) throw std::logic_error("not an Ed25519 key");
    // libsodium's form of a secret key is the seed, then the public key.
    return {parts_->ed25519.begin(), parts_->ed25519.begin() + crypto_sign_SEEDBYTES};
}

Bytes PrivateKey::pkcs8_der() const {
    const Pkcs8Handle info(EVP_PKEY2PKCS8(parts_->key.get()));
    require(info != nullptr, "writing a private key");
    unsigned char* out = nullptr;
    const int size = i2d_PKCS8_PRIV_KEY_INFO(info.get(), &out);
    require(size > 0, "writing a private key");
    Bytes der(out, out + size);
    OPENSSL_clear_free(out, static_cast<std::size_t>(size));
    return der;
}

std::string PrivateKey::pem() const {
    const BioHandle bio(BIO_new(BIO_s_secmem()));
    require(
        bio && PEM_write_bio_PKCS8PrivateKey(bio.get(), parts_->key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1,
        "writing a private key");
    char* text = nullptr;
    const long size = BIO_get_mem_data(bio.get(), &text);
    require(size > 0, "writing a private key");
    return {text, static_cast<std::size_t>(size)};
}

PublicKey PrivateKey::public_key() const { return parts_->public_key; }
SignatureAlgorithm PrivateKey::algorithm() const { return parts_->public_key.algorithm(); }

std::string PrivateKey::sign(std::string_view signing_input) const {
    const BytesView message = as_bytes(signing_input);
    if (algorithm() == SignatureAlgorithm::eddsa) {
        std::string out(crypto_sign_BYTES, '\0');
        require(crypto_sign_detached(reinterpret_cast<unsigned char*>(out.data()), nullptr, message.data(),
                                     message.size(), parts_->ed25519.data()) == 0,
                "Ed25519");
        return out;
    }
    const Digest digest(algorithm(), message);
    const KeyContext context(EVP_PKEY_CTX_dup(parts_->signer.get()));
    std::array<std::uint8_t, 160> der{};  // P-521 needs 139
    std::size_t size = der.size();
    require(context && EVP_PKEY_sign(context.get(), der.data(), &size, digest.bytes.data(), digest.size) == 1, "ECDSA");
    const unsigned char* at = der.data();
    const EcdsaSignature pair(d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(size)));
    require(pair != nullptr, "ECDSA");
    const std::size_t half = facts_of(algorithm()).integer_bytes;
    std::string out(2 * half, '\0');
    auto* raw = reinterpret_cast<unsigned char*>(out.data());
    require(BN_bn2binpad(ECDSA_SIG_get0_r(pair.get()), raw, static_cast<int>(half)) > 0 &&
                BN_bn2binpad(ECDSA_SIG_get0_s(pair.get()), raw + half, static_cast<int>(half)) > 0,
            "ECDSA");
    return out;
}

}  // namespace consentry::crypto
