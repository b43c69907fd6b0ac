#include "features/published_logs/erasure_entry.hpp"

#include "features/published_logs/entry_fields.hpp"

namespace consentry {

Bytes format_entry(const ErasureEntry& entry) {
    Bytes out{erasure_layout};
    append_time(out, entry.time);
    out.insert(out.end(), entry.subject.begin(), entry.subject.end());
    return out;
}

std::expected<ErasureEntry, std::string> parse_erasure_entry(BytesView bytes) {
    if (const auto checked = check_layout(bytes, erasure_layout, erasure_entry_bytes); !checked)
        return std::unexpected(checked.error());
    FieldReader fields(bytes.subspan(1));
    ErasureEntry out;
    const auto time = read_time(fields);
    if (!time) return std::unexpected(time.error());
    out.time = *time;
    fields.copy_to(out.subject);
    return out;
}

}  // namespace consentry
