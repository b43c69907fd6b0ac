// Public keys in JSON (RFC 7517, 7518 section 6, 8037 section 2), and the validation of each key on load.
#include <algorithm>

#include <openssl/core_names.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>
#include <sodium.h>

#include "base/json_values.hpp"
#include "base/strict_json.hpp"
#include "crypto/digest.hpp"
#include "crypto/key_parts.hpp"

namespace consentry::crypto {
namespace {

namespace json = boost::json;
using ParameterBuilder = Handle<OSSL_PARAM_BLD, OSSL_PARAM_BLD_free>;

constexpr std::size_t rsa_bits_min = 2048;
constexpr std::size_t rsa_bits_max = 8192;  // an oversized key must not turn verification into a denial of service

Bytes big_endian(const BIGNUM* number, std::size_t size) {
    Bytes out(size);
    require(BN_bn2binpad(number, out.data(), static_cast<int>(size)) >= 0, "reading a key");
    return out;
}

BignumHandle number_of(const EVP_PKEY* key, const char* name) {
    BIGNUM* number = nullptr;
    require(EVP_PKEY_get_bn_param(key, name, &number) == 1, "reading a key");
    return BignumHandle(number);
}

// RSA moduli of the flawed Infineon generator are powers of 65537 modulo each small prime (Nemec et al., 2017); a sound
// modulus passes all of these tests by chance once in 2^27.
bool has_roca_mark(const BIGNUM* modulus) {
    constexpr unsigned primes[] = {3,   5,   7,   11,  13,  17,  19,  23,  29,  31,  37,  41,  43,
                                   47,  53,  59,  61,  67,  71,  73,  79,  83,  89,  97,  101, 103,
                                   107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167};
    return std::ranges::all_of(primes, [&](unsigned prime) {
        const BN_ULONG rest = BN_mod_word(modulus, prime);
        BN_ULONG power = 1;
        do {
            if (power == rest) return true;
            power = power * 65537 % prime;
        } while (power != 1);
        return false;
    });
}

std::string check_rsa(EVP_PKEY* key, json::object& jwk) {
    const BignumHandle modulus = number_of(key, OSSL_PKEY_PARAM_RSA_N);
    const BignumHandle exponent = number_of(key, OSSL_PKEY_PARAM_RSA_E);
    const auto bits = static_cast<std::size_t>(BN_num_bits(modulus.get()));
    if (bits < rsa_bits_min || bits > rsa_bits_max) return "an RSA key must have 2048 to 8192 bits";
    if (!BN_is_odd(exponent.get()) || BN_is_one(exponent.get()) || BN_num_bits(exponent.get()) > 64)
        return "unsupported RSA exponent";
    if (has_roca_mark(modulus.get())) return "the RSA key comes from a vulnerable generator (CVE-2017-15361)";
    jwk["kty"] = "RSA";
    jwk["n"] = to_base64url(big_endian(modulus.get(), static_cast<std::size_t>(BN_num_bytes(modulus.get()))));
    jwk["e"] = to_base64url(big_endian(exponent.get(), static_cast<std::size_t>(BN_num_bytes(exponent.get()))));
    return {};
}

std::string check_ec(EVP_PKEY* key, const AlgorithmFacts& facts, json::object& jwk) {
    std::array<char, 64> group{};
    if (EVP_PKEY_get_group_name(key, group.data(), group.size(), nullptr) != 1 ||
        facts.group != std::string(group.data()))
        return "the key is not on curve " + std::string(facts.curve);
    int by_parameters = 0;
    if (EVP_PKEY_get_int_param(key, OSSL_PKEY_PARAM_EC_DECODED_FROM_EXPLICIT_PARAMS, &by_parameters) == 1 &&
        by_parameters != 0)
        return "the curve must be given by name, not by parameters";  // CVE-2020-0601
    const KeyContext check(EVP_PKEY_CTX_new_from_pkey(nullptr, key, nullptr));
    require(check != nullptr, "memory");
    // The quick check suffices: these curves have cofactor 1, so every point on them has the full order.
    if (EVP_PKEY_public_check_quick(check.get()) != 1) return "the point is not on the curve";
    jwk["kty"] = "EC";
    jwk["crv"] = facts.curve;
    jwk["x"] = to_base64url(big_endian(number_of(key, OSSL_PKEY_PARAM_EC_PUB_X).get(), facts.integer_bytes));
    jwk["y"] = to_base64url(big_endian(number_of(key, OSSL_PKEY_PARAM_EC_PUB_Y).get(), facts.integer_bytes));
    return {};
}

std::string check_ed25519(EVP_PKEY* key, std::array<std::uint8_t, 32>& raw, json::object& jwk) {
    std::size_t size = raw.size();
    if (EVP_PKEY_get_raw_public_key(key, raw.data(), &size) != 1 || size != raw.size()) return "not an Ed25519 key";
    if (crypto_core_ed25519_is_valid_point(raw.data()) != 1) return "the point is not in the curve's main group";
    jwk["kty"] = "OKP";
    jwk["crv"] = "Ed25519";
    jwk["x"] = to_base64url(raw);
    return {};
}

KeyHandle key_from(const char* type, const std::vector<std::pair<const char*, BytesView>>& numbers, const char* group,
                   BytesView point) {
    const ParameterBuilder builder(OSSL_PARAM_BLD_new());
    require(builder != nullptr, "memory");
    std::vector<BignumHandle> kept;
    for (const auto& [name, bytes] : numbers) {
        kept.emplace_back(BN_bin2bn(bytes.data(), static_cast<int>(bytes.size()), nullptr));
        require(kept.back() && OSSL_PARAM_BLD_push_BN(builder.get(), name, kept.back().get()) == 1, "memory");
    }
    if (group != nullptr)
        require(OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, group, 0) == 1 &&
                    OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(),
                                                     point.size()) == 1,
                "memory");
    const Parameters parameters(OSSL_PARAM_BLD_to_param(builder.get()));
    const KeyContext context(EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr));
    require(parameters && context && EVP_PKEY_fromdata_init(context.get()) == 1, "reading a key");
    EVP_PKEY* key = nullptr;
    if (EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, parameters.get()) != 1) return nullptr;
    return KeyHandle(key);
}

