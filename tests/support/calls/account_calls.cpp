#include "tests/support/calls/account_calls.hpp"

#include <chrono>
#include <stdexcept>
#include <thread>

#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include "app/app.hpp"
#include "tests/support/run.hpp"

namespace consentry::tests {

json::object sign_up_body(const std::string& email, const std::string& password) {
    return {{"email", email}, {"password", password}, {"from", "website"}};
}

Answer sign_up(const Service& service, const std::string& email) {
    return service.post(sign_up_path, sign_up_body(email));
}

Answer verify_email(const Service& service, const std::string& token) {
    return service.patch(verify_path, {{"token", token}});
}

Person newcomer(const Service& service, const std::string& email) {
    EXPECT_EQ(sign_up(service, email).status, 201U) << email;
    EXPECT_EQ(verify_email(service, Mailbox(service).wait_for(email, "verifyEmail").token()).status, 200U) << email;
    Person person;
    person.id = UserId::parse(one(service, "SELECT id FROM users WHERE email = '" + email + "'")).value();
    person.email = email;
    person.password = right_password;
    return person;
}

Answer forget(const Service& service, const std::string& email) {
    return service.post(forgot_path, {{"email", email}});
}

Answer reset(const Service& service, const std::string& token, const std::string& password, const json::object& proof) {
    json::object body{{"token", token}, {"newPassword", password}};
    for (const auto& member : proof) body[member.key()] = member.value();
    return service.call("PUT", reset_path, json::serialize(body));
}

std::string forgotten_token(const Service& service, const std::string& email, std::size_t nth) {
    return Mailbox(service).wait_for(email, "forgotPassword", nth).token();
}

void settle_mails(const Service& service) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{10};
    // In this order, because processing a request enqueues its mail.
    while (one(service, "SELECT count(*) FROM link_requests WHERE handled_at IS NULL") != "0" ||
           one(service, "SELECT count(*) FROM mails") != "0") {
        if (std::chrono::steady_clock::now() > end) throw std::runtime_error("mails are left lying");
        std::this_thread::sleep_for(std::chrono::milliseconds{5});
    }
}

void settle_acts(Service& service) {
    const Services& services = service.app().services();
    if (!services.administration_log) return;
    // Again if the service takes in the same acts at the same moment.
    do run(services.administration_log->take_in_all());
    while (one(service, "SELECT count(*) FROM administration_acts WHERE is_logged = FALSE") != "0");
}

std::size_t mails(const Service& service, const std::string& email, const std::string& kind) {
    settle_mails(service);
    return Mailbox(service).all(email, kind).size();
}

std::string one(const Service& service, const std::string& sql) { return service.sql(sql).at(0).at(0); }

}  // namespace consentry::tests
