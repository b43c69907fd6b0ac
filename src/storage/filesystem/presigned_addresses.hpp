// Addresses of this service that let their bearer read or write one private object for a limited time:
//
//     BASE/files/private/KEY?expires=SECONDS&signature=...
//     BASE/files/private/KEY?expires=SECONDS&type=MIME&size=BYTES&signature=...
//
// The signature is HMAC-SHA256 over method and address. An address is verified by generating it again and comparing the
// whole, so each address has exactly one spelling and no part escapes the check.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "storage/object_store.hpp"

namespace consentry::storage {

class PresignedAddresses final : public OwnAddresses {
public:
    // The first secret signs, all secrets verify, so a secret is rotated by adding the new one in front.
    PresignedAddresses(std::string base, const std::vector<std::string>& secrets);
    ~PresignedAddresses() override;
    PresignedAddresses(const PresignedAddresses&) = delete;
    PresignedAddresses& operator=(const PresignedAddresses&) = delete;

    std::string to_get(std::string_view key, TimePoint until) const;
    std::string to_put(std::string_view key, std::string_view mime, std::uint64_t size, TimePoint until) const;
    std::string to_public(std::string_view key) const;

    bool admits_get(std::string_view key, std::string_view query, TimePoint now) const override;
    bool admits_put(std::string_view key, std::string_view mime, std::uint64_t size, std::string_view query,
                    TimePoint now) const override;

private:
    std::string address(std::string_view method, std::string_view key, const std::string& terms) const;
    bool is_signed(std::string_view method, std::string_view key, const std::string& terms,
                   std::string_view query) const;

    std::string base_;
    std::vector<Bytes> keys_;
};

}  // namespace consentry::storage
