#include "features/administration_log/entry.hpp"

#include <limits>
#include <stdexcept>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "base/json_values.hpp"
#include "features/published_logs/entry_fields.hpp"

namespace consentry {
namespace {

constexpr std::uint8_t act_layout = 4;
constexpr std::uint8_t late_flag = 1;

}  // namespace

Bytes format_entry(const ActEntry& entry) {
    if (entry.code < 1 || entry.code > std::numeric_limits<std::uint16_t>::max())
        throw std::logic_error("entry: the act has no number");
    Bytes out{act_layout, entry.is_late ? late_flag : std::uint8_t{0}};
    out.reserve(act_entry_bytes);
    append_number(out, static_cast<std::uint64_t>(entry.code), 2);
    append_time(out, entry.time);
    out.insert(out.end(), entry.actor.begin(), entry.actor.end());
    out.insert(out.end(), entry.subject.begin(), entry.subject.end());
    out.insert(out.end(), entry.addendum.begin(), entry.addendum.end());
    return out;
}

std::expected<ActEntry, std::string> parse_act_entry(BytesView bytes) {
    if (const auto checked = check_layout(bytes, act_layout, act_entry_bytes); !checked)
        return std::unexpected(checked.error());
    FieldReader fields(bytes.subspan(1));
    const std::uint64_t flags = fields.number(1);
    if (flags > late_flag) return std::unexpected("the entry has unknown flags");
    ActEntry out{.code = static_cast<std::int64_t>(fields.number(2)), .is_late = flags == late_flag};
    if (out.code == 0) return std::unexpected("the entry names no act");
    const auto time = read_time(fields);
    if (!time) return std::unexpected(time.error());
    out.time = *time;
    fields.copy_to(out.actor);
    fields.copy_to(out.subject);
    fields.copy_to(out.addendum);
    return out;
}

std::string addendum_text(const Act& act, const AddendumSalt& salt) {
    const boost::json::object out{{"actId", act.id.text()},
                                  {"action", act_name(act.code)},
                                  {"actorId", json_or_null(act.actor.transform(&UserId::text))},
                                  {"at", epoch_ms(act.at)},
                                  {"ipAddress", json_or_null(act.ip_address)},
                                  {"metadata", json_or_null(act.metadata)},
                                  {"salt", to_base64(salt)},
                                  {"subjectId", json_or_null(act.subject.transform(&UserId::text))},
                                  {"userAgent", json_or_null(act.user_agent)}};
    return boost::json::serialize(out);
}

}  // namespace consentry
