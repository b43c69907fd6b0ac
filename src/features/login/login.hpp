// The roads to tokens. All of them end in one place, Login::finish(), which asks for the second factor where it is on:
// a road that forgets it cannot be built from these parts (TFA-14).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "features/login/challenges.hpp"
#include "features/login/repository.hpp"
#include "features/login/social_accounts.hpp"
#include "features/passwords/passwords.hpp"
#include "features/sessions/sessions.hpp"
#include "features/two_factor/two_factor.hpp"

namespace consentry {

// Either tokens, or a challenge; with `setup`, a challenge for a forced set-up.
struct LoginAnswer {
    std::optional<TokenPair> tokens;
    Role role = Role::user;
    bool must_change_password = false;  // with tokens: they open the change of a temporary password alone
    std::string challenge;
    std::int64_t backup_codes_remaining = 0;
    std::optional<NewSecret> setup;
};

class Login {
public:
    // `challenge_secrets` seal the challenges; see Challenges.
    Login(storage::Database& database, storage::Cache& cache, const Clock& clock, UserRepository& users,
          Sessions& sessions, TwoFactor& two_factor, Passwords& passwords, SocialAccounts& social, Audit audit,
          const std::vector<std::string>& challenge_secrets);

    awaitable<Result<LoginAnswer>> with_credential(std::string email, std::string password, Origin origin, Cause cause);
    // With an identity token that social_guard.hpp has checked: good for one login.
    awaitable<Result<LoginAnswer>> with_social(Identity identity, SocialRequest request, Origin origin, Cause cause);
    // The second step: spends the challenge and the proof, begins the session, all in one transaction.
    awaitable<Result<LoginAnswer>> verify(std::string challenge, Proof proof, Origin seen, Cause cause);
    // The second step of a forced set-up: turns two-factor on. The challenge stays good for one verification.
    awaitable<Result<std::vector<std::string>>> enable(std::string challenge, std::string code, Cause cause);

private:
    // A first step, and whose it was, where an account was found.
    struct FirstStep {
        std::optional<UserId> owner;
        Result<LoginAnswer> answer;
    };
    awaitable<FirstStep> check_credential(std::string email, std::string password, Origin origin, const Cause& cause);
    awaitable<Result<LoginAnswer>> check_password(std::optional<User> user, std::string email, std::string password,
                                                  Origin origin, const Cause& cause);
    // After the right password.
    awaitable<Result<LoginAnswer>> admit(User user, std::string password, bool needs_rehash, Origin origin,
                                         const Cause& cause);
    awaitable<FirstStep> check_social(Identity identity, SocialRequest request, Origin origin, const Cause& cause);
    // What came of a step, for the security events.
    template <class T>
    void tell(std::string_view step, const Result<T>& result, std::optional<UserId> user, const Cause& cause) const;
    // What the first factor brings along.
    struct Grounds {
        storage::Transaction spent = {};    // written with the challenge, or else with the session
        storage::Transaction account = {};  // written with the session
        std::optional<IdentityUse> identity = {};
        bool takes_over = false;  // `account` ends whatever was granted before, a second factor included
    };
    // After the first factor. Errors beyond the account's state: changed_under() the way in.
    awaitable<Result<LoginAnswer>> finish(User user, Origin origin, Grounds grounds, const Cause& cause);
    awaitable<Result<LoginAnswer>> challenge(User user, const TwoFactorRecord& factor, Origin origin, Grounds grounds);
    // The challenge and its account, both still good.
    struct Open {
        Challenge challenge;
        User user;
    };
    awaitable<Result<Open>> open(std::string token);
    awaitable<Result<LoginAnswer>> answer_challenge(Open opened, std::string token, Proof proof, Origin seen,
                                                    const Cause& cause);
    // The transaction that begins this session. Where its answer is lost, the session's row tells the outcome.
    awaitable<storage::Outcome> commit(storage::Transaction transaction, SessionId session);

    storage::Database& database_;
    const Clock& clock_;
    Challenges challenges_;
    UserRepository& users_;
    Sessions& sessions_;
    TwoFactor& two_factor_;
    Passwords& passwords_;
    SocialAccounts& social_;
    Audit audit_;
};

}  // namespace consentry
