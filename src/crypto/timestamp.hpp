// Timestamps: RFC 3161. An authority signs that a digest existed at a time. Errors are sentences that say what is
// wrong.
#pragma once

#include <chrono>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "crypto/digest.hpp"

namespace consentry::crypto {

// A query in DER with a random nonce. It asks for the authority's certificate, so that the answer verifies by itself.
Bytes timestamp_query(const Sha256& digest);

// Whether the answer, in DER, grants this query: its timestamp is of the same digest and nonce, and verify_timestamp()
// accepts it without authorities. Who signed it is up to the caller who relies on the time, with the certificates that
// the caller trusts.
std::expected<void, std::string> check_timestamp(BytesView answer, BytesView query);

struct VerifiedTimestamp {
    std::chrono::sys_seconds time{};  // by the authority's clock
    std::string authority;            // the subject of the certificate that signed it, as RFC 4514 writes it
};

// Whether verify_timestamp() can take the text for authorities: certificates in PEM, all of them readable.
std::expected<void, std::string> check_certificates(std::string_view pem);

// Whether the answer, in DER, is a timestamp of this digest that has not been altered since it was signed.
// `authorities` are certificates in PEM, to one of which the signer's must lead at the time of the timestamp; they may
// have expired since. Without them, anyone may have signed it, with a certificate of any name.
std::expected<VerifiedTimestamp, std::string> verify_timestamp(BytesView answer, const Sha256& digest,
                                                               std::optional<std::string_view> authorities);

}  // namespace consentry::crypto
