#include "features/consent_proof/zip_format.hpp"

#include <algorithm>

#include <zlib.h>

namespace consentry {
namespace {

constexpr std::uint32_t local_signature = 0x04034b50;
constexpr std::uint32_t directory_signature = 0x02014b50;
constexpr std::uint32_t end_signature = 0x06054b50;
constexpr std::uint32_t long_end_signature = 0x06064b50;
constexpr std::uint32_t long_end_place_signature = 0x07064b50;
constexpr std::uint64_t version_stored = 10;
constexpr std::uint64_t version_long = 45;
constexpr std::uint64_t names_are_utf8 = 0x0800;
constexpr std::uint64_t first_of_january_1980 = 0x0021;
constexpr std::uint64_t long_fields_id = 1;
// Without the name and the 64-bit fields, which follow.
constexpr std::uint64_t local_header_bytes = 30;
constexpr std::uint64_t directory_record_bytes = 46;
constexpr std::uint64_t long_fields_head_bytes = 4;
constexpr std::uint64_t long_field_bytes = 8;
// A value that does not fit below these is in the 64-bit fields instead.
constexpr std::uint64_t four_bytes_max = 0xFFFFFFFF;
constexpr std::uint64_t two_bytes_max = 0xFFFF;

void append(std::string& out, std::uint64_t number, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i) out.push_back(static_cast<char>(number >> (8 * i)));
}

bool is_long(std::uint64_t number) { return number >= four_bytes_max; }

// From the version that a reader needs up to the length of the name: equal in front of a member and in the directory.
void append_common(std::string& out, const ZipMember& member, bool is_any_long) {
    append(out, is_any_long ? version_long : version_stored, 2);
    append(out, names_are_utf8, 2);
    append(out, 0, 2);  // stored
    append(out, 0, 2);  // midnight
    append(out, first_of_january_1980, 2);
    append(out, member.crc, 4);
    append(out, is_long(member.size) ? four_bytes_max : member.size, 4);
    append(out, is_long(member.size) ? four_bytes_max : member.size, 4);
    append(out, member.name.size(), 2);
}

}  // namespace

std::uint32_t zip_crc(std::uint32_t so_far, BytesView bytes) {
    return static_cast<std::uint32_t>(crc32_z(so_far, bytes.data(), bytes.size()));
}

std::string zip_local_header(const ZipMember& member) {
    std::string extra;
    if (is_long(member.size)) {
        append(extra, long_fields_id, 2);
        append(extra, 16, 2);
        append(extra, member.size, 8);
        append(extra, member.size, 8);
    }
    std::string out;
    append(out, local_signature, 4);
    append_common(out, member, is_long(member.size));
    append(out, extra.size(), 2);
    return out + member.name + extra;
}

std::uint64_t zip_local_header_size(const ZipMember& member) {
    return local_header_bytes + member.name.size() +
           (is_long(member.size) ? long_fields_head_bytes + 2 * long_field_bytes : 0);
}

std::string zip_directory_record(const ZipMember& member, std::uint64_t offset) {
    std::string fields;
    if (is_long(member.size)) {
        append(fields, member.size, 8);
        append(fields, member.size, 8);
    }
    if (is_long(offset)) append(fields, offset, 8);
    std::string extra;
    if (!fields.empty()) {
        append(extra, long_fields_id, 2);
        append(extra, fields.size(), 2);
        extra += fields;
    }
    std::string out;
    append(out, directory_signature, 4);
    append(out, fields.empty() ? version_stored : version_long, 2);  // made by
    append_common(out, member, !fields.empty());
    append(out, extra.size(), 2);
    append(out, 0, 2);  // no comment
    append(out, 0, 2);  // the first and only disk
    append(out, 0, 2);  // no attributes
    append(out, 0, 4);
    append(out, is_long(offset) ? four_bytes_max : offset, 4);
    return out + member.name + extra;
}

std::uint64_t zip_directory_record_size(const ZipMember& member, std::uint64_t offset) {
    const std::uint64_t fields = (is_long(member.size) ? 2U : 0U) + (is_long(offset) ? 1U : 0U);
    return directory_record_bytes + member.name.size() +
           (fields > 0 ? long_fields_head_bytes + fields * long_field_bytes : 0);
}

std::string zip_end(std::uint64_t members, std::uint64_t directory_offset, std::uint64_t directory_size) {
    std::string out;
    if (members >= two_bytes_max || is_long(directory_offset) || is_long(directory_size)) {
        append(out, long_end_signature, 4);
        append(out, 44, 8);  // of the rest of this record
        append(out, version_long, 2);
        append(out, version_long, 2);
        append(out, 0, 4);
        append(out, 0, 4);
        append(out, members, 8);
        append(out, members, 8);
        append(out, directory_size, 8);
        append(out, directory_offset, 8);
        append(out, long_end_place_signature, 4);
        append(out, 0, 4);
        append(out, directory_offset + directory_size, 8);
        append(out, 1, 4);
    }
    append(out, end_signature, 4);
    append(out, 0, 2);
    append(out, 0, 2);
    append(out, std::min(members, two_bytes_max), 2);
    append(out, std::min(members, two_bytes_max), 2);
    append(out, std::min(directory_size, four_bytes_max), 4);
    append(out, std::min(directory_offset, four_bytes_max), 4);
    append(out, 0, 2);  // no comment
    return out;
}

}  // namespace consentry
