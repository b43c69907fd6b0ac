// The consent log in the hands of an auditor: copied and verified over HTTP, from the verifier key alone.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "base/bytes.hpp"
#include "tests/support/http_client.hpp"
#include "tlog/checkpoint.hpp"

namespace consentry::tests {

using Fetch = std::function<Answer(const std::string& path)>;

// As the description of the log states it. Throws if there is none.
tlog::VerifierKey log_key(const Fetch& fetch);

// Throws std::runtime_error if the answer is no checkpoint that the key has signed.
tlog::Checkpoint checkpoint_in(const std::string& note, const tlog::VerifierKey& key);

struct LogMirror {
    tlog::Checkpoint checkpoint;
    std::vector<Bytes> entries;
    std::set<std::string> leaves;  // their hashes, in hexadecimal
    // What an auditor would object to: missing or damaged tiles, entries that do not have the root.
    std::vector<std::string> complaints;
};
LogMirror mirror_of(const Fetch& fetch, const tlog::VerifierKey& key);

// The receipt keys that a description note names, if the log has signed the note.
class DescribedReceiptKeys {
public:
    // Throws std::runtime_error if it has not.
    DescribedReceiptKeys(const std::string& note, const tlog::VerifierKey& key);
    // The claims of a receipt that one of the keys has signed; empty if none has.
    json::object claims_of(const std::string& receipt) const;
    std::size_t size() const { return jwks_.size(); }

private:
    json::array jwks_;
};

}  // namespace consentry::tests
