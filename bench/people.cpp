#include "people.hpp"

#include <algorithm>
#include <exception>
#include <functional>
#include <stdexcept>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <fmt/format.h>

#include "crypto/password_hash.hpp"
#include "crypto/totp.hpp"
#include "tests/support/base32.hpp"

namespace consentry::bench {
namespace {

constexpr std::size_t at_once = 256;  // below the bounds of the writer's and the signing pool's queues
constexpr std::size_t rows_per_transaction = 100;
constexpr std::uint32_t cheapest_hash_kib = 8192;

using Work = std::function<awaitable<void>(std::size_t)>;

awaitable<void> take_turns(std::size_t& next, std::size_t count, const Work& work) {
    while (next < count) {
        const std::size_t mine = next++;
        co_await work(mine);
    }
}

// work(0) ... work(count - 1), some of them at once, so that their commits share a sync.
void for_each(std::size_t count, const Work& work) {
    asio::io_context context(1);
    std::size_t next = 0;
    std::exception_ptr failure;
    for (std::size_t i = 0; i < at_once; ++i)
        asio::co_spawn(context, take_turns(next, count, work), [&](std::exception_ptr error) {
            if (error) failure = error;
        });
    context.run();
    if (failure) std::rethrow_exception(failure);
}

class Maker {
public:
    Maker(Services& services, ManualClock& clock) : services_(services), clock_(clock) {}

    std::vector<User> accounts(std::string_view group, std::size_t count, const std::string& hash) {
        std::vector<User> users(count);
        for (std::size_t i = 0; i < count; ++i) {
            User& user = users[i];
            user.id = UserId::make(clock_.now());
            user.email = fmt::format("{}{}@example.org", group, i);
            user.username = fmt::format("{}-{}", group, i);
            user.is_verified = true;
            user.password_hash = hash;
            user.password_created_at = clock_.now();
        }
        for_each((count + rows_per_transaction - 1) / rows_per_transaction,
                 [&](std::size_t portion) { return insert(users, portion); });
        return users;
    }

    std::vector<TokenPair> sessions(const std::vector<User>& users, std::size_t per_user) {
        std::vector<TokenPair> tokens(users.size() * per_user);
        for_each(tokens.size(), [&](std::size_t i) { return begin(users[i % users.size()], tokens[i]); });
        return tokens;
    }

    std::vector<Guarded> second_factors(const std::vector<User>& users) {
        std::vector<Guarded> guarded(users.size());
        for_each(users.size(), [&](std::size_t i) { return enable(users[i], guarded[i]); });
        return guarded;
    }

    // The mails about enabled second factors: sending them would disturb the measurements.
    void forget_mails() {
        for_each(1, [&](std::size_t) -> awaitable<void> { co_await services_.database.execute("DELETE FROM mails"); });
    }

private:
    awaitable<void> insert(const std::vector<User>& users, std::size_t portion) {
        storage::Transaction transaction;
        const std::size_t end = std::min(users.size(), (portion + 1) * rows_per_transaction);
        for (std::size_t i = portion * rows_per_transaction; i < end; ++i)
            UserRepository::add_insert(transaction, users[i], clock_.now());
        const auto outcome = co_await services_.database.commit(std::move(transaction));
        if (!outcome.committed) throw std::runtime_error("bench: cannot create an account");
    }

    awaitable<void> begin(const User& user, TokenPair& tokens) {
        Origin origin;
        origin.ip_address = "127.0.0.1";
        origin.user_agent = "consentry-bench";
        const auto session = co_await services_.sessions.prepare(user, std::move(origin), std::nullopt);
        storage::Transaction transaction;
        services_.sessions.add_to(transaction, session);
        const auto outcome = co_await services_.database.commit(std::move(transaction));
        if (!outcome.committed) throw std::runtime_error("bench: cannot create a session");
        tokens = session.grant.tokens.value();
    }

    awaitable<void> enable(const User& user, Guarded& out) {
        const auto made =
            co_await services_.two_factor.set_up(Actor::operator_at_the_machine(), user.id, user.email, {});
        if (!made) throw std::runtime_error("bench: cannot start a two-factor setup");
        out.email = user.email;
        out.secret = tests::from_base32(made->secret);
        const auto step = static_cast<std::uint64_t>(crypto::totp_step(clock_.now(), {}));
        const auto codes = co_await services_.two_factor.enable(Actor::operator_at_the_machine(), user, SessionId{},
                                                                crypto::hotp(out.secret, step, 6), {});
        if (!codes) throw std::runtime_error("bench: cannot enable two-factor");
    }

    Services& services_;
    ManualClock& clock_;
};

}  // namespace

People make_people(Services& services, ManualClock& clock, const Crowd& crowd) {
    Maker maker(services, clock);
    const std::string hash = crypto::hash_password(password, services.hasher.settings());
    crypto::Argon2Settings cheapest;
    cheapest.memory_kib = cheapest_hash_kib;
    cheapest.passes = 1;
    People people;
    // Before now: the code that enables is spent, and the present one must not be.
    const TimePoint now = SystemClock().now();
    clock.set(now - std::chrono::hours{1});
    people.guarded =
        maker.second_factors(maker.accounts("guarded", crowd.guarded, crypto::hash_password(password, cheapest)));
    maker.forget_mails();
    clock.set(now);
    people.readers = maker.sessions(maker.accounts("reader", crowd.readers, hash), 1);
    people.refreshers = maker.sessions(maker.accounts("refresher", crowd.refreshers, hash), 1);
    people.strangers = maker.sessions(maker.accounts("stranger", crowd.strangers, hash), sessions_per_stranger);
    for (const User& user : maker.accounts("login", crowd.logins, hash)) people.logins.push_back(user.email);
    return people;
}

}  // namespace consentry::bench
