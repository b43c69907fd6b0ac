// Reads the one form of ZIP archives of zip_format.hpp, strictly: the bytes of an archive follow from its members, so
// there is nowhere to hide anything, and no two programs see different members.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"

namespace consentry {

struct ZipEntry {
    std::string_view name;
    BytesView bytes;
};

// The members in ascending order of their names, as views into the archive. Compares every CRC. The error is a sentence
// that names the member, if there is one.
std::expected<std::vector<ZipEntry>, std::string> read_zip(BytesView archive);

// Returns null if there is none. `entries` as read_zip() returns them.
const ZipEntry* find_member(const std::vector<ZipEntry>& entries, std::string_view name);

}  // namespace consentry
