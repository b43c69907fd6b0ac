#include "crypto/jws.hpp"

#include "base/strict_json.hpp"

namespace consentry::crypto {
namespace {

namespace json = boost::json;

constexpr JsonLimits token_limits{.depth_max = 8, .members_max = 200};

std::optional<json::object> parse_object(BytesView text) {
    auto value = parse_strict_json(as_text(text), token_limits);
    if (!value || !value->is_object()) return std::nullopt;
    return std::move(value->get_object());
}

// Returns false if the member is present but not a string.
bool take_text(const json::object& header, std::string_view name, std::string& out) {
    const auto* value = header.if_contains(name);
    if (value == nullptr) return true;
    if (!value->is_string()) return false;
    out = std::string(value->get_string());
    return true;
}

}  // namespace

std::string sign_jws(const PrivateKey& key, std::string_view kid, std::string_view typ, std::string_view payload_json) {
    std::string header = R"({"alg":)";
    append_json_string(header, name_of(key.algorithm()));
    header += R"(,"kid":)";
    append_json_string(header, kid);
    header += R"(,"typ":)";
    append_json_string(header, typ);
    header += '}';
    std::string token = to_base64url(as_bytes(header));
    token += '.';
    token += to_base64url(as_bytes(payload_json));
    const std::string signature = key.sign(token);
    token += '.';
    token += to_base64url(as_bytes(signature));
    return token;
}

std::optional<SignedMessage> parse_signed_message(std::string_view token) {
    if (token.size() > token_size_max) return std::nullopt;
    const auto first = token.find('.');
    if (first == std::string_view::npos) return std::nullopt;
    const auto second = token.find('.', first + 1);
    if (second == std::string_view::npos) return std::nullopt;
    // A third dot would be in the last segment, where base64url decoding rejects it.
    const auto header_bytes = from_base64url(token.substr(0, first));
    auto payload = from_base64url(token.substr(first + 1, second - first - 1));
    auto signature = from_base64url(token.substr(second + 1));
    if (!header_bytes || !payload || !signature || payload->empty() || signature->empty()) return std::nullopt;

    const auto header = parse_object(*header_bytes);
    if (!header) return std::nullopt;
    for (const std::string_view refused : {"crit", "b64", "jwk", "jku", "x5u", "x5c"})
        if (header->contains(refused)) return std::nullopt;
    SignedMessage out;
    if (!take_text(*header, "alg", out.alg) || !take_text(*header, "kid", out.kid) ||
        !take_text(*header, "typ", out.typ) || out.alg.empty())
        return std::nullopt;
    out.signing_input = token.substr(0, second);
    out.signature = std::move(*signature);
    out.payload = std::move(*payload);
    return out;
}

std::optional<CompactJws> parse_jws(std::string_view token) {
    auto message = parse_signed_message(token);
    if (!message || message->kid.empty()) return std::nullopt;
    auto claims = parse_object(message->payload);
    if (!claims) return std::nullopt;
    return CompactJws{.signing_input = message->signing_input,
                      .signature = std::move(message->signature),
                      .alg = std::move(message->alg),
                      .kid = std::move(message->kid),
                      .typ = std::move(message->typ),
                      .claims = std::move(*claims)};
}

}  // namespace consentry::crypto
