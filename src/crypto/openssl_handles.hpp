// RAII owners for OpenSSL objects. Private to this folder: no public header includes it.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/x509.h>

namespace consentry::crypto {

template <auto release>
struct Releaser {
    template <class T>
    void operator()(T* object) const {
        release(object);
    }
};
template <class T, auto release>
using Handle = std::unique_ptr<T, Releaser<release>>;

using BignumHandle = Handle<BIGNUM, BN_clear_free>;
using BioHandle = Handle<BIO, BIO_free_all>;
using CipherContext = Handle<EVP_CIPHER_CTX, EVP_CIPHER_CTX_free>;
using CipherHandle = Handle<EVP_CIPHER, EVP_CIPHER_free>;
using DigestContext = Handle<EVP_MD_CTX, EVP_MD_CTX_free>;
using DigestHandle = Handle<EVP_MD, EVP_MD_free>;
using EcdsaSignature = Handle<ECDSA_SIG, ECDSA_SIG_free>;
using KdfContext = Handle<EVP_KDF_CTX, EVP_KDF_CTX_free>;
using KdfHandle = Handle<EVP_KDF, EVP_KDF_free>;
using KeyContext = Handle<EVP_PKEY_CTX, EVP_PKEY_CTX_free>;
using Parameters = Handle<OSSL_PARAM, OSSL_PARAM_free>;
using KeyHandle = Handle<EVP_PKEY, EVP_PKEY_free>;
using MacContext = Handle<EVP_MAC_CTX, EVP_MAC_CTX_free>;
using MacHandle = Handle<EVP_MAC, EVP_MAC_free>;
using Pkcs8Handle = Handle<PKCS8_PRIV_KEY_INFO, PKCS8_PRIV_KEY_INFO_free>;

// For calls that cannot fail because of their input: a failure is an outage, not a result (CRY-6).
inline void require(bool done, const char* what) {
    if (!done) throw std::runtime_error(std::string("cryptographic library: ") + what + " failed");
}

// Clears the thread's error queue where a failure is an expected result ("not genuine"): TLS on the same thread would
// mistake the leftover errors for its own.
class ErrorsForgotten {
public:
    ErrorsForgotten() { ERR_set_mark(); }
    ~ErrorsForgotten() { ERR_pop_to_mark(); }
    ErrorsForgotten(const ErrorsForgotten&) = delete;
    ErrorsForgotten& operator=(const ErrorsForgotten&) = delete;
};

}  // namespace consentry::crypto
