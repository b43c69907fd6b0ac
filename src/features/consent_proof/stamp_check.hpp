// Verifies the timestamp of a log's checkpoint (RFC 3161) without the service. Pure functions; errors are sentences
// that say what is wrong.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "tlog/checkpoint.hpp"

namespace consentry {

// As a bundle or an export contains it: see StampedCheckpoint.
struct GivenStamp {
    std::string_view text;
    BytesView answer;
    std::vector<tlog::Hash> consistency;
};

// The first `size` entries of the log existed at this time, by the clock of the authority.
struct VerifiedStamp {
    std::uint64_t size = 0;
    std::chrono::sys_seconds time{};
    std::string authority;
    bool is_trusted = false;  // the reader has given the authority's certificate; otherwise anyone may have signed it
};

// `accepted` is a checkpoint that the reader trusts. `authorities`: certificates in PEM.
std::expected<VerifiedStamp, std::string> verify_stamp(const GivenStamp& given, const tlog::Checkpoint& accepted,
                                                       std::optional<std::string_view> authorities);

// One line for each hash, without an empty line behind them.
std::expected<std::vector<tlog::Hash>, std::string> parse_consistency(std::string_view text);

// "its first 5 entries existed at 2026-03-01T09:30:00Z, says CN=tsa (not verified against a CA)"
std::string describe(const VerifiedStamp& stamp);

}  // namespace consentry
