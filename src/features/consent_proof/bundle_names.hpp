// The members of an auditor's bundle. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "crypto/digest.hpp"

namespace consentry::bundle {

inline constexpr std::string_view readme = "README.txt";
inline constexpr std::string_view sums = "SHA256SUMS";
inline constexpr std::string_view addenda = "addenda.ndjson";
inline constexpr std::string_view checkpoint = "checkpoint";
inline constexpr std::string_view description = "description.note";
inline constexpr std::string_view documents = "documents/";
inline constexpr std::string_view manifest = "manifest.note";
inline constexpr std::string_view policy = "policy.txt";
inline constexpr std::string_view proofs = "proofs/";
inline constexpr std::string_view entries = "tile/entries/";
inline constexpr std::string_view timestamps = "timestamps/";
inline constexpr std::string_view verifier = "verify.html";

inline std::string document_name(const crypto::Sha256& content) { return std::string(documents) + to_hex(content); }
inline std::string proof_name(std::uint64_t index) { return fmt::format("{}{:012}.tlog-proof", proofs, index); }
// The text that the authority stamped, its answer, and what connects the text with the checkpoint of the bundle.
inline std::string stamped_text_name(std::uint64_t size) { return fmt::format("{}{}.txt", timestamps, size); }
inline std::string stamp_name(std::uint64_t size) { return fmt::format("{}{}.tsr", timestamps, size); }
inline std::string consistency_name(std::uint64_t size) { return fmt::format("{}{}.consistency", timestamps, size); }
inline std::string sums_line(const crypto::Sha256& digest, std::string_view name) {
    return fmt::format("{}  {}\n", to_hex(digest), name);
}
// What is before an addendum in its line, and what follows it.
inline std::string addendum_start(std::uint64_t index) { return fmt::format("{{\"index\":{},\"addendum\":", index); }
inline constexpr std::string_view addendum_end = "}\n";

}  // namespace consentry::bundle
