// Time stamps: RFC 3161. An authority signs that a digest existed at a time. Errors are sentences that say what is
// wrong.
#pragma once

#include <expected>
#include <string>

#include "base/bytes.hpp"
#include "crypto/digest.hpp"

namespace consentry::crypto {

// A query in DER with a random nonce. It asks for the authority's certificate, so that the answer verifies by itself.
Bytes timestamp_query(const Sha256& digest);

// Whether the answer, in DER, grants this query: its time stamp is of the same digest and nonce. Does not verify who
// signed it: whoever relies on the time does, with the certificates that they trust.
std::expected<void, std::string> check_timestamp(BytesView answer, BytesView query);

}  // namespace consentry::crypto
