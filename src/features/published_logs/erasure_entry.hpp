// The entry of the consent log that explains why evidence is gone, in every log (docs/decisions/0038). Pure functions.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>

#include "base/bytes.hpp"
#include "features/published_logs/repository.hpp"

namespace consentry {

// The evidence about a subject was erased: its addenda exist no more.
struct ErasureEntry {
    std::chrono::sys_seconds time{};
    SubjectTag subject{};
    bool operator==(const ErasureEntry&) const = default;
};

inline constexpr std::uint8_t erasure_layout = 2;
inline constexpr std::size_t erasure_entry_bytes = 25;
// The layout (2), the time as a big-endian uint64 of seconds since 1970, the subject.
Bytes format_entry(const ErasureEntry& entry);
// Accepts exactly what format_entry() returns. The error is a sentence that says what is wrong.
std::expected<ErasureEntry, std::string> parse_erasure_entry(BytesView bytes);

}  // namespace consentry
