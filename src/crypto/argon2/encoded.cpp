#include "crypto/argon2/encoded.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "crypto/phc_text.hpp"

namespace consentry::crypto::argon2 {
namespace {

struct TypeName {
    std::string_view name;
    Type type;
};
constexpr TypeName type_names[] = {
    {"argon2d", Type::argon2d}, {"argon2i", Type::argon2i}, {"argon2id", Type::argon2id}};

std::string_view name_of(Type type) {
    for (const TypeName& known : type_names)
        if (known.type == type) return known.name;
    return {};
}

std::optional<Type> type_of(std::string_view name) {
    for (const TypeName& known : type_names)
        if (known.name == name) return known.type;
    return std::nullopt;
}

std::string unpadded_base64(BytesView bytes) {
    std::string out = to_base64(bytes);
    while (out.ends_with('=')) out.pop_back();
    return out;
}

// m=19456,t=2,p=1: each once, in any order.
bool read_costs(std::string_view text, Parameters& out) {
    const auto parts = split(text, ',');
    if (parts.size() != 3) return false;
    std::string_view missing = "mtp";
    std::string seen;
    for (const std::string_view part : parts) {
        if (part.size() < 3 || part[1] != '=' || !missing.contains(part[0]) || seen.contains(part[0])) return false;
        seen += part[0];
        const auto value = phc_number(part.substr(2));
        if (!value) return false;
        (part[0] == 'm' ? out.memory_kib : part[0] == 't' ? out.passes : out.lanes) = *value;
    }
    return true;
}

}  // namespace

std::string encode(const Encoded& hash) {
    const Parameters& costs = hash.parameters;
    return fmt::format("${}$v={}$m={},t={},p={}${}${}", name_of(costs.type), version, costs.memory_kib, costs.passes,
                       costs.lanes, unpadded_base64(hash.salt), unpadded_base64(hash.tag));
}

std::optional<Encoded> decode(std::string_view text) {
    const auto parts = split(text, '$');
    if (parts.size() != 6 || !parts[0].empty() || parts[2] != "v=19") return std::nullopt;
    static_assert(version == 19);
    const auto type = type_of(parts[1]);
    auto salt = from_unpadded_base64(parts[4]);
    auto tag = from_unpadded_base64(parts[5]);
    Encoded out;
    if (!type || !salt || !tag || !read_costs(parts[3], out.parameters)) return std::nullopt;
    out.parameters.type = *type;
    out.salt = std::move(*salt);
    out.tag = std::move(*tag);
    return out;
}

}  // namespace consentry::crypto::argon2