// Returns why this key must not be used to verify, or an empty string.
std::string forbidden(const json::object& jwk) {
    for (const std::string_view name : {"d", "p", "q", "dp", "dq", "qi", "oth", "k"})
        if (jwk.contains(name)) return "a published key has private members";
    for (const std::string_view name : {"alg", "use", "kid"})
        if (const auto* value = jwk.if_contains(name); value != nullptr && !value->is_string())
            return std::string(name) + " is not a string";
    if (jwk.contains("use") && text_or_empty(jwk, "use") != "sig") return "`use` does not allow verification";
    if (const auto* operations = jwk.if_contains("key_ops")) {
        const auto* list = operations->if_array();
        if (list == nullptr || std::ranges::find(*list, json::value("verify")) == list->end())
            return "`key_ops` does not allow verification";
    }
    return {};
}

std::optional<SignatureAlgorithm> implied_algorithm(const json::object& jwk) {
    const std::string_view kty = text_or_empty(jwk, "kty");
    if (kty == "RSA") return SignatureAlgorithm::rs256;
    const std::string_view crv = text_or_empty(jwk, "crv");
    for (const auto algorithm : {SignatureAlgorithm::es256, SignatureAlgorithm::es384, SignatureAlgorithm::es512})
        if (kty == "EC" && crv == facts_of(algorithm).curve) return algorithm;
    if (kty == "OKP" && crv == facts_of(SignatureAlgorithm::eddsa).curve) return SignatureAlgorithm::eddsa;
    return std::nullopt;
}

