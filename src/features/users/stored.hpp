// Decodes values that repositories read back from the database.
#pragma once

#include <stdexcept>
#include <string>

#include "base/enum_names.hpp"
#include "storage/columns.hpp"

namespace consentry {

// Returns the enum value of this name. Throws std::runtime_error for an unknown name, which a newer version may have
// written, or which means a damaged file: the record is refused rather than its rights guessed (STO-3).
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
