// Lines, numbers and hashes as C2SP's text formats spell them. Reading is strict: each value has one spelling.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tlog/merkle.hpp"

namespace consentry::tlog {

// Takes lines off the front of a text, which must outlive the reader. A line ends in a newline (U+000A), which next()
// leaves out.
class LineReader {
public:
    explicit LineReader(std::string_view text) : rest_(text) {}
    std::optional<std::string_view> next();  // nullopt if nothing is left, or no newline
    std::string_view rest() const { return rest_; }

private:
    std::string_view rest_;
};

// Decimal digits without a leading zero, unless the number is 0; nullopt for anything else and above 2^64 - 1.
std::optional<std::uint64_t> parse_decimal(std::string_view digits);

std::string hash_text(const Hash& hash);  // base64
std::optional<Hash> parse_hash(std::string_view base64);

// One line for each hash.
std::string hash_lines(const std::vector<Hash>& hashes);
// Reads such lines up to and including the empty line behind them. Refuses more than `count_max`.
std::expected<std::vector<Hash>, std::string> read_hash_lines(LineReader& lines, std::size_t count_max);

}  // namespace consentry::tlog
