// The ways to obtain tokens. Each first step ends in Login::finish(), which demands the second factor of accounts that
// have one enabled, so no way in can forget it (TFA-14). verify(), the second step, ends in answer_challenge().
//
// A login with a password passes check_password(), which judges the password; admit(), which refuses accounts that may
// not log in; finish(), which answers with a challenge or starts the session; and the statement of
// LoginRepository::add_login(), which fails the login if the account has changed meanwhile. Sessions::add_to() adds the
// row of the session to the same transaction.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "features/login/challenges.hpp"
#include "features/login/login_counts.hpp"
#include "features/login/repository.hpp"
#include "features/login/social_accounts.hpp"
#include "features/login/social_guard.hpp"
#include "features/passwords/passwords.hpp"
#include "features/sessions/sessions.hpp"
#include "features/two_factor/two_factor.hpp"

namespace consentry {

// Holds either a grant (tokens, or a cookie if the origin asked for one) or a challenge. With `setup`, the challenge is
// for a forced set-up.
struct LoginAnswer {
    std::optional<Grant> grant;
    Role role = Role::user;
    bool must_change_password = false;  // the grant then permits only changing the temporary password
    std::string challenge;
    std::int64_t backup_codes_remaining = 0;
    std::optional<NewSecret> setup;
};

class Login {
public:
    // `challenge_secrets` seal the challenges; see Challenges. The references must outlive this object.
    Login(storage::Database& database, storage::Cache& cache, const Clock& clock, UserRepository& users,
          Sessions& sessions, TwoFactor& two_factor, Passwords& passwords, SocialAccounts& social,
          SocialGuard& social_guard, Audit audit, const std::vector<std::string>& challenge_secrets);

    awaitable<Result<LoginAnswer>> with_credential(std::string email, std::string password, Origin origin, Cause cause);
    // `identity` comes from a token that social_guard.hpp has checked. Each token is accepted for one login.
    awaitable<Result<LoginAnswer>> with_social(Identity identity, SocialRequest request, Origin origin, Cause cause);
    // The second step: spends the challenge and the proof and starts the session, all in one transaction. `seen` asks
    // for the same kind of session as the first step did.
    awaitable<Result<LoginAnswer>> verify(std::string challenge, Proof proof, Origin seen, Cause cause);
    // The second step of a forced set-up: turns two-factor on and returns the backup codes. The challenge remains valid
    // for one verify().
    awaitable<Result<std::vector<std::string>>> enable_two_factor(std::string challenge, std::string code, Cause cause);

    // How far the set-up is that the challenge came with; `iv` is of its secret.
    enum class SetUp {
        due,       // the secret is not in use
        done,      // with this secret or another one
        replaced,  // a later login of the account has got another secret
    };
    awaitable<Result<SetUp>> state_of_set_up(std::string challenge, std::optional<Bytes> iv);

    // Of all steps but with_social(), whichever way they came.
    const LoginCounts& counts() const { return counts_; }

private:
    // The result of a first step, and the account it belongs to if one was found.
    struct FirstStep {
        std::optional<UserId> owner;
        Result<LoginAnswer> answer;
        std::string_view reason = {};  // as in SocialRefusal
    };
    awaitable<FirstStep> check_credential(std::string email, std::string password, Origin origin, const Cause& cause);
    awaitable<Result<LoginAnswer>> check_password(std::optional<User> user, std::string email, std::string password,
                                                  Origin origin, const Cause& cause);
    // Continues after the password has matched.
    awaitable<Result<LoginAnswer>> admit(User user, std::string password, bool needs_rehash, Origin origin,
                                         const Cause& cause);
    awaitable<FirstStep> check_social(Identity identity, SocialRequest request, Origin origin, const Cause& cause);
    // A step as its security event names it: `key` is what the detail calls the means, such as a backup code.
    struct Step {
        std::string_view event;
        std::string_view key;
        std::string_view value;
    };
    // Reports the result of a step as a security event.
    template <class T>
    void tell(const Step& step, const Result<T>& result, std::optional<UserId> user, const Cause& cause) const;
    // Counts the result of a step.
    template <class T>
    void count(LoginCounts::Step step, const Result<T>& result);
    // What the first factor contributes to the transactions that follow.
    struct Grounds {
        storage::Transaction spent = {};    // committed with the challenge if there is one, otherwise with the session
        storage::Transaction account = {};  // committed with the session
        std::optional<IdentityUse> identity = {};
        bool takes_over = false;  // `account` revokes all earlier grants, including a second factor
    };
    // Continues after the first factor. Beyond the errors of the account's state, fails with changed_under() of the
    // login's kind.
    awaitable<Result<LoginAnswer>> finish(User user, Origin origin, Grounds grounds, const Cause& cause);
    awaitable<Result<LoginAnswer>> challenge(const User& user, const TwoFactorRecord& factor, Origin origin,
                                             const Grounds& grounds);
    // A challenge and its account, both still valid.
    struct Open {
        Challenge challenge;
        User user;
    };
    awaitable<Result<Open>> open(std::string token);
    awaitable<Result<LoginAnswer>> check_second(std::string token, Proof proof, Origin seen, const Cause& cause);
    awaitable<Result<std::vector<std::string>>> check_setup(std::string token, std::string code, const Cause& cause);
    awaitable<Result<LoginAnswer>> answer_challenge(Open opened, std::string token, Proof proof, Origin seen,
                                                    const Cause& cause);
    // Commits the transaction that starts `session`. If the reply is lost, the session's row tells the outcome.
    awaitable<storage::Outcome> commit(storage::Transaction transaction, SessionId session);

    storage::Database& database_;
    const Clock& clock_;
    Challenges challenges_;
    UserRepository& users_;
    Sessions& sessions_;
    TwoFactor& two_factor_;
    Passwords& passwords_;
    SocialAccounts& social_;
    SocialGuard& social_guard_;
    Audit audit_;
    LoginCounts counts_;
};

}  // namespace consentry
