// Verifies receipts and proofs without the service. Pure functions; errors are sentences that say what is wrong.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include "features/consent_log/entry.hpp"
#include "features/consent_proof/description.hpp"
#include "tlog/proof_file.hpp"

namespace consentry {

struct Receipt {
    AcceptanceId id;
    ConsentEntry entry;
    std::string log;               // origin
    std::int64_t merge_delay = 0;  // seconds
};

// Whether the token has the format of a receipt; verifies nothing.
std::expected<void, std::string> check_is_receipt(std::string_view token);

// Rebuilds the entry from the claims and compares its hash with the claimed one.
std::expected<Receipt, std::string> verify_receipt(std::string_view token, const Description& description);

struct Proven {
    LogEntry entry;
    tlog::ProvenEntry place;
};
// The entry that the proof contains, if the log contains it.
std::expected<Proven, std::string> verify_entry_proof(std::string_view file, const tlog::Policy& policy);
// The same, and it is the entry of this receipt. The proof may leave the entry out.
std::expected<Proven, std::string> verify_receipt_proof(const Receipt& receipt, std::string_view file,
                                                        const tlog::Policy& policy);

// "acceptance of privacy 3 (de, text SHA-256 ...) at 2026-03-01T09:30:00Z by subject ..."
std::string describe(const LogEntry& entry);

}  // namespace consentry
