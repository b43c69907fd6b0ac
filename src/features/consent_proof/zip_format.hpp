// The one form of ZIP archives that Consentry writes and reads (docs/decisions/0035): members stored without
// compression, in ascending order of their names, each dated 1980-01-01, with size and CRC in front of its bytes. So
// the same members make the same bytes. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.hpp"

namespace consentry {

inline constexpr std::size_t zip_name_bytes_max = 200;

struct ZipMember {
    std::string name;  // ASCII
    std::uint64_t size = 0;
    std::uint32_t crc = 0;
};

// Of the bytes so far and those that follow; begins with 0.
std::uint32_t zip_crc(std::uint32_t so_far, BytesView bytes);

// What precedes the bytes of a member.
std::string zip_local_header(const ZipMember& member);
std::uint64_t zip_local_header_size(const ZipMember& member);
// Its record in the directory behind all members. `offset`: of its local header.
std::string zip_directory_record(const ZipMember& member, std::uint64_t offset);
std::uint64_t zip_directory_record_size(const ZipMember& member, std::uint64_t offset);
// What ends the archive.
std::string zip_end(std::uint64_t members, std::uint64_t directory_offset, std::uint64_t directory_size);

}  // namespace consentry
