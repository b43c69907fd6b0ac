// New token keys reach instances one after another, by the steps in docs/guides/tokens-and-sessions.md.
#include <vector>

#include <gtest/gtest.h>

#include "base/bytes.hpp"
#include "crypto/signature_keys.hpp"
#include "tests/instances/fleet.hpp"

namespace consentry::tests {
namespace {

using crypto::PrivateKey;
using crypto::SignatureAlgorithm;

struct TokenKeys {
    PrivateKey access = PrivateKey::generate(SignatureAlgorithm::es256);
    PrivateKey refresh = PrivateKey::generate(SignatureAlgorithm::es512);

    // Settings with which these keys sign, and those of `also` verify as well.
    Settings sign(const TokenKeys* also = nullptr) const {
        Settings out{{"AUTH_JWT_ACCESS_TOKEN_PRIVATE_KEY", to_base64(access.pkcs8_der())},
                     {"AUTH_JWT_REFRESH_TOKEN_PRIVATE_KEY", to_base64(refresh.pkcs8_der())}};
        if (also == nullptr) return out;
        out["AUTH_JWT_ACCESS_TOKEN_PUBLIC_KEY"] = to_base64(also->access.public_key().spki_der());
        out["AUTH_JWT_REFRESH_TOKEN_PUBLIC_KEY"] = to_base64(also->refresh.public_key().spki_der());
        return out;
    }
};

// The sessions of one user, who meets either instance with any request.
class Logins {
public:
    explicit Logins(Fleet& fleet) : fleet_(fleet), person_(fleet.make_person()) {}

    // Expects that the tokens of each session work at both instances, as do those that a refresh at either returns.
    void expect_all_work() {
        for (std::size_t i = 0; i < fleet_.size(); ++i) sessions_.push_back(tokens_of(fleet_.client(i), person_));
        for (std::size_t session = 0; session < sessions_.size(); ++session)
            for (std::size_t turn = 0; turn < 2; ++turn) {
                expect_works(sessions_[session]);
                // Half of the sessions keep tokens of the first instance, and half of them those of the second one.
                const Answer refreshed = refresh(fleet_.client(session + turn), sessions_[session].refresh);
                ASSERT_EQ(refreshed.status, 200U) << refreshed.body;
                sessions_[session] = refreshed_tokens_in(refreshed);
                expect_works(sessions_[session]);
            }
    }

private:
    void expect_works(const TokenTexts& tokens) const {
        for (std::size_t i = 0; i < fleet_.size(); ++i) EXPECT_EQ(knock(fleet_.client(i), tokens.access), 200U) << i;
    }

    Fleet& fleet_;
    Person person_;
    std::vector<TokenTexts> sessions_;
};

TEST(CRY_4, ARotationInstanceByInstanceEndsNoSession) {
    const TokenKeys former;
    const TokenKeys next;
    Settings first = former.sign();
    first["SESSION_MAX_PER_USER"] = "100";
    SharedFleet fleet(2, first);
    Logins logins(*fleet);
    logins.expect_all_work();
    for (const Settings& step : {former.sign(&next), next.sign(&former), next.sign()})
        for (std::size_t instance = 0; instance < 2; ++instance) {
            ASSERT_EQ(fleet->at(instance).stop().code, 0) << fleet->at(instance).program().err();
            fleet->start(instance, step);
            logins.expect_all_work();
            if (::testing::Test::HasFailure()) return;
        }
}

}  // namespace
}  // namespace consentry::tests
