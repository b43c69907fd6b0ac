// The measurements, each named after its goal.
//
// Whatever is compared is measured alternately, round by round, in the same run: figures of different runs are not
// comparable, ratios within one are.
#pragma once

#include "report.hpp"
#include "stage.hpp"

namespace consentry::bench {

// Goals 1 and 2: authenticated requests whose tokens are known, against servers that answer a fixed text.
void measure_known_tokens(const Stage& stage, Report& report);
// Goal 3: the same with tokens seen for the first time, against the signature checks that they would cost.
void measure_new_tokens(const Stage& stage, Report& report);
// Goal 4: logins with a password, against the password hash alone.
void measure_logins(const Stage& stage, Report& report);
// Goals 5 and 6: verifications of a second factor, refreshes: each on disk before its answer leaves.
void measure_verifications(const Stage& stage, Report& report);
void measure_refreshes(const Stage& stage, Report& report);
// Goals 7 and 8: what others notice of a machine full of logins, and of ten times as many.
void measure_under_logins(const Stage& stage, Report& report);
void measure_overload(const Stage& stage, Report& report);
void measure_fairness(const Stage& stage, Report& report);
// Goals 9 and 10: memory, idle and with ten thousand connections.
void measure_memory(const Stage& stage, Report& report);
void measure_connections(const Stage& stage, Report& report);
// The login page of browsers, without hashing.
void measure_pages(const Stage& stage, Report& report);
// Goal 11: from the start of the process to the first authenticated answer.
void measure_start(const Stage& stage, Report& report);

// Goal web-4: what others notice of ten thousand peers that take their time, and the memory these cost.
void measure_slow_peers(const Stage& stage, Report& report);

// Goal 12: the same requests with few and with very many accounts and sessions. Of its own size; over servers.
void measure_masses(const Stage& stage, Report& report);
// Goal scale: what a request costs with ever more accounts and sessions, and with more instances. Over servers.
void measure_scale(const Stage& stage, Report& report);

// What all endpoints share (limits, ids, headers, CORS, metrics), and logging, against the endpoint without them.
void measure_surface(const Stage& stage, Report& report);

// Goal evidence: very many acceptances through HTTP, the time until all are in the log, and the time that their
// receipts and the bundle of all of them take to verify.
void measure_evidence(const Stage& stage, Report& report);

// Goal log-5: what requests notice of a log whose place is slow or full.
void measure_log_places(const Stage& stage, Report& report);

// Instructions per request of ten operations, against the table of them in bench/instructions.txt.
// The stage needs the crowd for it.
Crowd instructions_crowd();
void measure_instructions(const Stage& stage, Report& report);

// Pages of the list of very many accounts, in every order.
void measure_lists(const Stage& stage, Report& report);

// The guard that asks for consent, acceptances, and pages of a long history of them.
void measure_consent(const Stage& stage, Report& report);

// What the consent log costs: its sequencer, proofs, memory and space.
void measure_consent_log(const Stage& stage, Report& report);
// Acceptances with and without the log.
void measure_logged_consent(const Stage& stage, Report& report);

// Publishing a term policy with very many users.
void measure_publications(const Stage& stage, Report& report);

// Accounts brought in from a table, and what a write beside it waits.
void measure_import(const Stage& stage, Report& report);

// Measure a program of Debian beside the service. They throw NotInstalled if it is missing.
// nginx with a fixed JSON, against authenticated requests.
void measure_against_nginx(const Stage& stage, Report& report);
// Glewlwyd on SQLite: authenticated requests, and logins with the hash of each.
void measure_against_glewlwyd(const Stage& stage, Report& report);
// libsodium: Argon2id alone.
void measure_against_libsodium(const Stage& stage, Report& report);

// Logins over all prepared accounts in turn, as a source for Load::next.
class LoginRequests {
public:
    // `address`: of the client, which a trusted proxy tells; empty: none does.
    explicit LoginRequests(const Stage& stage, std::string_view address = {});
    std::string_view next() { return requests_[next_++ % requests_.size()]; }

private:
    std::vector<std::string> requests_;
    std::size_t next_ = 0;
};

std::string login_request(const std::string& email);
// With the present code.
std::string verification_request(const std::string& challenge, const Guarded& person);

inline constexpr double known_tokens_floor = 0.50;  // of nginx

inline constexpr std::string_view status_path = "/api/v1/shared/user/2fa/status";
inline constexpr std::string_view list_path = "/api/v1/shared/user/session/list";
inline constexpr std::string_view hello_path = "/api/hello";

}  // namespace consentry::bench
