// Forges tokens, signed with the service's own keys, so that only the aspect under test is wrong.
#pragma once

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>
#include <openssl/bn.h>

#include "base/bytes.hpp"
#include "crypto/signature_keys.hpp"
#include "tests/support/files.hpp"
#include "tests/support/service.hpp"

namespace consentry::tests {

// The members of a JSON object with their values as raw text, so that tests can write what JSON libraries would not.
class RawMembers {
public:
    explicit RawMembers(const json::object& object) {
        for (const auto& member : object) members_.emplace_back(member.key(), json::serialize(member.value()));
    }
    RawMembers with(std::string_view name, std::string_view raw) const {
        RawMembers out = without(name);
        out.members_.emplace_back(name, raw);
        return out;
    }
    RawMembers without(std::string_view name) const {
        RawMembers out = *this;
        std::erase_if(out.members_, [&](const auto& member) { return member.first == name; });
        return out;
    }
    // Appends a second member of the same name.
    RawMembers doubled(std::string_view name, std::string_view raw) const {
        RawMembers out = *this;
        out.members_.emplace_back(name, raw);
        return out;
    }
    std::string text() const {
        std::string out;
        for (const auto& [name, raw] : members_)
            out.append(out.empty() ? "{" : ",").append(json::serialize(json::string(name))).append(":").append(raw);
        return out.empty() ? "{}" : out + "}";
    }

private:
    std::vector<std::pair<std::string, std::string>> members_;
};

inline std::string segment_of(const std::string& token, int index) {
    std::size_t begin = 0;
    for (; index > 0; --index) begin = token.find('.', begin) + 1;
    return token.substr(begin, token.find('.', begin) - begin);
}
inline json::object object_in(const std::string& token, int index) {
    return json::parse(as_text(from_base64url(segment_of(token, index)).value())).as_object();
}
inline json::object claims_of(const std::string& token) { return object_in(token, 1); }
inline Bytes signature_of(const std::string& token) { return from_base64url(segment_of(token, 2)).value(); }

// Keeps header and payload and replaces the signature.
inline std::string with_signature(const std::string& token, BytesView signature) {
    return token.substr(0, token.rfind('.') + 1) + to_base64url(signature);
}

using Bignum = std::unique_ptr<BIGNUM, decltype(&BN_free)>;
inline Bignum bignum(BytesView bytes) {
    return {BN_bin2bn(bytes.data(), static_cast<int>(bytes.size()), nullptr), &BN_free};
}
inline Bignum bignum(const std::string& hex) {
    const Bytes bytes = from_hex(hex).value();
    return bignum(BytesView(bytes));
}

// Returns the group order for a signature length: 64 bytes for P-256, 132 bytes for P-521.
inline Bignum group_order(std::size_t signature_bytes) {
    if (signature_bytes == 64) return bignum("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551");
    return bignum("01" + std::string(64, 'f') + "fa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409");
}

// Returns the other valid form of an ECDSA signature: s becomes n - s (TOK-3).
inline std::string twin_of(const std::string& token) {
    Bytes signature = signature_of(token);
    const std::size_t half = signature.size() / 2;
    const Bignum order = group_order(signature.size());
    const Bignum s = bignum(BytesView(signature).subspan(half));
    BN_sub(s.get(), order.get(), s.get());
    if (BN_bn2binpad(s.get(), signature.data() + half, static_cast<int>(half)) < 0)
        throw std::logic_error("the order of another group");
    return with_signature(token, signature);
}

inline std::filesystem::path key_folder(const Service& service) { return service.folder() / "data" / "keys"; }

// Returns the file of the key that signed a token.
inline std::filesystem::path key_file(const Service& service, const std::string& token) {
    const std::string kid(object_in(token, 0).at("kid").as_string());
    for (const auto& entry : std::filesystem::directory_iterator(key_folder(service)))
        if (entry.path().filename().string().ends_with(kid + ".pem")) return entry.path();
    throw std::runtime_error("no key file for " + kid);
}

class Forge {
public:
    // Signs with the key that signed `token`, a token of the service.
    Forge(const Service& service, const std::string& token)
        : header(object_in(token, 0)),
          claims(tests::claims_of(token)),
          key(crypto::PrivateKey::from_pem(text_in(key_file(service, token)),
                                           crypto::find_algorithm(object_in(token, 0).at("alg").as_string()).value())
                  .value()) {}

    std::string sign(const RawMembers& its_header, const RawMembers& its_claims) const {
        return sign_text(its_header.text(), its_claims.text());
    }
    std::string sign_text(std::string_view its_header, std::string_view its_claims) const {
        const std::string input = to_base64url(as_bytes(its_header)) + "." + to_base64url(as_bytes(its_claims));
        return input + "." + to_base64url(as_bytes(key.sign(input)));
    }
    std::string with_claim(std::string_view name, std::string_view raw) const {
        return sign(header, claims.with(name, raw));
    }
    std::string without_claim(std::string_view name) const { return sign(header, claims.without(name)); }
    std::string with_header(std::string_view name, std::string_view raw) const {
        return sign(header.with(name, raw), claims);
    }
    std::string kid() const { return key.public_key().thumbprint(); }

    RawMembers header;
    RawMembers claims;
    crypto::PrivateKey key;
};

inline std::string as_json(std::string_view text) { return json::serialize(json::string(text)); }

inline Answer status_with(const Service& service, const std::string& token) {
    return service.get("/api/shared/user/2fa/status", bearer(token));
}
inline Answer refresh_with(const Service& service, const std::string& token) {
    return service.post("/api/shared/user/refresh", {}, bearer(token));
}

// The body without its metadata, which differs between answers.
inline json::value without_metadata(const Answer& answer) {
    json::value out = answer.json;
    if (out.is_object()) out.as_object().erase("metadata");
    return out;
}

// Expects the refusal to be indistinguishable from others: status, code, body and header names equal those for a
// malformed token.
inline void expect_refused_token(const Service& service, const std::string& token, const std::string& what) {
    const auto names = [](const Answer& answer) {
        std::vector<std::string> out;
        for (const auto& header : answer.headers) out.push_back(header.first);
        return out;
    };
    const Answer reference = status_with(service, "nonsense");
    const Answer answer = status_with(service, token);
    EXPECT_EQ(answer.status, 401U) << what;
    EXPECT_EQ(answer.code_name(), "jwtAccessTokenInvalid") << what;
    EXPECT_EQ(without_metadata(answer), without_metadata(reference)) << what;
    EXPECT_EQ(names(answer), names(reference)) << what;
}

}  // namespace consentry::tests
