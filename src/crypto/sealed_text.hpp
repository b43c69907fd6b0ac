// Sealed values as text for addresses and cookies: letters, digits, '-' and '_'.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "crypto/aead.hpp"

namespace consentry::crypto {

std::string sealed_text(const SealingKeys& keys, std::string_view content, std::string_view bound_to);
// Returns nullopt unless the text was sealed with one of the keys and bound to the same.
std::optional<std::string> opened_text(const SealingKeys& keys, std::string_view text, std::string_view bound_to);

}  // namespace consentry::crypto
