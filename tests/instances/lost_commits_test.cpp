// The connection to PostgreSQL breaks during the commit. The change then takes effect exactly once or not at all,
// whatever the caller is told, and a retry duplicates nothing (FLT-4).
//
// There are two instances: the one under test reaches the database through a link that fails, the other one directly.
// The link is cut either when the answer to the deciding message arrives, which is after the commit, or after an
// arbitrary number of bytes of answers. The test identifies the deciding message by bytes that occur in no other
// message.
#include <fstream>
#include <functional>
#include <string>

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>

#include "base/bytes.hpp"
#include "base/uuid.hpp"
#include "crypto/digest.hpp"
#include "features/sessions/session_cookie.hpp"
#include "tests/instances/fleet.hpp"
#include "tests/support/browser.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/tcp_proxy.hpp"

namespace consentry::tests {
namespace {

using namespace std::string_literals;

// A user id followed by a number or time, as parameters in PostgreSQL's protocol (a length of four bytes, then the
// value). Among the statements of a wrong guess, only the one that counts it begins with these parameters.
std::string mark_of_count(const Person& person) {
    return "\0\0\0\x10"s + std::string(as_text(person.id.uuid().bytes())) + "\0\0\0\x08"s;
}

std::string jti_of(const std::string& token) {
    const auto dot = token.find('.') + 1;
    const Bytes claims = from_base64url(std::string_view(token).substr(dot, token.find('.', dot) - dot)).value();
    return std::string(json::parse(as_text(claims)).at("jti").as_string());
}

class LostCommits : public testing::Test {
protected:
    LostCommits() {
        // With one thread, successive requests use the same connection.
        fleet.add({{"DATABASE_URL", unsafe_url()}, {"HTTP_THREADS", "1"}});
    }
    std::string unsafe_url() const {
        return with_port(schema.patient_url(), link.port()) + "&application_name=" + schema.name();
    }

    int number(const std::string& statement) const { return std::stoi(schema.sql(statement).at(0).at(0)); }
    int count_of(const std::string& table, const Person& person, const std::string& where = "TRUE") const {
        return number("SELECT count(*) FROM " + table + " WHERE user_id = '" + person.id.text() + "' AND " + where);
    }

    // A request, and bytes that occur only in its deciding message to the database.
    struct Deed {
        std::function<Answer()> ask;
        std::string mark;
    };
    // In each round, takes a new deed from `prepare`, breaks the connection during it and passes the answer to `check`.
    // The first `rounds` rounds break it in the deciding message, the others after 0, `step`, 2 * `step` ... bytes of
    // answers, until a deed completes. Returns how many deeds were acknowledged although the answer to their commit was
    // lost.
    int lose(int rounds, std::size_t step, const std::function<Deed()>& prepare,
             const std::function<void(const Answer&)>& check) {
        int acknowledged = 0;
        for (int round = 0; round < rounds && !HasFailure(); ++round) {
            SCOPED_TRACE("cut in the deciding message, round " + std::to_string(round));
            const Deed deed = prepare();
            const std::size_t cut = link.cut();
            link.mute_when(deed.mark);
            const Answer answer = deed.ask();
            EXPECT_EQ(link.cut(), cut + 1) << "the message has no such bytes: " << answer.body;
            if (answer.status != 503U) ++acknowledged;
            link.pass();
            expect_quiet();
            check(answer);
        }
        for (std::size_t bytes = 0; !HasFailure(); bytes += step) {
            SCOPED_TRACE("cut after " + std::to_string(bytes) + " bytes of answers");
            const Deed deed = prepare();
            const std::size_t cut = link.cut();
            link.cut_after_answer_bytes(bytes);
            const Answer answer = deed.ask();
            const bool whole = link.cut() == cut;
            link.pass();
            expect_quiet();
            check(answer);
            if (whole) break;
        }
        return acknowledged;
    }
    // Waits until no statement is running and the server has ended the connections that were cut. After a 503, the
    // commit may still be in progress, or the server may not even have read it yet, and the checks would see rows from
    // before and after it.
    void expect_quiet() const {
        std::string seen;
        EXPECT_TRUE(eventually([&] {
            const auto connections = schema.sql(
                "SELECT coalesce(state, ''), coalesce(wait_event, '') FROM pg_stat_activity WHERE application_name = "
                "'" +
                schema.name() + "'");
            const std::size_t open = link.open();
            seen = std::to_string(open) + " links open; connections of the server:";
            bool idle = connections.size() == open;
            for (const auto& connection : connections) {
                seen += " [" + connection.at(0) + ", " + connection.at(1) + "]";
                idle = idle && connection.at(0) == "idle";
            }
            return idle;
        })) << "a statement does not end: "
            << seen;
    }
    // Repeats a request until it is served. Before a deed, this reconnects and prepares the deed's statements on the
    // connection, so that the first answer to the deciding message is the one to the commit.
    static Answer served(const std::function<Answer()>& ask) {
        Answer answer;
        EXPECT_TRUE(eventually([&] { return (answer = ask()).status != 503U; }));
        return answer;
    }

