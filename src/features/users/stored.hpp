// Values that repositories read back.
#pragma once

#include <stdexcept>
#include <string>

#include "base/enum_names.hpp"
#include "storage/columns.hpp"

namespace consentry {

// The enum's value of this name. One that this program does not know (a newer version wrote it, or the file is
// damaged) throws std::runtime_error: a record is refused rather than its rights guessed at (STO-3).
template <NamedEnum Enum>
Enum stored_enum(const std::string& name) {
    const auto found = find_enum<Enum>(name);
    if (!found) throw std::runtime_error("the database contains a value that this version does not support");
    return *found;
}

}  // namespace consentry

template <consentry::NamedEnum Enum>
struct consentry::storage::ColumnValue<Enum> {
    static Enum read(const Row& row, std::size_t at) { return stored_enum<Enum>(row.text(at)); }
};
