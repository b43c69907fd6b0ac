#include "tests/support/calls/consent_calls.hpp"

#include <algorithm>
#include <stdexcept>

#include <gtest/gtest.h>

#include "app/app.hpp"
#include "base/uuid.hpp"
#include "crypto/digest.hpp"
#include "tests/support/calls/policy_calls.hpp"
#include "tests/support/run.hpp"

namespace consentry::tests {
namespace {

crypto::Sha256 digest_of(const std::string& type, int version, const std::string& language) {
    return crypto::sha256(type + " " + std::to_string(version) + " " + language);
}

// Soon after its start, a service looks for publications that its log lacks, and would find those of publish().
void end_first_look(Service& service) {
    for (auto& loop : service.app().services().task_loops())
        if (loop.front().name == "acceptances that the consent log lacks") run(do_all(std::move(loop)));
}

}  // namespace

std::string hash_of(const std::string& type, int version, const std::string& language) {
    return to_hex(digest_of(type, version, language));
}

std::string publish(Service& service, const std::string& type, int version, const std::vector<std::string>& languages) {
    end_first_look(service);
    const TimePoint now = service.clock().now();
    const std::string time = std::to_string(epoch_ms(now));
    const std::string id = Uuid::v7(now).text();
    service.sql("INSERT INTO term_policies (id, type, version, status, created_at, updated_at) VALUES ('" + id +
                "', '" + type + "', " + std::to_string(version) + ", 'draft', " + time + ", " + time + ")");
    json::object hashes;
    for (const std::string& language : languages) {
        const auto digest = digest_of(type, version, language);
        hashes[language] = to_hex(digest);
        service.sql("INSERT INTO term_policy_contents (term_policy_id, language, size, digest) VALUES ('" + id +
                    "', '" + language + "', 7, " + service.literal(digest) + ")");
    }
    service.sql("UPDATE term_policies SET status = 'published', published_at = " + time + ", content_hashes = '" +
                json::serialize(hashes) + "' WHERE id = '" + id + "'");
    return id;
}

Answer accept(const Service& service, const std::string& token, const std::string& type, const json::object& more) {
    json::object body = more;
    body["type"] = type;
    return service.post(accept_path, body, bearer(token));
}

Answer withdraw(const Service& service, const std::string& token, const std::string& type) {
    return service.post(withdraw_path, {{"type", type}}, bearer(token));
}

std::string receipt_of(const Answer& answer) {
    EXPECT_EQ(answer.status, 200U) << answer.body;
    return answer.text("data.receipt");
}

bool has_accepted(const Service& service, const std::string& token, const std::string& type) {
    return service.get("/api/forward-auth?policies=" + type, bearer(token)).status == 200;
}

std::string flags(const Service& service, const std::string& token) {
    std::string out;
    for (const std::string& type : all_types) out += has_accepted(service, token, type) ? '1' : '0';
    return out;
}

std::string history(const Service& service, const Person& person) {
    std::string out;
    for (const auto& row : service.sql("SELECT type, version, action FROM term_policy_acceptances WHERE user_id = '" +
                                       person.id.text() + "' ORDER BY type, sequence"))
        out += (out.empty() ? "" : ", ") + row[0] + " " + row[1] + " " + row[2];
    return out;
}

std::string value_of(const Service& service, const std::string& select) {
    return service.sql("SELECT " + select).at(0).at(0);
}

LoggedAcceptance logged_acceptance(const Service& service) {
    const std::string from = " FROM log_entries e JOIN term_policy_acceptances a ON a.id = e.id";
    LoggedAcceptance out{
        .entry = parse_entry(from_hex(value_of(service, "hex(e.entry)" + from)).value()).value(),
        .evidence = {.acceptance = AcceptanceId::parse(value_of(service, "a.id" + from)).value(),
                     .user = UserId::parse(value_of(service, "a.user_id" + from)).value(),
                     .session = SessionId::parse(value_of(service, "a.session_id" + from)),
                     .ip_address = value_of(service, "a.ip_address" + from),
                     .user_agent = value_of(service, "a.user_agent" + from)},
    };
    const Bytes salt = from_hex(value_of(service, "hex(e.salt)" + from)).value();
    if (salt.size() != out.salt.size()) throw std::runtime_error("a salt of another size");
    std::ranges::copy(salt, out.salt.begin());
    return out;
}

Signed::Signed() : service(service_without_policies()) {}

}  // namespace consentry::tests
