#include "features/consent_proof/zip_reader.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/ascii.hpp"
#include "features/consent_proof/zip_format.hpp"

namespace consentry {
namespace {

// Places of fields in a local header.
constexpr std::size_t crc_at = 14;
constexpr std::size_t size_at = 18;
constexpr std::size_t name_size_at = 26;
constexpr std::size_t header_bytes = 30;
constexpr std::size_t long_size_at = 4;  // in the extra field
constexpr std::size_t long_extra_bytes = 20;
constexpr std::uint64_t is_elsewhere = 0xFFFFFFFF;

std::uint64_t number_at(BytesView bytes, std::size_t at, unsigned size) {
    std::uint64_t out = 0;
    for (unsigned i = size; i > 0; --i) out = out << 8 | bytes[at + i - 1];
    return out;
}

bool begins_with(BytesView bytes, std::string_view start) {
    return bytes.size() >= start.size() && as_text(bytes.first(start.size())) == start;
}

// The member whose local header is at the front, or nullopt if none is there.
std::optional<ZipMember> read_local(BytesView rest) {
    if (rest.size() < header_bytes || !begins_with(rest, "PK\x03\x04")) return std::nullopt;
    const std::size_t name_size = number_at(rest, name_size_at, 2);
    if (name_size == 0 || name_size > zip_name_bytes_max || rest.size() < header_bytes + name_size) return std::nullopt;
    ZipMember out{.name = std::string(as_text(rest.subspan(header_bytes, name_size))),
                  .size = number_at(rest, size_at, 4),
                  .crc = static_cast<std::uint32_t>(number_at(rest, crc_at, 4))};
    if (out.size == is_elsewhere) {
        const std::size_t extra = header_bytes + name_size;
        if (rest.size() < extra + long_extra_bytes) return std::nullopt;
        out.size = number_at(rest, extra + long_size_at, 8);
    }
    if (!std::ranges::all_of(out.name, is_visible)) return std::nullopt;
    return out;
}

}  // namespace

std::expected<std::vector<ZipEntry>, std::string> read_zip(BytesView archive) {
    std::vector<ZipEntry> out;
    std::string directory;
    std::size_t at = 0;
    while (begins_with(archive.subspan(at), "PK\x03\x04")) {
        const BytesView rest = archive.subspan(at);
        const auto member = read_local(rest);
        const std::string header = member ? zip_local_header(*member) : std::string();
        if (!member || !begins_with(rest, header))
            return std::unexpected(fmt::format(
                "the archive is not in the form of a bundle, from byte {} on: it was not made by Consentry", at));
        if (rest.size() - header.size() < member->size)
            return std::unexpected(fmt::format("{}: the archive ends within this member", member->name));
        const std::size_t name_at = at + header_bytes;
        const ZipEntry entry{.name = as_text(archive.subspan(name_at, member->name.size())),
                             .bytes = rest.subspan(header.size(), member->size)};
        if (!out.empty() && entry.name <= out.back().name)
            return std::unexpected(fmt::format("{}: the members are not in the order of their names", member->name));
        if (zip_crc(0, entry.bytes) != member->crc)
            return std::unexpected(fmt::format("{}: the member is damaged: its CRC does not match", member->name));
        directory += zip_directory_record(*member, at);
        out.push_back(entry);
        at += header.size() + member->size;
    }
    if (out.empty()) return std::unexpected("this is not a ZIP archive with members");
    if (as_text(archive.subspan(at)) != directory + zip_end(out.size(), at, directory.size()))
        return std::unexpected("the directory at the end of the archive does not fit its members, or is not complete");
    return out;
}

const ZipEntry* find_member(const std::vector<ZipEntry>& entries, std::string_view name) {
    const auto found = std::ranges::lower_bound(entries, name, {}, &ZipEntry::name);
    return found == entries.end() || found->name != name ? nullptr : &*found;
}

}  // namespace consentry
