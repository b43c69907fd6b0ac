// The rows of `acceptances` in the export of an account, compared with the receipts and addenda beside them.
#pragma once

#include <expected>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/commands/verify_input.hpp"
#include "features/consent_log/entry.hpp"

namespace consentry {

// An addendum says who accepted, and from where.
struct ReadAddendum {
    std::string user;
    FoundEvidence evidence;
};
// nullopt if it is not one.
std::optional<ReadAddendum> read_addendum(std::string_view text);

// What a genuine receipt says, and the addendum that it names, if the file has it.
struct ReadReceipt {
    ConsentEntry entry;
    std::optional<ReadAddendum> addendum;
};
using ReadReceipts = std::multimap<std::string, ReadReceipt, std::less<>>;  // by the IDs of their acceptances

// What is to say about the rows. The error names one that differs from its receipt.
std::expected<std::string, std::string> verify_rows(const std::vector<FoundAcceptance>& rows,
                                                    const ReadReceipts& receipts);

}  // namespace consentry
