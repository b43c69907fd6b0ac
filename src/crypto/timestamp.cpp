#include "crypto/timestamp.hpp"

#include <algorithm>
#include <ctime>
#include <span>
#include <utility>

#include <openssl/pem.h>
#include <openssl/pkcs7.h>
#include <openssl/ts.h>

#include "crypto/openssl_handles.hpp"
#include "crypto/random.hpp"

namespace consentry::crypto {
namespace {

using AlgorithmHandle = Handle<X509_ALGOR, X509_ALGOR_free>;
using ImprintHandle = Handle<TS_MSG_IMPRINT, TS_MSG_IMPRINT_free>;
using IntegerHandle = Handle<ASN1_INTEGER, ASN1_INTEGER_free>;
using RequestHandle = Handle<TS_REQ, TS_REQ_free>;
using ResponseHandle = Handle<TS_RESP, TS_RESP_free>;
using VerifyContext = Handle<TS_VERIFY_CTX, TS_VERIFY_CTX_free>;
using CertificateHandle = Handle<X509, X509_free>;
using StoreHandle = Handle<X509_STORE, X509_STORE_free>;

constexpr std::size_t nonce_bytes = 16;
constexpr std::string_view no_timestamp = "the answer is not a timestamp";

void free_list(STACK_OF(X509) * certificates) { sk_X509_free(certificates); }  // does not own them
using BorrowedCertificates = Handle<STACK_OF(X509), free_list>;

// A granted answer, whatever it is about.
std::expected<ResponseHandle, std::string> read_answer(BytesView answer) {
    const unsigned char* at = answer.data();
    ResponseHandle response(d2i_TS_RESP(nullptr, &at, static_cast<long>(answer.size())));
    if (!response || at != answer.data() + answer.size()) return std::unexpected(std::string(no_timestamp));
    const long status = ASN1_INTEGER_get(TS_STATUS_INFO_get0_status(TS_RESP_get_status_info(response.get())));
    if (status != TS_STATUS_GRANTED && status != TS_STATUS_GRANTED_WITH_MODS)
        return std::unexpected("the authority refuses the timestamp (status " + std::to_string(status) + ")");
    return response;
}

// Of SHA-256, which the query asks for: an imprint of a weaker digest could be of another text.
bool is_of(TS_TST_INFO* info, const Sha256& digest) {
    TS_MSG_IMPRINT* imprint = TS_TST_INFO_get_msg_imprint(info);
    const ASN1_OBJECT* algorithm = nullptr;
    X509_ALGOR_get0(&algorithm, nullptr, nullptr, TS_MSG_IMPRINT_get_algo(imprint));
    const ASN1_OCTET_STRING* hash = TS_MSG_IMPRINT_get_msg(imprint);
    const std::span stamped(ASN1_STRING_get0_data(hash), static_cast<std::size_t>(ASN1_STRING_length(hash)));
    return OBJ_obj2nid(algorithm) == NID_sha256 && equal_constant_time(stamped, digest);
}

std::optional<std::chrono::sys_seconds> time_of(const TS_TST_INFO* info) {
    std::tm time{};
    if (ASN1_TIME_to_tm(TS_TST_INFO_get_time(info), &time) != 1) return std::nullopt;
    const std::chrono::year_month_day day{std::chrono::year{time.tm_year + 1900},
                                          std::chrono::month{static_cast<unsigned>(time.tm_mon + 1)},
                                          std::chrono::day{static_cast<unsigned>(time.tm_mday)}};
    if (!day.ok()) return std::nullopt;
    return std::chrono::sys_days{day} + std::chrono::hours{time.tm_hour} + std::chrono::minutes{time.tm_min} +
           std::chrono::seconds{time.tm_sec};
}

std::string text_of(BIO* text) {
    const char* begin = nullptr;
    const long size = BIO_get_mem_data(text, &begin);
    return {begin, static_cast<std::size_t>(std::max(size, 0L))};
}

// Only the signature itself: a certificate in the answer made it. Returns the certificate's subject.
std::expected<std::string, std::string> signer_of(PKCS7* token) {
    const BorrowedCertificates signers(PKCS7_get0_signers(token, nullptr, 0));
    if (!signers || sk_X509_num(signers.get()) != 1)
        return std::unexpected("the timestamp does not contain the certificate of exactly one signer");
    const BioHandle content(BIO_new(BIO_s_mem()));
    require(content != nullptr, "BIO_new");
    if (PKCS7_verify(token, nullptr, nullptr, nullptr, content.get(), PKCS7_NOVERIFY) != 1)
        return std::unexpected("the signature of the timestamp is invalid: the timestamp was altered");
    const BioHandle name(BIO_new(BIO_s_mem()));
    require(name && X509_NAME_print_ex(name.get(), X509_get_subject_name(sk_X509_value(signers.get(), 0)), 0,
                                       XN_FLAG_RFC2253) >= 0,
            "X509_NAME_print_ex");
    return text_of(name.get());
}

std::expected<StoreHandle, std::string> store_of(std::string_view pem) {
    const BioHandle text(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
    StoreHandle store(X509_STORE_new());
    require(text && store, "X509_STORE_new");
    int count = 0;
    while (const CertificateHandle one{PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr)}) {
        require(X509_STORE_add_cert(store.get(), one.get()) == 1, "X509_STORE_add_cert");
        ++count;
    }
    const unsigned long end = ERR_peek_last_error();
    if (ERR_GET_LIB(end) != ERR_LIB_PEM || ERR_GET_REASON(end) != PEM_R_NO_START_LINE)
        return std::unexpected("certificate " + std::to_string(count + 1) + " is damaged");
    if (count == 0) return std::unexpected("no certificate in PEM");
    return store;
}

// The reason that OpenSSL gives last, for people.
std::string last_reason() {
    const char* data = nullptr;
    int flags = 0;
    const unsigned long error = ERR_peek_last_error_data(&data, &flags);
    if (data != nullptr && (flags & ERR_TXT_STRING) != 0 && *data != '\0') return data;
    const char* reason = ERR_reason_error_string(error);
    return reason == nullptr ? "unknown reason" : reason;
}

// At the time of the timestamp: certificates of authorities expire, and what they have signed must not expire with
// them.
std::expected<void, std::string> check_chain(TS_RESP* response, std::string_view authorities,
                                             std::chrono::sys_seconds time) {
    auto store = store_of(authorities);
    if (!store) return std::unexpected("authorities: " + store.error());
    X509_VERIFY_PARAM_set_time(X509_STORE_get0_param(store->get()), std::chrono::system_clock::to_time_t(time));
    const VerifyContext trusted(TS_VERIFY_CTX_new());
    require(trusted != nullptr, "TS_VERIFY_CTX_new");
    TS_VERIFY_CTX_set_flags(trusted.get(), TS_VFY_VERSION | TS_VFY_SIGNATURE);
    TS_VERIFY_CTX_set_store(trusted.get(), store->release());  // frees it
    if (TS_RESP_verify_response(trusted.get(), response) == 1) return {};
    return std::unexpected("the signer of the timestamp does not lead to one of the given authorities: " +
                           last_reason());
}

// What verifiers demand of a granted answer.
std::expected<VerifiedTimestamp, std::string> verify(TS_RESP* response, const Sha256& digest,
                                                     std::optional<std::string_view> authorities) {
    PKCS7* token = TS_RESP_get_token(response);
    TS_TST_INFO* info = TS_RESP_get_tst_info(response);
    const auto time = token == nullptr || info == nullptr ? std::nullopt : time_of(info);
    if (!time) return std::unexpected(std::string(no_timestamp));
    if (!is_of(info, digest)) return std::unexpected("the timestamp is for another text");
    auto signer = signer_of(token);
    if (!signer) return std::unexpected(std::move(signer.error()));
    if (authorities)
        if (auto checked = check_chain(response, *authorities, *time); !checked)
            return std::unexpected(std::move(checked.error()));
    return VerifiedTimestamp{.time = *time, .authority = std::move(*signer)};
}

Sha256 digest_of(TS_REQ* request) {
    const ASN1_OCTET_STRING* hash = TS_MSG_IMPRINT_get_msg(TS_REQ_get_msg_imprint(request));
    const auto digest =
        to_array<Sha256>({ASN1_STRING_get0_data(hash), static_cast<std::size_t>(ASN1_STRING_length(hash))});
    require(digest.has_value(), "a digest of another length");
    return *digest;
}

}  // namespace

std::expected<void, std::string> check_certificates(std::string_view pem) {
    const ErrorsForgotten forgotten;  // the end of the text leaves one
    if (const auto store = store_of(pem); !store) return std::unexpected(store.error());
    return {};
}

Bytes timestamp_query(const Sha256& digest) {
    const RequestHandle request(TS_REQ_new());
    const ImprintHandle imprint(TS_MSG_IMPRINT_new());
    const AlgorithmHandle algorithm(X509_ALGOR_new());
    require(request && imprint && algorithm, "a timestamp query");
    require(TS_REQ_set_version(request.get(), 1) == 1, "TS_REQ_set_version");
    require(X509_ALGOR_set0(algorithm.get(), OBJ_nid2obj(NID_sha256), V_ASN1_NULL, nullptr) == 1, "X509_ALGOR_set0");
    require(TS_MSG_IMPRINT_set_algo(imprint.get(), algorithm.get()) == 1, "TS_MSG_IMPRINT_set_algo");
    Bytes hash(digest.begin(), digest.end());
    require(TS_MSG_IMPRINT_set_msg(imprint.get(), hash.data(), static_cast<int>(hash.size())) == 1,
            "TS_MSG_IMPRINT_set_msg");
    require(TS_REQ_set_msg_imprint(request.get(), imprint.get()) == 1, "TS_REQ_set_msg_imprint");
    Bytes random = random_bytes(nonce_bytes);
    random.front() |= 0x40;  // so that its length is always the same
    const BignumHandle number(BN_bin2bn(random.data(), static_cast<int>(random.size()), nullptr));
    const IntegerHandle nonce(number ? BN_to_ASN1_INTEGER(number.get(), nullptr) : nullptr);
    require(nonce && TS_REQ_set_nonce(request.get(), nonce.get()) == 1, "TS_REQ_set_nonce");
    require(TS_REQ_set_cert_req(request.get(), 1) == 1, "TS_REQ_set_cert_req");
    Bytes out(static_cast<std::size_t>(i2d_TS_REQ(request.get(), nullptr)));
    unsigned char* end = out.data();
    require(i2d_TS_REQ(request.get(), &end) == static_cast<int>(out.size()), "i2d_TS_REQ");
    return out;
}

std::expected<void, std::string> check_timestamp(BytesView answer, BytesView query) {
    const ErrorsForgotten forgotten;
    const unsigned char* at = query.data();
    const RequestHandle request(d2i_TS_REQ(nullptr, &at, static_cast<long>(query.size())));
    require(request != nullptr, "d2i_TS_REQ");
    const auto response = read_answer(answer);
    if (!response) return std::unexpected(response.error());
    const VerifyContext expected(TS_REQ_to_TS_VERIFY_CTX(request.get(), nullptr));
    require(expected != nullptr, "TS_REQ_to_TS_VERIFY_CTX");
    // Nothing about the signer: to compare its name, OpenSSL would verify the signature against authorities.
    TS_VERIFY_CTX_set_flags(expected.get(), TS_VFY_VERSION | TS_VFY_IMPRINT | TS_VFY_NONCE);
    if (TS_RESP_verify_response(expected.get(), response->get()) != 1)
        return std::unexpected("the timestamp is not for this query: its digest or nonce differs");
    const auto verified = verify(response->get(), digest_of(request.get()), {});
    if (!verified) return std::unexpected(verified.error());
    return {};
}

std::expected<VerifiedTimestamp, std::string> verify_timestamp(BytesView answer, const Sha256& digest,
                                                               std::optional<std::string_view> authorities) {
    const ErrorsForgotten forgotten;
    const auto response = read_answer(answer);
    if (!response) return std::unexpected(response.error());
    return verify(response->get(), digest, authorities);
}

}  // namespace consentry::crypto
