// Timestamps and certificates of another time, for tests: OpenSSL's command line goes by the clock.
#pragma once

#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

#include <openssl/pem.h>
#include <openssl/ts.h>
#include <openssl/x509.h>

#include "crypto/openssl_handles.hpp"

namespace consentry::tests {

namespace forge {

using crypto::Handle;
using File = crypto::BioHandle;
using Certificate = Handle<X509, X509_free>;
using Key = crypto::KeyHandle;

inline void check(bool done) {
    if (!done) throw std::runtime_error("OpenSSL refuses to forge a timestamp");
}

inline Certificate certificate_in(const std::filesystem::path& path) {
    const File file(BIO_new_file(path.c_str(), "r"));
    return Certificate(PEM_read_bio_X509(file.get(), nullptr, nullptr, nullptr));
}

inline Key key_in(const std::filesystem::path& path) {
    const File file(BIO_new_file(path.c_str(), "r"));
    return Key(PEM_read_bio_PrivateKey(file.get(), nullptr, nullptr, nullptr));
}

}  // namespace forge

// An authority's files.
struct SigningFiles {
    std::filesystem::path certificate;  // signs itself
    std::filesystem::path key;
};

// Replaces the certificate with one that was valid in the given stretch.
inline void redate(const SigningFiles& files, std::chrono::sys_seconds from, std::chrono::sys_seconds to) {
    const auto certificate = forge::certificate_in(files.certificate);
    const auto key = forge::key_in(files.key);
    forge::check(certificate && key);
    ASN1_TIME_set(X509_getm_notBefore(certificate.get()), std::chrono::system_clock::to_time_t(from));
    ASN1_TIME_set(X509_getm_notAfter(certificate.get()), std::chrono::system_clock::to_time_t(to));
    forge::check(X509_sign(certificate.get(), key.get(), EVP_sha256()) > 0);
    const forge::File out(BIO_new_file(files.certificate.c_str(), "w"));
    forge::check(PEM_write_bio_X509(out.get(), certificate.get()) == 1);
}

// The answer to the query that the authority gave at that time.
inline std::string stamp_of(std::string_view query, const SigningFiles& files, std::chrono::sys_seconds time) {
    const auto certificate = forge::certificate_in(files.certificate);
    const auto key = forge::key_in(files.key);
    const forge::Handle<TS_RESP_CTX, TS_RESP_CTX_free> authority(TS_RESP_CTX_new());
    const forge::Handle<ASN1_OBJECT, ASN1_OBJECT_free> policy(OBJ_txt2obj("1.2.3.4", 1));
    forge::check(certificate && key && authority && policy);
    forge::check(TS_RESP_CTX_set_signer_cert(authority.get(), certificate.get()) == 1 &&
                 TS_RESP_CTX_set_signer_key(authority.get(), key.get()) == 1 &&
                 TS_RESP_CTX_set_signer_digest(authority.get(), EVP_sha256()) == 1 &&
                 TS_RESP_CTX_set_ess_cert_id_digest(authority.get(), EVP_sha256()) == 1 &&
                 TS_RESP_CTX_set_def_policy(authority.get(), policy.get()) == 1 &&
                 TS_RESP_CTX_add_md(authority.get(), EVP_sha256()) == 1);
    TS_RESP_CTX_set_time_cb(
        authority.get(),
        [](TS_resp_ctx*, void* at, long* seconds, long* microseconds) {
            *seconds = std::chrono::system_clock::to_time_t(*static_cast<std::chrono::sys_seconds*>(at));
            *microseconds = 0;
            return 1;
        },
        &time);
    TS_RESP_CTX_set_serial_cb(
        authority.get(),
        [](TS_resp_ctx*, void*) {
            ASN1_INTEGER* const serial = ASN1_INTEGER_new();
            ASN1_INTEGER_set(serial, 1);
            return serial;
        },
        nullptr);
    const forge::File question(BIO_new_mem_buf(query.data(), static_cast<int>(query.size())));
    const forge::Handle<TS_RESP, TS_RESP_free> answer(TS_RESP_create_response(authority.get(), question.get()));
    forge::check(answer != nullptr);
    std::string out(static_cast<std::size_t>(i2d_TS_RESP(answer.get(), nullptr)), '\0');
    auto* end = reinterpret_cast<unsigned char*>(out.data());
    i2d_TS_RESP(answer.get(), &end);
    return out;
}

}  // namespace consentry::tests
