// Addresses below this service that let whoever has them read or write one private object for a while:
//
//     BASE/files/private/KEY?expires=SECONDS&signature=...
//     BASE/files/private/KEY?expires=SECONDS&type=MIME&size=BYTES&signature=...
//
// The signature is HMAC-SHA256 over method and address. An address is checked by making it once more and comparing the
// whole: there is one spelling of each, and nothing in it that only one side looks at.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "storage/object_store.hpp"

namespace consentry::storage {

class PresignedAddresses final : public OwnAddresses {
public:
    // Of the secrets the first one signs, all are good: a new one can be put in front.
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
