#include "features/consent_proof/bundle_manifest.hpp"

#include <algorithm>
#include <vector>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json_values.hpp"
#include "base/strict_json.hpp"
#include "tlog/lines.hpp"

namespace consentry {
namespace {

namespace json = boost::json;

// No origin of a log, with which a checkpoint begins, has a space.
constexpr std::string_view title = "bundle of a consent log";

// An entry may have any time; in milliseconds, those after the year 9999 do not fit.
constexpr std::chrono::sys_seconds last_time{std::chrono::seconds{253'402'300'799}};

TimePoint time_of(const LogEntry& entry) {
    return std::visit([](const auto& one) { return time_point_cast<milliseconds>(std::min(one.time, last_time)); },
                      entry);
}

template <class Array>
std::optional<Array> array_of(const json::object& object, std::string_view name) {
    const auto bytes = from_hex(text_or_empty(object, name));
    return bytes ? to_array<Array>(*bytes) : std::nullopt;
}

json::object object_of(const BundleFilter& filter) {
    json::object out;
    if (filter.names_account()) out["account"] = filter.user->text();
    if (filter.before) out["before"] = to_iso8601(*filter.before);
    if (filter.from) out["from"] = to_iso8601(*filter.from);
    if (filter.subject) out["subject"] = to_hex(*filter.subject);
    if (filter.type) out["type"] = name_of(*filter.type);
    return out;
}

BundleFilter filter_of(const json::object& object) {
    BundleFilter out;
    out.user = UserId::parse(text_or_empty(object, "account"));
    out.before = from_iso8601(text_or_empty(object, "before"));
    out.from = from_iso8601(text_or_empty(object, "from"));
    out.subject = array_of<SubjectTag>(object, "subject");
    out.type = find_enum<PolicyType>(text_or_empty(object, "type"));
    return out;
}

// What is missing or unreadable gets a default, so that the manifest does not come out as it was.
BundleManifest manifest_of(const json::object& object) {
    BundleManifest out;
    if (const json::object* filter = object_member(object, "filter")) out.filter = filter_of(*filter);
    const json::value* addenda = object.if_contains("addenda");
    out.filter.with_addenda = addenda != nullptr && addenda->is_bool() && addenda->get_bool();
    const json::value* entries = object.if_contains("entries");
    if (entries != nullptr && entries->is_int64() && entries->get_int64() >= 0)
        out.entries = static_cast<std::uint64_t>(entries->get_int64());
    out.checkpoint = array_of<crypto::Sha256>(object, "checkpoint").value_or(crypto::Sha256{});
    out.sums = array_of<crypto::Sha256>(object, "sums").value_or(crypto::Sha256{});
    return out;
}

}  // namespace

bool BundleFilter::takes(const LogEntry& entry) const {
    const auto fits = [&](const auto& one) {
        if constexpr (requires { one.type; }) {
            if (type && one.type != *type) return false;
        } else if (type) {
            return false;
        }
        if constexpr (requires { one.subject; }) {
            if (subject && one.subject != *subject) return false;
        } else if (subject) {
            return false;
        }
        return true;
    };
    const TimePoint time = time_of(entry);
    return std::visit(fits, entry) && (!from || time >= *from) && (!before || time < *before);
}

std::string describe(const BundleFilter& filter) {
    std::vector<std::string> out;
    if (filter.names_account())
        out.push_back("account " + filter.user->text());
    else if (filter.subject)
        out.push_back("account with the tag " + to_hex(*filter.subject));
    if (filter.type) out.push_back(fmt::format("type {}", name_of(*filter.type)));
    if (filter.from) out.push_back(fmt::format("from {} on", to_iso8601(*filter.from)));
    if (filter.before) out.push_back("before " + to_iso8601(*filter.before));
    return fmt::format("{}", fmt::join(out, ", "));
}

std::string format_manifest(const BundleManifest& manifest) {
    const json::object facts{{"addenda", manifest.filter.with_addenda},
                             {"checkpoint", to_hex(manifest.checkpoint)},
                             {"entries", manifest.entries},
                             {"filter", object_of(manifest.filter)},
                             {"sums", to_hex(manifest.sums)}};
    return fmt::format("{}\n{}\n", title, json::serialize(facts));
}

std::expected<BundleManifest, std::string> open_manifest(std::string_view text,
                                                         std::span<const tlog::VerifierKey> log) {
    const auto note = tlog::parse_note(text);
    if (!note) return std::unexpected("it is not a signed note: " + note.error());
    if (const auto verified = tlog::verify_note(*note, log); !verified)
        return std::unexpected("it is not signed by the log: " + verified.error());
    tlog::LineReader lines(note->text);
    const bool has_title = lines.next() == title;
    const auto facts = parse_strict_json(lines.next().value_or(""));
    if (!has_title || !facts || !facts->is_object()) return std::unexpected("it is not the manifest of a bundle");
    BundleManifest out = manifest_of(facts->get_object());
    if (format_manifest(out) != note->text || (out.filter.user && !out.filter.subject))
        return std::unexpected("it is not in the form of this version of Consentry");
    return out;
}

}  // namespace consentry
