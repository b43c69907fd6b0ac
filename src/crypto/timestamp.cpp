#include "crypto/timestamp.hpp"

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

constexpr std::size_t nonce_bytes = 16;

}  // namespace

Bytes timestamp_query(const Sha256& digest) {
    const RequestHandle request(TS_REQ_new());
    const ImprintHandle imprint(TS_MSG_IMPRINT_new());
    const AlgorithmHandle algorithm(X509_ALGOR_new());
    require(request && imprint && algorithm, "a time stamp query");
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
    at = answer.data();
    const ResponseHandle response(d2i_TS_RESP(nullptr, &at, static_cast<long>(answer.size())));
    if (!response || at != answer.data() + answer.size()) return std::unexpected("the answer is no time stamp");
    const long status = ASN1_INTEGER_get(TS_STATUS_INFO_get0_status(TS_RESP_get_status_info(response.get())));
    if (status != TS_STATUS_GRANTED && status != TS_STATUS_GRANTED_WITH_MODS)
        return std::unexpected("the authority refuses the time stamp (status " + std::to_string(status) + ")");
    const VerifyContext expected(TS_REQ_to_TS_VERIFY_CTX(request.get(), nullptr));
    require(expected != nullptr, "TS_REQ_to_TS_VERIFY_CTX");
    if (TS_RESP_verify_response(expected.get(), response.get()) != 1)
        return std::unexpected("the time stamp is not of this query: another digest or nonce");
    return {};
}

}  // namespace consentry::crypto
