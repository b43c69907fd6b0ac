// What the engines share of objects that put_compressed() stores.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "storage/object_store.hpp"

namespace consentry::storage {

// What get() returns for these stored bytes; an engine has to read packed_bytes_max(bytes_max) of them (base/gzip.hpp).
std::optional<Object> unpacked_object(std::string_view packed, std::size_t bytes_max);

}  // namespace consentry::storage