KeyHandle key_of(const json::object& jwk, const AlgorithmFacts& facts) {
    const auto bytes = [&](std::string_view name) {
        return from_base64url(text_or_empty(jwk, name)).value_or(Bytes{});
    };
    if (facts.algorithm == SignatureAlgorithm::rs256) {
        const Bytes modulus = bytes("n");
        const Bytes exponent = bytes("e");
        if (modulus.empty() || exponent.empty() || modulus.size() > rsa_bits_max / 8 || exponent.size() > 8)
            return nullptr;
        return key_from("RSA", {{OSSL_PKEY_PARAM_RSA_N, modulus}, {OSSL_PKEY_PARAM_RSA_E, exponent}}, nullptr, {});
    }
    const Bytes x = bytes("x");
    if (x.size() != facts.integer_bytes) return nullptr;
    if (facts.algorithm == SignatureAlgorithm::eddsa)
        return KeyHandle(EVP_PKEY_new_raw_public_key_ex(nullptr, "ED25519", nullptr, x.data(), x.size()));
    const Bytes y = bytes("y");
    if (y.size() != facts.integer_bytes) return nullptr;
    Bytes point{4};  // uncompressed, SEC 1 section 2.3.3
    point.insert(point.end(), x.begin(), x.end());
    point.insert(point.end(), y.begin(), y.end());
    return key_from("EC", {}, facts.group, point);
}

}  // namespace

std::expected<PublicKey, std::string> PublicKey::adopt(evp_pkey_st* owned, SignatureAlgorithm algorithm) {
    KeyHandle key(owned);
    auto parts = std::make_shared<Parts>();
    parts->facts = &facts_of(algorithm);
    const char* type = algorithm == SignatureAlgorithm::rs256   ? "RSA"
                       : algorithm == SignatureAlgorithm::eddsa ? "ED25519"
                                                                : "EC";
    if (EVP_PKEY_is_a(key.get(), type) != 1)
        return std::unexpected("the key type does not match " + std::string(parts->facts->name));
    const std::string wrong = algorithm == SignatureAlgorithm::rs256 ? check_rsa(key.get(), parts->jwk)
                              : algorithm == SignatureAlgorithm::eddsa
                                  ? check_ed25519(key.get(), parts->ed25519, parts->jwk)
                                  : check_ec(key.get(), *parts->facts, parts->jwk);
    if (!wrong.empty()) return std::unexpected(wrong);
    if (algorithm != SignatureAlgorithm::eddsa) {
        parts->verifier.reset(EVP_PKEY_CTX_new_from_pkey(nullptr, key.get(), nullptr));
        require(parts->verifier && EVP_PKEY_verify_init(parts->verifier.get()) == 1, "verification");
    }
    if (algorithm == SignatureAlgorithm::rs256)
        require(EVP_PKEY_CTX_set_rsa_padding(parts->verifier.get(), RSA_PKCS1_PADDING) == 1 &&
                    EVP_PKEY_CTX_set_signature_md(parts->verifier.get(), EVP_sha256()) == 1,
                "verification");
    parts->key = std::move(key);
    return PublicKey(std::move(parts));
}

std::expected<PublicKey, std::string> PublicKey::from_jwk(const json::object& jwk) {
    const ErrorsForgotten forgotten;
    if (const std::string reason = forbidden(jwk); !reason.empty()) return std::unexpected(reason);
    const auto algorithm = implied_algorithm(jwk);
    if (!algorithm) return std::unexpected("unsupported kty or crv");
    const AlgorithmFacts& facts = facts_of(*algorithm);
    if (jwk.contains("alg") && text_or_empty(jwk, "alg") != facts.name)
        return std::unexpected("`alg` does not match the key: expected " + std::string(facts.name));
    KeyHandle key = key_of(jwk, facts);
    if (!key) return std::unexpected("not a valid " + std::string(facts.name) + " public key");
    return adopt(key.release(), *algorithm);
}

std::string PublicKey::thumbprint() const {
    // RFC 7638 section 3: the required members only, in lexicographic order, without white space.
    std::string canonical = "{";
    for (const std::string_view name : {"crv", "e", "kty", "n", "x", "y"}) {
        const std::string_view value = text_or_empty(parts_->jwk, name);
        if (value.empty()) continue;
        if (canonical.size() > 1) canonical.push_back(',');
        append_json_string(canonical, name);
        canonical.push_back(':');
        append_json_string(canonical, value);
    }
    canonical.push_back('}');
    return to_base64url(sha256(canonical));
}

}  // namespace consentry::crypto
