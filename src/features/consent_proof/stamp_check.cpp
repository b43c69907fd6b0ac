#include "features/consent_proof/stamp_check.hpp"

#include <utility>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "crypto/timestamp.hpp"
#include "tlog/lines.hpp"

namespace consentry {

std::expected<std::vector<tlog::Hash>, std::string> parse_consistency(std::string_view text) {
    std::vector<tlog::Hash> out;
    tlog::LineReader lines(text);
    while (const auto line = lines.next()) {
        const auto hash = tlog::parse_hash(*line);
        if (!hash || out.size() == tlog::inclusion_hashes_max)
            return std::unexpected(fmt::format("line {} is not a hash of a proof", out.size() + 1));
        out.push_back(*hash);
    }
    if (!lines.rest().empty()) return std::unexpected("the last line is not terminated");
    return out;
}

std::expected<VerifiedStamp, std::string> verify_stamp(const GivenStamp& given, const tlog::Checkpoint& accepted,
                                                       std::optional<std::string_view> authorities) {
    const auto stamped = tlog::parse_checkpoint(given.text);
    if (!stamped) return std::unexpected("the stamped text is not a checkpoint: " + stamped.error());
    if (stamped->origin != accepted.origin) return std::unexpected("the stamped checkpoint is one of another log");
    const auto continued =
        tlog::verify_consistency(stamped->size, stamped->root, accepted.size, accepted.root, given.consistency);
    if (!continued)
        return std::unexpected("the stamped checkpoint is not a former state of the log: " + continued.error());
    auto verified = crypto::verify_timestamp(given.answer, crypto::sha256(given.text), authorities);
    if (!verified) return std::unexpected(std::move(verified.error()));
    return VerifiedStamp{.size = stamped->size,
                         .time = verified->time,
                         .authority = std::move(verified->authority),
                         .is_trusted = authorities.has_value()};
}

std::string describe(const VerifiedStamp& stamp) {
    return fmt::format("its first {} entries existed at {}, says {}{}", stamp.size,
                       to_iso8601(time_point_cast<milliseconds>(stamp.time)), stamp.authority,
                       stamp.is_trusted ? "" : " (not verified against a CA)");
}

}  // namespace consentry
