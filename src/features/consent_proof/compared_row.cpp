#include "features/consent_proof/compared_row.hpp"

#include <boost/json/object.hpp>

#include "base/json_values.hpp"
#include "base/numbers.hpp"
#include "base/strict_json.hpp"
#include "base/uuid_time.hpp"

namespace consentry {
namespace {

std::optional<std::int64_t> number_in(const std::optional<std::string>& text) {
    return text ? parse_number<std::int64_t>(*text) : std::nullopt;
}

// The hash of one language in content_hashes; all zero if there is none, as in entries.
std::optional<crypto::Sha256> hash_in(const std::optional<std::string>& hashes, std::string_view language) {
    const auto value = hashes ? parse_strict_json(*hashes) : std::nullopt;
    if (!value || !value->is_object()) return std::nullopt;
    if (!value->get_object().contains(language)) return crypto::Sha256{};
    const auto hex = text_member(value->get_object(), language);
    const auto bytes = hex ? from_hex(*hex) : std::nullopt;
    return bytes ? to_array<crypto::Sha256>(*bytes) : std::nullopt;
}

bool has_evidence(AcceptanceId id, const ComparedRow& row, const std::optional<Bytes>& salt,
                  const crypto::Sha256& digest) {
    const auto user = row.user ? UserId::parse(*row.user) : std::nullopt;
    const auto session = row.session ? SessionId::parse(*row.session) : std::nullopt;
    const auto bytes = salt ? to_array<AddendumSalt>(*salt) : std::nullopt;
    if (!user || (row.session && !session) || !bytes) return false;
    const Addendum addendum{.acceptance = id,
                            .user = *user,
                            .session = session,
                            .ip_address = row.ip_address,
                            .user_agent = row.user_agent,
                            .shown_diff_hash = row.shown_diff_hash};
    return crypto::sha256(addendum_text(addendum, *bytes)) == digest;
}

}  // namespace

std::vector<std::string> compare_row(AcceptanceId id, const ComparedRow& row, const std::optional<Bytes>& salt,
                                     const ConsentEntry& entry) {
    std::vector<std::string> out;
    const auto expect = [&out](bool holds, const char* sentence) {
        if (!holds) out.emplace_back(sentence);
    };
    const auto time = number_in(row.accepted_at);
    expect(row.type == name_of(entry.type), "its type is not that of the log");
    expect(row.action == name_of(entry.action), "its action is not that of the log");
    expect(number_in(row.version) == entry.version, "its version is not that of the log");
    expect(row.language == name_of(entry.language), "its language is not that of the log");
    expect(hash_in(row.content_hashes, name_of(entry.language)) == entry.content,
           "its content_hashes do not contain the hash in the log");
    expect(row.content_hashes == row.policy_hashes && row.type == row.policy_type && row.version == row.policy_version,
           "its content_hashes or term_policy_id are not those of the published version");
    expect(time && std::chrono::floor<std::chrono::seconds>(from_epoch_ms(*time)) == entry.time,
           "its accepted_at is not the time in the log");
    expect(time == epoch_ms(time_of(id.uuid())), "its accepted_at is not the time in its id");
    expect(row.subject && *row.subject == Bytes(entry.subject.begin(), entry.subject.end()),
           "its user_id is not the account in the log, or log_subjects has another tag for it");
    expect(has_evidence(id, row, salt, entry.addendum),
           "its user_id, session_id, ip_address, user_agent or shown_diff_hash, or the salt of its log entry, are not "
           "those at the time");
    expect(!row.shown_diff_hash || row.shown_page,
           "the comparison that was shown, which its shown_diff_hash names, is missing from term_policy_diffs");
    return out;
}

}  // namespace consentry
