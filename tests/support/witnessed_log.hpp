// A small log whose owner can sign whatever a test requests: what a witness is for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "tests/support/naive_tree.hpp"
#include "tlog/checkpoint.hpp"
#include "tlog/witness_protocol.hpp"

namespace consentry::tests {

class WitnessedLog {
public:
    explicit WitnessedLog(std::string origin = "log.example.org/consent", std::uint8_t seed = 1)
        : signer_(tlog::NoteSigner::from_seed(std::move(origin), tlog::KeyType::ed25519, Bytes(32, seed)).value()) {}

    std::string vkey() const { return signer_.verifier().text(); }
    std::string policy() const { return "log " + vkey() + "\nquorum none\n"; }
    void grow(std::size_t count, const std::string& content = "entry ") {
        for (std::size_t i = 0; i < count; ++i)
            leaves_.push_back(tlog::leaf_hash(as_bytes(content + std::to_string(leaves_.size()))));
    }
    tlog::Checkpoint checkpoint(std::size_t size) const {
        return {signer_.verifier().name(), size, naive_root(Leaves(leaves_).first(size))};
    }
    std::string note(std::size_t size) const { return sign(checkpoint(size)); }
    std::string sign(const tlog::Checkpoint& checkpoint) const {
        tlog::Note note{.text = tlog::format_checkpoint(checkpoint), .signatures = {}};
        note.signatures.push_back(signer_.sign(note.text));
        return tlog::format_note(note);
    }
    std::vector<tlog::Hash> proof(std::size_t from, std::size_t to) const {
        if (from == 0 || from >= to) return {};
        return naive_proof(from, Leaves(leaves_).first(to));
    }
    // The body of a request that is right if the witness knows `from` entries.
    std::string body(std::size_t from, std::size_t to) const {
        return tlog::format_add_checkpoint({from, proof(from, to), note(to)});
    }

private:
    tlog::NoteSigner signer_;
    std::vector<tlog::Hash> leaves_;
};

}  // namespace consentry::tests
