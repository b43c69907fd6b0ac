#include "features/consent_proof/receipt_check.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "base/json_values.hpp"
#include "crypto/jws.hpp"
#include "features/consent_log/formats.hpp"

namespace consentry {
namespace {

namespace json = boost::json;

// Of a whole number from 0 to `max`.
std::optional<std::int64_t> number_of(const json::object& object, std::string_view name, std::int64_t max) {
    const json::value* member = object.if_contains(name);
    if (member == nullptr || !member->is_int64()) return std::nullopt;
    const std::int64_t number = member->get_int64();
    if (number < 0 || number > max) return std::nullopt;
    return number;
}

// Lowercase hexadecimal of exactly the size of the array.
template <class Array>
std::optional<Array> digest_of(std::string_view hex) {
    const auto bytes = from_hex(hex);
    return bytes && to_hex(*bytes) == hex ? to_array<Array>(*bytes) : std::nullopt;
}

std::optional<ConsentEntry> entry_of(const json::object& claims) {
    constexpr std::int64_t time_max = std::numeric_limits<std::int64_t>::max();
    const json::object* policy = object_member(claims, "policy");
    const json::value* late = claims.if_contains("late");
    if (policy == nullptr) return std::nullopt;
    const auto action = find_enum<ConsentAction>(text_or_empty(claims, "action"));
    const auto type = find_enum<PolicyType>(text_or_empty(*policy, "type"));
    const auto version = number_of(*policy, "version", std::numeric_limits<std::uint32_t>::max());
    const auto language = find_enum<Language>(text_or_empty(*policy, "language"));
    const auto content = digest_of<crypto::Sha256>(text_or_empty(*policy, "contentHash"));
    const auto time = number_of(claims, "iat", time_max);
    const auto subject = digest_of<SubjectTag>(text_or_empty(claims, "sub"));
    const auto addendum = digest_of<crypto::Sha256>(text_or_empty(claims, "addendumHash"));
    const bool is_late_known = late == nullptr || (late->is_bool() && late->get_bool());
    if (!action || !type || !version || !language || !content || !time || !subject || !addendum || !is_late_known)
        return std::nullopt;
    ConsentEntry out{.action = *action, .is_late = late != nullptr, .type = *type};
    out.version = static_cast<std::uint32_t>(*version);
    out.language = *language;
    out.content = *content;
    out.time = std::chrono::sys_seconds{std::chrono::seconds{*time}};
    out.subject = *subject;
    out.addendum = *addendum;
    return out;
}

std::string time_text(std::chrono::sys_seconds time) {
    // An entry may have any time; in milliseconds, those far away do not fit.
    constexpr std::chrono::sys_seconds last{std::chrono::seconds{253'402'300'799}};  // of the year 9999
    return to_iso8601(std::min(time, last));
}

std::string describe_consent(const ConsentEntry& entry) {
    return fmt::format("{} of {} {} ({}, text SHA-256 {}) at {} by subject {}{}",
                       entry.action == ConsentAction::accepted ? "acceptance" : "withdrawal", name_of(entry.type),
                       entry.version, name_of(entry.language), to_hex(entry.content), time_text(entry.time),
                       to_hex(entry.subject), entry.is_late ? ", logged later" : "");
}

std::expected<crypto::CompactJws, std::string> read_receipt(std::string_view token) {
    auto jws = crypto::parse_jws(token);
    if (!jws) return std::unexpected("this is not a receipt: it is not a signed token in canonical form");
    if (jws->typ != receipt_type)
        return std::unexpected(fmt::format("this is not a receipt: its type is not {}", receipt_type));
    return std::move(*jws);
}

std::expected<tlog::ProofFile, std::string> read_proof(std::string_view file) {
    auto proof = tlog::parse_proof_file(file);
    if (!proof) return std::unexpected("this is not a proof: " + proof.error());
    return std::move(*proof);
}

// Of a proof that contains its entry.
std::expected<Proven, std::string> verify_proof_of_entry(const tlog::ProofFile& proof, const tlog::Policy& policy) {
    const auto entry = parse_log_entry(proof.extra);
    if (!entry) return std::unexpected("the proof contains no entry of a consent log: " + entry.error());
    auto place = tlog::verify_proof(proof.extra, proof, policy);
    if (!place) return std::unexpected("the proof is invalid: " + place.error());
    return Proven{.entry = *entry, .place = std::move(*place)};
}

}  // namespace

std::expected<void, std::string> check_is_receipt(std::string_view token) {
    if (const auto jws = read_receipt(token); !jws) return std::unexpected(jws.error());
    return {};
}

std::expected<Receipt, std::string> verify_receipt(std::string_view token, const Description& description) {
    const auto jws = read_receipt(token);
    if (!jws) return std::unexpected(jws.error());
    const auto known = description.receipt_keys.find(jws->kid);
    if (known == description.receipt_keys.end())
        return std::unexpected("the receipt is signed with a key that the log does not know");
    const crypto::PublicKey& key = known->second;
    if (jws->alg != name_of(key.algorithm()) || !key.verify(jws->signing_input, jws->signature))
        return std::unexpected(
            "the signature of the receipt is invalid: the receipt was altered, or the service did not sign it");
    if (text_or_empty(jws->claims, "log") != description.origin)
        return std::unexpected("the receipt is one of another log: " + std::string(text_or_empty(jws->claims, "log")));
    const auto id = AcceptanceId::parse(text_or_empty(jws->claims, "jti"));
    const auto entry = entry_of(jws->claims);
    const auto delay = number_of(jws->claims, "mergeDelay", std::numeric_limits<std::int64_t>::max());
    if (!id || !entry || !delay) return std::unexpected("the receipt lacks a claim, or has one that is not readable");
    if (*delay > description.merge_delay)
        return std::unexpected(
            fmt::format("the receipt promises its entry within {} seconds, but the log adds entries within {}", *delay,
                        description.merge_delay));
    if (to_hex(tlog::leaf_hash(format_entry(*entry))) != text_or_empty(jws->claims, "entryHash"))
        return std::unexpected("the receipt contradicts itself: its claims do not have the entry hash that it names");
    return Receipt{.id = *id, .entry = *entry, .log = description.origin, .merge_delay = *delay};
}

std::expected<Proven, std::string> verify_entry_proof(std::string_view file, const tlog::Policy& policy) {
    auto proof = read_proof(file);
    if (!proof) return std::unexpected(std::move(proof.error()));
    if (proof->extra.empty()) return std::unexpected("the proof does not contain the entry that it proves");
    return verify_proof_of_entry(*proof, policy);
}

std::expected<Proven, std::string> verify_receipt_proof(const Receipt& receipt, std::string_view file,
                                                        const tlog::Policy& policy) {
    auto proof = read_proof(file);
    if (!proof) return std::unexpected(std::move(proof.error()));
    // c2sp.org/tlog-proof: the line is optional, and a receipt determines its entry.
    if (proof->extra.empty()) proof->extra = format_entry(receipt.entry);
    auto proven = verify_proof_of_entry(*proof, policy);
    if (!proven) return proven;
    if (proven->entry != LogEntry(receipt.entry)) return std::unexpected("the proof is that of another entry");
    if (proven->place.accepted.checkpoint.origin != receipt.log)
        return std::unexpected("the proof is that of another log: " + proven->place.accepted.checkpoint.origin);
    return proven;
}

std::string describe(const LogEntry& entry) {
    if (const auto* consent = std::get_if<ConsentEntry>(&entry)) return describe_consent(*consent);
    if (const auto* erasure = std::get_if<ErasureEntry>(&entry))
        return fmt::format("erasure of the evidence about subject {} at {}", to_hex(erasure->subject),
                           time_text(erasure->time));
    const auto& publication = std::get<PublicationEntry>(entry);
    return fmt::format("publication of {} {} ({}, record SHA-256 {}) at {}", name_of(publication.type),
                       publication.version, publication.is_material ? "material" : "not material",
                       to_hex(publication.record), time_text(publication.time));
}

}  // namespace consentry
