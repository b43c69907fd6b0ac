#include "storage/compressed_object.hpp"

#include "base/gzip.hpp"

namespace consentry::storage {

std::optional<Object> unpacked_object(std::string_view packed, std::size_t bytes_max) {
    auto unpacked = gunzip(packed, bytes_max);
    if (!unpacked) return std::nullopt;
    const std::size_t size = unpacked->bytes.size() + (unpacked->is_whole ? 0 : 1);
    return Object{.bytes = std::move(unpacked->bytes), .size = size};
}

}  // namespace consentry::storage
