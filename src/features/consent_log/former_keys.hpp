// The keys of receipts that an installation had at its upgrade from a version before 0.2, which stored them without a
// signature. The object store keeps this list, because a list in the database would not keep out those who can write
// there.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "features/consent_log/repository.hpp"

namespace consentry {

// In the private part of the object store. Written once.
inline constexpr std::string_view former_keys_object = "receipt-keys/former.json";
inline constexpr std::size_t former_keys_bytes_max = 1 << 20;

class FormerKeys {
public:
    explicit FormerKeys(const std::vector<ReceiptKey>& keys);
    // Reads what text() has written; nullopt if this is something else.
    static std::optional<FormerKeys> parse(std::string_view text);
    // The same for what the object store has. Throws LogRefused if it is something else.
    static FormerKeys stored(std::string_view text);

    std::string text() const;
    bool empty() const { return digests_.empty(); }
    // Whether the list has a key of this ID with exactly this JWK.
    bool has(const ReceiptKey& key) const;

private:
    FormerKeys() = default;
    std::map<std::string, std::string, std::less<>> digests_;  // SHA-256 of the JWKs, in hexadecimal, by ID
};

}  // namespace consentry
