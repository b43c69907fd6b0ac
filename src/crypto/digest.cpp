#include "crypto/digest.hpp"

#include <cstring>

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>

#include "crypto/openssl_handles.hpp"
#include "crypto/sha2.hpp"

namespace consentry::crypto {
namespace {

// OpenSSL 3 looks the algorithm up by name for every digest without a prepared context, which takes a third of the time
// for a short message. Each thread therefore keeps a context that is already bound to its algorithm.
class KeptDigest {
public:
    explicit KeptDigest(const char* name)
        : algorithm_(EVP_MD_fetch(nullptr, name, nullptr)), context_(EVP_MD_CTX_new()) {
        require(algorithm_ && context_, name);
        require(EVP_DigestInit_ex2(context_.get(), algorithm_.get(), nullptr) == 1, name);
    }
    void operator()(BytesView message, std::span<std::uint8_t> out) {
        require(EVP_DigestInit_ex2(context_.get(), nullptr, nullptr) == 1 &&
                    EVP_DigestUpdate(context_.get(), message.data(), message.size()) == 1 &&
                    EVP_DigestFinal_ex(context_.get(), out.data(), nullptr) == 1,
                "digest");
    }

private:
    DigestHandle algorithm_;
    DigestContext context_;
};

class KeptHmac {
public:
    explicit KeptHmac(const char* digest) {
        const MacHandle mac(EVP_MAC_fetch(nullptr, "HMAC", nullptr));
        require(mac != nullptr, "HMAC");
        context_.reset(EVP_MAC_CTX_new(mac.get()));
        std::string name(digest);
        const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name.data(), 0),
                                         OSSL_PARAM_construct_end()};
        require(context_ && EVP_MAC_CTX_set_params(context_.get(), parameters) == 1, "HMAC");
    }
    void operator()(BytesView key, BytesView message, std::span<std::uint8_t> out) {
        // OpenSSL takes a null key as "reuse the previous key", and an empty span may have a null pointer.
        static constexpr std::uint8_t nothing = 0;
        const std::uint8_t* key_data = key.empty() ? &nothing : key.data();
        std::size_t written = 0;
        require(EVP_MAC_init(context_.get(), key_data, key.size(), nullptr) == 1 &&
                    EVP_MAC_update(context_.get(), message.data(), message.size()) == 1 &&
                    EVP_MAC_final(context_.get(), out.data(), &written, out.size()) == 1 && written == out.size(),
                "HMAC");
    }

private:
    MacContext context_;
};

template <class Secret>
void wipe_all(Secret& secret) {
    secret.resize(secret.capacity());  // text truncated earlier may remain beyond the end
    OPENSSL_cleanse(secret.data(), secret.size());
    secret.clear();
}

}  // namespace

Sha256 sha256(BytesView message) {
    thread_local KeptDigest digest("SHA256");
    Sha256 out;
    digest(message, out);
    return out;
}
Sha256 sha256(std::string_view message) { return sha256(as_bytes(message)); }

std::array<std::uint8_t, 48> sha384(BytesView message) {
    thread_local KeptDigest digest("SHA384");
    std::array<std::uint8_t, 48> out;
    digest(message, out);
    return out;
}
std::array<std::uint8_t, 64> sha512(BytesView message) {
    thread_local KeptDigest digest("SHA512");
    std::array<std::uint8_t, 64> out;
    digest(message, out);
    return out;
}

std::array<std::uint8_t, 16> md5(std::string_view message) {
    thread_local KeptDigest digest("MD5");
    std::array<std::uint8_t, 16> out;
    digest(as_bytes(message), out);
    return out;
}

Sha256 hmac_sha256(BytesView key, BytesView message) {
    thread_local KeptHmac hmac("SHA256");
    Sha256 out;
    hmac(key, message, out);
    return out;
}
std::array<std::uint8_t, 20> hmac_sha1(BytesView key, BytesView message) {
    thread_local KeptHmac hmac("SHA1");
    std::array<std::uint8_t, 20> out;
    hmac(key, message, out);
    return out;
}

Bytes hkdf_sha256(BytesView secret, BytesView salt, BytesView info, std::size_t length) {
    if (secret.empty()) throw std::invalid_argument("no key is derived from an empty secret");
    if (length == 0 || length > 255 * sizeof(Sha256))
        throw std::invalid_argument("HKDF-SHA-256 yields 1 to 8160 bytes");
    const KdfHandle kdf(EVP_KDF_fetch(nullptr, "HKDF", nullptr));
    const KdfContext context(kdf ? EVP_KDF_CTX_new(kdf.get()) : nullptr);
    require(context != nullptr, "HKDF");

    // OSSL_PARAM has no const variant; the values are only read.
    const auto octets = [](const char* name, BytesView value) {
        return OSSL_PARAM_construct_octet_string(name, const_cast<std::uint8_t*>(value.data()), value.size());
    };
    std::string digest = "SHA256";
    std::array<OSSL_PARAM, 5> parameters{};
    std::size_t count = 0;
    parameters[count++] = OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest.data(), 0);
    parameters[count++] = octets(OSSL_KDF_PARAM_KEY, secret);
    if (!salt.empty()) parameters[count++] = octets(OSSL_KDF_PARAM_SALT, salt);
    if (!info.empty()) parameters[count++] = octets(OSSL_KDF_PARAM_INFO, info);
    parameters[count] = OSSL_PARAM_construct_end();

    Bytes out(length);
    require(EVP_KDF_derive(context.get(), out.data(), out.size(), parameters.data()) == 1, "HKDF");
    return out;
}
Bytes hkdf_sha256(BytesView secret, std::string_view label, std::size_t length) {
    return hkdf_sha256(secret, BytesView{}, as_bytes(label), length);
}

bool equal_constant_time(BytesView a, BytesView b) {
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

void wipe(std::string& secret) { wipe_all(secret); }
void wipe(Bytes& secret) { wipe_all(secret); }

}  // namespace consentry::crypto
