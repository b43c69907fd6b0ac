#include "storage/filesystem/presigned_addresses.hpp"

#include <charconv>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "base/percent_encoding.hpp"
#include "crypto/digest.hpp"

namespace consentry::storage {
namespace {

constexpr std::string_view private_path = "/files/private/";
constexpr std::string_view public_path = "/files/public/";

std::string terms_to_get(std::int64_t expires) { return fmt::format("expires={}", expires); }

// RFC 3986 section 3.4 allows an unescaped slash in a query.
std::string terms_to_put(std::string_view mime, std::uint64_t size, std::int64_t expires) {
    return fmt::format("expires={}&type={}&size={}", expires, percent_encoded(mime, "/"), size);
}

// Accepts any spelling of the number: the comparison of the whole address accepts only one.
std::optional<std::int64_t> expiry_in(std::string_view query) {
    constexpr std::string_view name = "expires=";
    if (!query.starts_with(name)) return std::nullopt;
    query.remove_prefix(name.size());
    std::int64_t out = 0;
    const auto read = std::from_chars(query.data(), query.data() + query.size(), out);
    return read.ec == std::errc{} ? std::optional(out) : std::nullopt;
}

std::string signature_of(BytesView key, std::string_view method, std::string_view object, std::string_view terms) {
    const std::string text = fmt::format("{} {}{}?{}", method, private_path, object, terms);
    return to_base64url(crypto::hmac_sha256(key, as_bytes(text)));
}

}  // namespace

PresignedAddresses::PresignedAddresses(std::string base, const std::vector<std::string>& secrets)
    : base_(std::move(base)) {
    if (secrets.empty()) throw std::invalid_argument("presigned addresses: no secret to sign with");
    for (const std::string& secret : secrets)
        keys_.push_back(crypto::hkdf_sha256(as_bytes(secret), "consentry file address", 32));
}

PresignedAddresses::~PresignedAddresses() {
    for (Bytes& key : keys_) crypto::wipe(key);
}

std::string PresignedAddresses::address(std::string_view method, std::string_view key, const std::string& terms) const {
    return fmt::format("{}{}{}?{}&signature={}", base_, private_path, key, terms,
                       signature_of(keys_.front(), method, key, terms));
}

std::string PresignedAddresses::to_get(std::string_view key, TimePoint until) const {
    return address("GET", key, terms_to_get(epoch_seconds(until)));
}

std::string PresignedAddresses::to_put(std::string_view key, std::string_view mime, std::uint64_t size,
                                       TimePoint until) const {
    return address("PUT", key, terms_to_put(mime, size, epoch_seconds(until)));
}

std::string PresignedAddresses::to_public(std::string_view key) const {
    return fmt::format("{}{}{}", base_, public_path, key);
}

bool PresignedAddresses::is_signed(std::string_view method, std::string_view key, const std::string& terms,
                                   std::string_view query) const {
    bool out = false;
    for (const Bytes& secret : keys_) {
        const std::string right = fmt::format("{}&signature={}", terms, signature_of(secret, method, key, terms));
        if (crypto::equal_constant_time(as_bytes(right), as_bytes(query))) out = true;
    }
    return out;
}

bool PresignedAddresses::admits_get(std::string_view key, std::string_view query, TimePoint now) const {
    const auto expires = expiry_in(query);
    return expires && epoch_seconds(now) < *expires && is_object_key(key) &&
           is_signed("GET", key, terms_to_get(*expires), query);
}

bool PresignedAddresses::admits_put(std::string_view key, std::string_view mime, std::uint64_t size,
                                    std::string_view query, TimePoint now) const {
    const auto expires = expiry_in(query);
    return expires && epoch_seconds(now) < *expires && is_object_key(key) &&
           is_signed("PUT", key, terms_to_put(mime, size, *expires), query);
}

}  // namespace consentry::storage
