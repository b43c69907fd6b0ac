// A row of an acceptance beside its entry in the log, and what is wrong with it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "features/consent_log/entry.hpp"

namespace consentry {

// A row as it is stored. An intruder may have written it, so its texts are unchecked.
struct ComparedRow {
    std::optional<std::string> user;
    std::optional<std::string> type;
    std::optional<std::string> sequence;
    std::optional<std::string> action;
    std::optional<std::string> version;
    std::optional<std::string> language;
    std::optional<std::string> content_hashes;
    std::optional<std::string> accepted_at;
    std::optional<std::string> ip_address;
    std::optional<std::string> user_agent;
    std::optional<std::string> session;
    std::optional<std::string> shown_diff_hash;
    // Of the document that term_policy_id names.
    std::optional<std::string> policy_type;
    std::optional<std::string> policy_version;
    std::optional<std::string> policy_hashes;
    std::optional<std::string> shown_page;  // the hash of the kept page that shown_diff_hash names
    std::optional<Bytes> subject;           // the tag of the account
};

// Sentences; empty if the row is what the entry says.
std::vector<std::string> compare_row(AcceptanceId id, const ComparedRow& row, const std::optional<Bytes>& salt,
                                     const ConsentEntry& entry);

}  // namespace consentry
