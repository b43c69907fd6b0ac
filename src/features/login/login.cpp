#include "features/login/login.hpp"

#include <exception>
#include <type_traits>

#include "base/errors.hpp"

namespace consentry {
namespace {

// Only a caller who has given the right first factor learns these reasons. An expired password does not stop a login
// without a password. A login does not tell a blocked account from an inactive one; the guard of sessions does.
std::optional<Error> refusal_of(const User& user, LoginWith with, TimePoint now) {
    if (user.status != UserStatus::active) return Error{errors::inactive_forbidden};
    if (with == LoginWith::credential && user.password_expired(now)) return Error{errors::password_expired};
    if (!user.is_verified) return Error{errors::email_not_verified};
    return std::nullopt;
}

// The account changed during the login, or a concurrent request was faster. The answer is that of a first factor sent a
// moment later.
const ErrorKind& changed_under(LoginWith with) {
    const auto provider = provider_of(with);
    return provider ? facts_of(*provider).invalid : errors::password_not_match;
}

std::string word_for(const LoginAnswer& answer) {
    if (!answer.grant) return "challenge";
    return answer.grant->tokens ? "tokens" : "cookie";
}

ActivityAction action_of(LoginWith with) {
    const auto provider = provider_of(with);
    return provider ? facts_of(*provider).login : ActivityAction::user_login_credential;
}

}  // namespace

Login::Login(storage::Database& database, storage::Cache& cache, const Clock& clock, UserRepository& users,
             Sessions& sessions, TwoFactor& two_factor, Passwords& passwords, SocialAccounts& social,
             SocialGuard& social_guard, Audit audit, const std::vector<std::string>& challenge_secrets)
    : database_(database),
      clock_(clock),
      challenges_(cache, clock, challenge_secrets),
      users_(users),
      sessions_(sessions),
      two_factor_(two_factor),
      passwords_(passwords),
      social_(social),
      social_guard_(social_guard),
      audit_(audit) {}

template <class T>
void Login::tell(const Step& step, const Result<T>& result, std::optional<UserId> user, const Cause& cause) const {
    std::vector<std::pair<std::string_view, std::string>> detail{{step.key, std::string(step.value)}};
    if (!result)
        detail.emplace_back("reason", result.error().kind().name);
    else if constexpr (std::is_same_v<T, LoginAnswer>)
        detail.emplace_back("answer", word_for(*result));
    audit_.tell(step.event, result ? Outcome::success : Outcome::failure, user, cause, std::move(detail));
}

template <class T>
void Login::count(LoginCounts::Step step, const Result<T>& result) {
    if (!result) {
        const bool is_locked = result.error().is(errors::password_attempt_max) ||
                               result.error().is(errors::two_factor_attempt_temporary_lock);
        return counts_.count(step, is_locked ? LoginCounts::End::locked : LoginCounts::End::refused);
    }
    bool is_challenge = false;
    if constexpr (std::is_same_v<T, LoginAnswer>) is_challenge = !result->grant;
    counts_.count(step, is_challenge ? LoginCounts::End::challenge : LoginCounts::End::success);
}

awaitable<Result<LoginAnswer>> Login::with_credential(std::string email, std::string password, Origin origin,
                                                      Cause cause) {
    auto step = co_await check_credential(std::move(email), std::move(password), std::move(origin), cause);
    tell({.event = "login.credential", .key = "method", .value = "password"}, step.answer, step.owner, cause);
    count(LoginCounts::Step::password, step.answer);
    co_return std::move(step.answer);
}

awaitable<Login::FirstStep> Login::check_credential(std::string email, std::string password, Origin origin,
                                                    const Cause& cause) {
    auto user = co_await users_.find_by_email(email);
    const auto owner = user ? std::optional(user->id) : std::nullopt;
    auto answer =
        co_await check_password(std::move(user), std::move(email), std::move(password), std::move(origin), cause);
    co_return FirstStep{owner, std::move(answer)};
}

awaitable<Result<LoginAnswer>> Login::check_password(std::optional<User> user, std::string email, std::string password,
                                                     Origin origin, const Cause& cause) {
    auto checked = co_await passwords_.check(user, std::move(email), password, cause);
    if (!checked) co_return fail(std::move(checked.error()));
    const UserId owner = user->id;
    std::exception_ptr outage;
    try {
        co_return co_await admit(std::move(*user), std::move(password), checked->needs_rehash, std::move(origin),
                                 cause);
    } catch (...) {
        outage = std::current_exception();
    }
    // A correct attempt must not remain counted when the service fails: a few of them would lock the owner out.
    try {
        co_await passwords_.clear(owner);
    } catch (...) {  // the first failure is the one to report
    }
    std::rethrow_exception(outage);
}

awaitable<Result<LoginAnswer>> Login::admit(User user, std::string password, bool needs_rehash, Origin origin,
                                            const Cause& cause) {
    if (auto refusal = refusal_of(user, origin.with, clock_.now())) {
        co_await passwords_.clear(user.id);
        co_return fail(std::move(*refusal));
    }
    const User owner = user;
    auto answer = co_await finish(std::move(user), std::move(origin), {}, cause);
    if (answer && needs_rehash) co_await passwords_.rehash(owner, std::move(password));
    if (!answer && answer.error().is(errors::two_factor_setup_expired)) co_await passwords_.clear(owner.id);
    if (!answer && answer.error().is(errors::password_not_match)) {
        // The account changed during the login. Unless the password is what changed, the attempt was correct.
        const auto now = co_await users_.find(owner.id);
        if (now && now->password_hash == owner.password_hash)
            co_await passwords_.clear(owner.id);
        else
            co_await passwords_.was_wrong(owner.id, cause);
    }
    co_return answer;
}

awaitable<Result<LoginAnswer>> Login::with_social(Identity identity, SocialRequest request, Origin origin,
                                                  Cause cause) {
    const SocialProvider provider = identity.provider;
    const Step step{.event = "login.social", .key = "provider", .value = facts_of(provider).name};
    auto [owner, answer, reason] =
        co_await check_social(std::move(identity), std::move(request), std::move(origin), cause);
    if (!reason.empty()) social_guard_.tell_of_refusal(provider, reason, cause, owner);
    tell(step, answer, owner, cause);
    co_return std::move(answer);
}

awaitable<Login::FirstStep> Login::check_social(Identity identity, SocialRequest request, Origin origin,
                                                const Cause& cause) {
    const auto& facts = facts_of(identity.provider);
    std::optional<UserId> owner;
    if (!identity.answers(request.nonce)) co_return FirstStep{owner, fail(facts.invalid), "nonce"};
    // Two attempts: if two first logins run at once, the slower one retries and finds the account that the faster one
    // created.
    for (int attempt = 0; attempt < 2; ++attempt) {
        auto entry = co_await social_.find(identity, request, origin, cause);
        if (!entry) {
            auto& refusal = entry.error();
            co_return FirstStep{refusal.account, fail(std::move(refusal.error)), refusal.reason};
        }
        if (!entry->is_new) owner = entry->user.id;
        if (auto refusal = refusal_of(entry->user, facts.with, clock_.now()))
            co_return FirstStep{owner, fail(std::move(*refusal))};
        Grounds grounds{.spent = {},
                        .account = std::move(entry->writes),
                        .identity = entry->use,
                        .takes_over = entry->is_taken_over};
        SocialRepository::add_spending(grounds.spent, identity);
        auto answer = co_await finish(entry->user, origin, std::move(grounds), cause);
        if (answer) {
            owner = entry->user.id;
            // If the answer is a challenge, nothing has been written for the account yet.
            if (answer->grant) social_.tell_of_entry(*entry, cause);
            co_return FirstStep{owner, std::move(answer)};
        }
        if (!answer.error().is(facts.invalid)) co_return FirstStep{owner, std::move(answer)};
        const bool spent = co_await social_.is_spent(identity);
        if (spent) co_return FirstStep{owner, std::move(answer), "used"};
    }
    throw Unavailable("login: the account changed at the same moment");
}

awaitable<Result<LoginAnswer>> Login::finish(User user, Origin origin, Grounds grounds, const Cause& cause) {
    const auto factor = co_await two_factor_.state(user.id);
    // A take-over revokes the stranger's second factor with the other grants, in the transaction that starts the
    // session.
    const bool is_asked = factor.enabled && !grounds.takes_over;
    if (is_asked) {
        auto answer = co_await challenge(user, factor, origin, grounds);
        if (answer || !answer.error().is(errors::two_factor_not_required_setup)) co_return answer;
        const auto now = co_await two_factor_.state(user.id);
        if (now.required_setup) co_return fail(errors::two_factor_setup_expired);
        // The forced set-up was completed meanwhile, in another login: the factor is an ordinary one now.
        co_return co_await challenge(user, now, std::move(origin), grounds);
    }
    const LoginWith with = origin.with;
    const auto prepared = co_await sessions_.prepare(user, std::move(origin), std::nullopt);
    const TimePoint now = clock_.now();
    // As in every change of an account, its row comes before those of its identities.
    storage::Transaction transaction = std::move(grounds.account);
    LoginRepository::add_login(transaction,
                               {.user = user.id,
                                .security_version = user.security_version,
                                .from = prepared.row.origin.from,
                                .with = with,
                                .ip_address = prepared.row.origin.ip_address,
                                .clear_attempts = with == LoginWith::credential},
                               now);
    if (grounds.identity) social_.add_use(transaction, user.id, *grounds.identity, cause, now);
    const Sessions::Endings endings = sessions_.add_to(transaction, prepared);
    // Compares the identity token with the epoch: after the session, so that it is of no newer epoch.
    for (const auto& statement : grounds.spent.statements()) transaction.add(statement);
    Audit::add(transaction, user.id, action_of(with), cause, now, {{"sessionId", prepared.row.id.text()}});
    const auto outcome = co_await commit(std::move(transaction), prepared.row.id);
    if (!outcome.committed) co_return fail(changed_under(with));
    sessions_.note_begun(prepared, outcome, endings, cause);
    LoginAnswer answer;
    answer.grant = prepared.grant;
    answer.role = user.role;
    answer.must_change_password = user.must_change_password;
    co_return answer;
}

awaitable<storage::Outcome> Login::commit(storage::Transaction transaction, SessionId session) {
    std::string why;
    try {
        co_return co_await database_.commit(std::move(transaction));
    } catch (const storage::OutcomeUnknown& unknown) {
        why = unknown.what();
    }
    // A retry could start a second session. Without a row the login has failed; if the row appears later, its tokens
    // were never handed out.
    const bool begun = co_await sessions_.exists(session);
    if (!begun) throw Unavailable("login: outcome unknown: " + why);
    co_return storage::Outcome{.committed = true, .results = {}};
}

// The challenge comes first: an identity token that is spent for a challenge which the cache does not take could not be
// sent again. A challenge opens nothing by itself, so one whose transaction fails does no harm.
awaitable<Result<LoginAnswer>> Login::challenge(const User& user, const TwoFactorRecord& factor, Origin origin,
                                                const Grounds& grounds) {
    const LoginWith with = origin.with;
    const std::string token = co_await challenges_.issue({.user = user.id,
                                                          .security_version = user.security_version,
                                                          .epoch = user.epoch,
                                                          .required_setup = factor.required_setup,
                                                          .origin = std::move(origin),
                                                          .identity = grounds.identity,
                                                          .issued_at = clock_.now()});
    LoginAnswer answer;
    answer.role = user.role;
    answer.backup_codes_remaining = factor.required_setup ? 0 : factor.backup_codes;
    answer.challenge = token;
    storage::Transaction transaction;
    LoginRepository::add_challenge(transaction, user.id, user.security_version, with == LoginWith::credential);
    if (factor.required_setup) answer.setup = two_factor_.add_required_set_up(transaction, user.id, user.email);
    const std::size_t own = transaction.statements().size();
    // In the same order as in a login without a challenge: two of them wait instead of deadlocking.
    for (const auto& statement : grounds.spent.statements()) transaction.add(statement);
    const auto outcome = co_await database_.commit(std::move(transaction));
    if (!outcome.committed) {
        co_await challenges_.forget(token);
        if (outcome.failed_at > 0 && outcome.failed_at < own) co_return fail(errors::two_factor_not_required_setup);
        co_return fail(changed_under(with));
    }
    co_await challenges_.evict_oldest(user.id, outcome.results.front()[0].integer(0), token);
    co_return answer;
}

awaitable<Result<Login::Open>> Login::open(std::string token) {
    auto challenge = co_await challenges_.find(std::move(token));
    if (!challenge) co_return fail(errors::two_factor_challenge_invalid);
    auto user = co_await users_.find(challenge->user);
    if (!user) co_return fail(errors::two_factor_challenge_invalid);
    if (auto refusal = refusal_of(*user, challenge->origin.with, clock_.now())) co_return fail(std::move(*refusal));
    // The password, the second factor or the sessions have changed since the challenge was issued (CHL-4). The
    // statement that spends the challenge compares again.
    if (user->security_version != challenge->security_version || user->epoch != challenge->epoch)
        co_return fail(errors::two_factor_challenge_invalid);
    co_return Open{std::move(*challenge), std::move(*user)};
}

awaitable<Result<LoginAnswer>> Login::verify(std::string challenge, Proof proof, Origin seen, Cause cause) {
    auto answer = co_await check_second(std::move(challenge), std::move(proof), std::move(seen), cause);
    count(LoginCounts::Step::two_factor, answer);
    co_return answer;
}

awaitable<Result<LoginAnswer>> Login::check_second(std::string token, Proof proof, Origin seen, const Cause& cause) {
    const Step step{
        .event = "login.second_factor", .key = "method", .value = proof.backup_code ? "backupCode" : "code"};
    auto opened = co_await open(token);
    const auto owner = opened ? std::optional(opened->user.id) : std::nullopt;
    Result<LoginAnswer> answer = fail(errors::two_factor_challenge_invalid);
    if (!opened)
        answer = fail(std::move(opened.error()));
    else if (opened->challenge.origin.kind == seen.kind)
        answer =
            co_await answer_challenge(std::move(*opened), std::move(token), std::move(proof), std::move(seen), cause);
    tell(step, answer, owner, cause);
    co_return answer;
}

awaitable<Result<LoginAnswer>> Login::answer_challenge(Open opened, std::string token, Proof proof, Origin seen,
                                                       const Cause& cause) {
    auto right = co_await two_factor_.evaluate(opened.user.id, std::move(proof));
    if (!right) {
        // If the challenge is spent, a concurrent answer was right. This one is late, not wrong, and is not counted
        // (CHL-2).
        const bool spent = co_await sessions_.is_spent(Challenges::digest(token));
        if (spent) co_return fail(errors::two_factor_challenge_invalid);
        co_return fail(co_await two_factor_.settle(opened.user.id, std::move(right.error()), cause));
    }

    Origin origin = opened.challenge.origin;
    // The session's origin is the client that receives the tokens.
    origin.ip_address = std::move(seen.ip_address);
    origin.user_agent = std::move(seen.user_agent);
    const auto prepared = co_await sessions_.prepare(opened.user, std::move(origin), Challenges::digest(token));
    storage::Transaction transaction;
    LoginRepository::add_login(transaction,
                               {.user = opened.user.id,
                                .security_version = opened.challenge.security_version,
                                .epoch = opened.challenge.epoch,
                                .from = prepared.row.origin.from,
                                .with = prepared.row.origin.with,
                                .ip_address = prepared.row.origin.ip_address},
                               clock_.now());
    const auto& identity = opened.challenge.identity;
    if (identity) social_.add_use(transaction, opened.user.id, *identity, cause, clock_.now());
    const Sessions::Endings endings = sessions_.add_to(transaction, prepared);
    const std::size_t session_statements = transaction.statements().size();
    // After the session: spending a code compares with the epoch once more.
    two_factor_.spend(transaction, *right, cause, TwoFactor::SpentFor::login);
    Audit::add(transaction, opened.user.id, ActivityAction::user_verify_two_factor, cause, clock_.now(),
               {{"sessionId", prepared.row.id.text()}, {"method", right->step ? "code" : "backupCode"}});
    const auto outcome = co_await commit(std::move(transaction), prepared.row.id);
    if (!outcome.committed) {
        // The account changed or another request spent the challenge. No attempt is counted.
        if (outcome.failed_at < session_statements) co_return fail(errors::two_factor_challenge_invalid);
        co_return fail(co_await two_factor_.lost(std::move(*right), cause));
    }
    two_factor_.tell_spent(*right, cause);
    if (identity) social_.tell_of_use(opened.user.id, *identity, cause);
    sessions_.note_begun(prepared, outcome, endings, cause);
    co_await challenges_.forget(std::move(token));
    LoginAnswer answer;
    answer.grant = prepared.grant;
    answer.role = opened.user.role;
    answer.must_change_password = opened.user.must_change_password;
    co_return answer;
}

awaitable<Result<std::vector<std::string>>> Login::enable_two_factor(std::string challenge, std::string code,
                                                                     Cause cause) {
    auto codes = co_await check_setup(std::move(challenge), std::move(code), cause);
    count(LoginCounts::Step::two_factor_setup, codes);
    co_return codes;
}

awaitable<Result<Login::SetUp>> Login::state_of_set_up(std::string challenge, std::optional<Bytes> iv) {
    auto opened = co_await open(std::move(challenge));
    if (!opened) co_return fail(std::move(opened.error()));
    const auto factor = co_await two_factor_.state(opened->user.id);
    if (!factor.required_setup) co_return SetUp::done;
    co_return factor.iv == iv ? SetUp::due : SetUp::replaced;
}

awaitable<Result<std::vector<std::string>>> Login::check_setup(std::string token, std::string code,
                                                               const Cause& cause) {
    auto opened = co_await open(std::move(token));
    const auto owner = opened ? std::optional(opened->user.id) : std::nullopt;
    Result<std::vector<std::string>> codes = fail(errors::two_factor_not_required_setup);
    if (!opened)
        codes = fail(std::move(opened.error()));
    else if (opened->challenge.required_setup)
        codes = co_await two_factor_.enable_required(std::move(opened->user), std::move(code), cause);
    tell({.event = "login.set_up", .key = "method", .value = "code"}, codes, owner, cause);
    co_return codes;
}

}  // namespace consentry