    const PostgresSchema schema{};
    TcpProxy link{port_of(schema.url())};
    Fleet fleet{1,
                {{"DATABASE_URL", schema.patient_url()},
                 {"DATABASE_TIMEOUT", "25s"},  // these tests are about order, not time
                 {"CACHE_TIMEOUT", "10s"},
                 {"CACHE_URL", shared_redis_url()},
                 {"CACHE_NAMESPACE", fresh_namespace()},
                 {"SESSION_MAX_PER_USER", "1000"},
                 {"AUTH_PASSWORD_PERIOD_IN_SECONDS", "0"}}};
    HttpClient good() const { return fleet.client(0); }
    HttpClient bad() const { return fleet.client(1); }
};

constexpr int rounds = 12;

TEST_F(LostCommits, FLT_4_ALoginBeginsOneSession) {
    const Person ada = fleet.make_person();
    int sessions = 0;
    int number_of_deed = 0;
    const int acknowledged = lose(
        rounds, 150,
        [&] {
            EXPECT_EQ(served([&] { return log_in(bad(), ada); }).status, 200U);
            sessions = count_of("sessions", ada);
            const std::string agent = "deed-" + std::to_string(++number_of_deed);
            return Deed{.ask =
                            [&, agent] {
                                return bad().post(
                                    "/api/public/user/login/credential",
                                    {{"email", ada.email}, {"password", ada.password}, {"from", "website"}},
                                    {{"User-Agent", agent}});
                            },
                        .mark = agent};
        },
        [&](const Answer& answer) {
            const int made = count_of("sessions", ada) - sessions;
            EXPECT_TRUE(made == 0 || made == 1) << made;
            if (answer.status == 200U) {
                EXPECT_EQ(made, 1);
                EXPECT_EQ(knock(good(), tokens_in(answer).access), 200U);
            } else {
                EXPECT_EQ(answer.status, 503U) << answer.body;
            }
            EXPECT_LE(number("SELECT password_attempt FROM users"), 1);
            EXPECT_EQ(log_in(good(), ada).status, 200U) << "the retry";
            EXPECT_EQ(count_of("sessions", ada), sessions + made + 1);
            EXPECT_EQ(number("SELECT password_attempt FROM users"), 0);
        });
    EXPECT_GT(acknowledged, rounds / 2) << "the session is looked for, and found";
}

TEST_F(LostCommits, FLT_4_AVerificationSpendsOnceAndBeginsOneSession) {
    TokenTexts tokens;
    Person ada = fleet.make_protected_person(&tokens);
    std::string challenge;
    std::string code;
    int codes = 0;
    int number_of_deed = 0;
    const auto next_code = [&] {
        if (ada.backup_codes.empty()) ada.backup_codes = new_backup_codes(good(), tokens.access);
        std::string out = ada.backup_codes.back();
        ada.backup_codes.pop_back();
        return out;
    };
    const int acknowledged = lose(
        rounds, 150,
        [&] {
            for (const bool for_the_deed : {false, true}) {
                challenge = challenge_of(good(), ada);
                code = next_code();
                if (for_the_deed) break;
                EXPECT_EQ(served([&] { return verify_backup(bad(), challenge, code); }).status, 200U);
            }
            codes = count_of("backup_codes", ada);
            const std::string agent = "deed-" + std::to_string(++number_of_deed);
            return Deed{.ask =
                            [&, agent] {
                                return bad().post("/api/public/user/login/2fa/verify",
                                                  {{"challengeToken", challenge}, {"backupCode", code}},
                                                  {{"User-Agent", agent}});
                            },
                        .mark = agent};
        },
        [&](const Answer& answer) {
            const std::string begun = "challenge_digest = '\\x" + to_hex(crypto::sha256(challenge)) + "'";
            const int made = count_of("sessions", ada, begun);
            EXPECT_EQ(codes - count_of("backup_codes", ada), made) << "half a verification";
            if (answer.status == 200U) {
                EXPECT_EQ(made, 1);
                EXPECT_EQ(knock(good(), tokens_in(answer).access), 200U);
            } else {
                EXPECT_EQ(answer.status, 503U) << answer.body;
            }
            const Answer retry = verify_backup(good(), challenge, code);
            if (made == 0)
                EXPECT_EQ(retry.status, 200U) << retry.body;
            else
                EXPECT_EQ(retry.code_name(), "twoFactorChallengeInvalid") << retry.body;
            EXPECT_EQ(count_of("sessions", ada, begun), 1);
            EXPECT_EQ(count_of("backup_codes", ada), codes - 1);
            EXPECT_EQ(number("SELECT attempt FROM two_factors"), 0) << "late is not wrong";
        });
    EXPECT_GT(acknowledged, rounds / 2) << "the session is looked for, and found";
}

TEST_F(LostCommits, FLT_4_ARefreshHasOneSuccessor) {
    const Person ada = fleet.make_person();
    TokenTexts tokens = tokens_of(good(), ada);
    const int acknowledged = lose(
        rounds, 150,
        [&] {
            tokens = refreshed_tokens_in(served([&] { return refresh(bad(), tokens.refresh); }));
            return Deed{.ask = [&] { return refresh(bad(), tokens.refresh); }, .mark = jti_of(tokens.refresh)};
        },
        [&](const Answer& answer) {
            EXPECT_TRUE(answer.status == 200U || answer.status == 503U) << answer.body;
            const TokenTexts retry = refreshed_tokens_in(refresh(good(), tokens.refresh));
            if (answer.status == 200U) {
                EXPECT_EQ(jti_of(refreshed_tokens_in(answer).refresh), jti_of(retry.refresh)) << "a second successor";
                EXPECT_EQ(knock(good(), refreshed_tokens_in(answer).access), 200U);
            }
            EXPECT_EQ(knock(good(), retry.access), 200U);
            EXPECT_EQ(knock(good(), tokens.access), 401U) << "the former access token";
            EXPECT_EQ(count_of("sessions", ada), 1);
            tokens = retry;
        });
    EXPECT_GT(acknowledged, rounds / 2) << "the rotation is looked for, and found";
}

TEST_F(LostCommits, FLT_4_AConfirmationLeavesTheBrowserItsSession) {
    const Person ada = fleet.make_person();
    Browser browser{[&] { return fleet.at(1).port(); }};
    Browser elsewhere{[&] { return fleet.at(0).port(); }};
    const auto confirm = [&] { return browser.send("/login/confirm", {{"password", ada.password}}); };
    const auto fresh = [&] { return count_of("sessions", ada, "proven_at IS NOT NULL AND revoked_at IS NULL"); };
    const int acknowledged = lose(
        rounds, 50,
        [&] {
            schema.sql("DELETE FROM sessions");
            browser.cookies.clear();
            served([&] { return browser.log_in(ada.email, ada.password); });
            for (const bool for_the_deed : {false, true}) {
                served([&] { return browser.open("/login/confirm"); });
                if (!for_the_deed) EXPECT_EQ(served(confirm).status, 303U);
            }
            schema.sql("UPDATE sessions SET proven_at = NULL");
            elsewhere.cookies = browser.cookies;
            return Deed{.ask = confirm, .mark = SessionCookie::parse(browser.cookies.at(session_cookie))->jti()};
        },
        [&](const Answer& answer) {
            EXPECT_TRUE(answer.status == 303U || answer.status == 503U) << answer.body;
            if (answer.status == 303U) {
                EXPECT_EQ(served([&] { return browser.open("/account"); }).status, 200U) << "the new cookie";
                EXPECT_FALSE(elsewhere.is_logged_in()) << "the former one";
            }
            EXPECT_EQ(elsewhere.is_logged_in(), fresh() == 0) << "a fresh proof under the former cookie";
        });
    EXPECT_GT(acknowledged, rounds / 2) << "the confirmation is looked for, and found";
}

TEST_F(LostCommits, FLT_4_AFailureCountsOnce) {
    TokenTexts tokens;
    const Person ada = fleet.make_protected_person(&tokens);
    const std::string wrong = wrong_code(ada);
    const auto attempts = [&] { return number("SELECT attempt FROM two_factors"); };
    lose(
        rounds, 150,
        [&] {
            EXPECT_EQ(served([&] { return disable_two_factor(bad(), tokens.access, wrong); }).status, 401U);
            schema.sql("UPDATE two_factors SET attempt = 0");
            return Deed{.ask = [&] { return disable_two_factor(bad(), tokens.access, wrong); },
                        .mark = mark_of_count(ada)};
        },
        [&](const Answer& answer) {
            EXPECT_TRUE(answer.status == 401U || answer.status == 503U) << answer.body;
            const int counted = attempts();
            EXPECT_TRUE(counted == 1 || (counted == 0 && answer.status == 503U)) << counted;
            EXPECT_EQ(disable_two_factor(good(), tokens.access, wrong).status, 401U);
            EXPECT_EQ(attempts(), counted + 1);
        });
}

TEST_F(LostCommits, FLT_4_AWrongPasswordCountsOnce) {
    const Person ada = fleet.make_person();
    Person guess = ada;
    guess.password = "Copper-Meadow-77";
    const auto attempts = [&] { return number("SELECT password_attempt FROM users"); };
    lose(
        rounds, 150,
        [&] {
            EXPECT_EQ(served([&] { return log_in(bad(), guess); }).status, 400U);
            schema.sql("UPDATE users SET password_attempt = 0, password_pending = 0");
            return Deed{.ask = [&] { return log_in(bad(), guess); }, .mark = mark_of_count(ada)};
        },
        [&](const Answer& answer) {
            EXPECT_TRUE(answer.status == 400U || answer.status == 503U) << answer.body;
            const int counted = attempts();
            EXPECT_TRUE(counted == 1 || (counted == 0 && answer.status == 503U)) << counted;
        });
}

TEST_F(LostCommits, FLT_4_AChangeOfPasswordIsWholeOrNothing) {
    Person ada = fleet.make_person();
    TokenTexts tokens;
    std::string next;
    int passwords = 0;
    int remembered = 0;
    const auto change = [&](const HttpClient& client) {
        return client.patch("/api/shared/user/change-password", {{"oldPassword", ada.password}, {"newPassword", next}},
                            bearer(tokens.access));
    };
    const auto prepare = [&] {
        tokens = tokens_of(good(), ada);
        next = "Copper-Meadow-" + std::to_string(++passwords);
    };
    lose(
        rounds, 150,
        [&] {
            // The database answers with former passwords and with sessions that have just ended. Those of earlier
            // rounds would make its answers longer as fast as the rounds cut them later.
            schema.sql("DELETE FROM password_history");
            schema.sql("DELETE FROM sessions");
            prepare();
            EXPECT_EQ(served([&] { return change(bad()); }).status, 200U);
            ada.password = next;
            remembered = count_of("password_history", ada);
            prepare();
            // The password history marks a password that its owner has changed with this word.
            return Deed{.ask = [&] { return change(bad()); }, .mark = "profile"};
        },
        [&](const Answer& answer) {
            const bool ended = count_of("sessions", ada, "revoked_at IS NULL") == 0;
            if (answer.status == 200U)
                EXPECT_TRUE(ended);
            else
                EXPECT_EQ(answer.status, 503U) << answer.body;
            const Answer retry = change(good());
            EXPECT_EQ(retry.status, ended ? 401U : 200U) << retry.body;
            EXPECT_EQ(count_of("sessions", ada, "revoked_at IS NULL"), 0);
            EXPECT_EQ(count_of("password_history", ada), remembered + 1) << "each once";
            EXPECT_EQ(log_in(good(), ada).status, 400U) << "the former password";
            ada.password = next;
            EXPECT_EQ(log_in(good(), ada).status, 200U);
        });
}

// The server works on, and reads the staged rows, after the import has learned that its connection is gone.
TEST_F(LostCommits, FLT_4_AnImportThatGoesOnUnseenIsWhole) {
    const auto folder = fleet.data().parent_path();
    std::ofstream(folder / "users.csv") << "email;isVerified;googleSubject;appleSubject\n"
                                           "member@example.org;true;1099;001\n";
    const PostgresConnection other(schema.url());
    other.run("BEGIN");
    other.run(
        "INSERT INTO identities (provider, subject, user_id, created_at, security_version) VALUES ('google', '1099', "
        "'" +
        fleet.make_person().id.text() + "', 0, 1)");
    Program import({"user", "import", "users.csv"}, folder, quick_settings({{"DATABASE_URL", unsafe_url()}}));
    EXPECT_TRUE(eventually([&] {
        return number("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND application_name = '" +
                      schema.name() + "'") == 1;
    })) << import.err();
    link.reset_clients();
    EXPECT_EQ(import.wait().code, 1);
    EXPECT_THAT(import.err(), testing::HasSubstr("import: it is unknown whether the accounts were created"));
    other.run("ROLLBACK");
    expect_quiet();
    EXPECT_EQ(number("SELECT count(*) FROM users WHERE email = 'member@example.org'"), 1);
    EXPECT_EQ(number("SELECT count(*) FROM identities"), 2);
}

}  // namespace
}  // namespace consentry::tests
