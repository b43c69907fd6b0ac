#include "app/commands/verify_rows.hpp"

#include <chrono>
#include <cstdint>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/json_values.hpp"
#include "base/strict_json.hpp"
#include "crypto/digest.hpp"

namespace consentry {
namespace {

// In which member a row differs from what a receipt of its ID says; empty if it does not.
std::string_view difference(const FoundAcceptance& row, const ConsentEntry& entry) {
    if (row.type != name_of(entry.type)) return "type";
    if (row.version != std::int64_t{entry.version}) return "version";
    if (row.action != name_of(entry.action)) return "action";
    if (row.language != name_of(entry.language)) return "language";
    if (row.content_hash.value_or(to_hex(crypto::Sha256{})) != to_hex(entry.content)) return "contentHashes";
    const auto time = from_iso8601(row.accepted_at);
    const bool is_time = time && to_iso8601(*time) == row.accepted_at;
    return is_time && std::chrono::floor<std::chrono::seconds>(*time) == entry.time ? "" : "acceptedAt";
}

std::string_view difference(const FoundAcceptance& row, const ReadAddendum& addendum) {
    for (std::size_t i = 0; i < evidence_members.size(); ++i)
        if (row.evidence[i] != addendum.evidence[i]) return evidence_members[i];
    return "";
}

struct Counts {
    std::uint64_t rows = 0;  // with a receipt
    std::uint64_t without_addendum = 0;
    std::uint64_t other_hashes = 0;
};

// Compares a row with all receipts of its ID, of which there is at least one.
std::expected<void, std::string> verify_row(const FoundAcceptance& row, const ReadReceipts& receipts, Counts& counts) {
    const auto [begin, end] = receipts.equal_range(row.id);
    bool has_addendum = false;
    for (auto receipt = begin; receipt != end; ++receipt) {
        const auto& [entry, addendum] = receipt->second;
        if (const auto differs = difference(row, entry); !differs.empty())
            return std::unexpected(
                fmt::format("{}: `{}` differs from what the receipt of this acceptance says", row.place, differs));
        if (!addendum) continue;
        has_addendum = true;
        if (const auto differs = difference(row, *addendum); !differs.empty())
            return std::unexpected(
                fmt::format("{}: `{}` differs from what the addendum of this acceptance says", row.place, differs));
        if (row.user && *row.user != addendum->user)
            return std::unexpected(
                fmt::format("{}: the addendum of this acceptance names an account other than `profile`", row.place));
    }
    ++counts.rows;
    counts.other_hashes += row.other_hashes;
    if (!has_addendum) ++counts.without_addendum;
    return {};
}

}  // namespace

std::optional<ReadAddendum> read_addendum(std::string_view text) {
    const auto value = parse_strict_json(text, {.depth_max = 2});
    if (!value || !value->is_object()) return std::nullopt;
    const auto& object = value->get_object();
    return ReadAddendum{.user = std::string(text_or_empty(object, "userId")), .evidence = evidence_in(object)};
}

std::expected<std::string, std::string> verify_rows(const std::vector<FoundAcceptance>& rows,
                                                    const ReadReceipts& receipts) {
    Counts counts;
    std::uint64_t unsigned_rows = 0;
    for (const FoundAcceptance& row : rows) {
        if (!receipts.contains(row.id)) {
            ++unsigned_rows;
            continue;
        }
        if (const auto verified = verify_row(row, receipts, counts); !verified)
            return std::unexpected(verified.error());
    }
    std::string out;
    if (counts.rows > 0) out += "\nEach row of `acceptances` that has a receipt agrees with it.";
    if (counts.without_addendum > 0)
        out += fmt::format(
            "\nRows of `acceptances` without an addendum, whose address, program, session and comparison nothing "
            "proves: {}.",
            counts.without_addendum);
    if (counts.other_hashes > 0)
        out +=
            fmt::format("\nHashes of texts in other languages than those that were accepted, which nothing proves: {}.",
                        counts.other_hashes);
    if (unsigned_rows > 0)
        out += fmt::format("\nRows of `acceptances` without a receipt, which nothing proves: {}.", unsigned_rows);
    return out + "\nNothing else in the file is signed.";
}

}  // namespace consentry
