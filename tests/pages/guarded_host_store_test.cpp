// The code that brings a login to a guarded host, where the database decides: it is spent once.
#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "app/app.hpp"
#include "tests/pages/guarded_visitor.hpp"
#include "tests/support/run.hpp"

namespace consentry::tests {
namespace {

using ::testing::HasSubstr;

TEST(GuardedHosts, ACodeWorksOnceInItsTimeAtItsHostAndInItsBrowser) {
    Service service(guarded);
    const Person person = service.make_person();
    GuardedVisitor visitor(service);
    visitor.pages_browser().log_in(person);
    const auto is_refused = [&](const Answer& answer) {
        EXPECT_EQ(answer.status, 403);
        EXPECT_THAT(answer.body, HasSubstr("This step of the login can no longer be used"));
        EXPECT_EQ(set_cookie_of(answer, host_cookie), "");
    };
    const auto begins_again = [](const Answer& answer) {
        EXPECT_EQ(answer.status, 303);
        EXPECT_EQ(header(answer, "location"), "/.consentry/start?return=%2Forders%3Fx%3D1&again=1");
        EXPECT_EQ(set_cookie_of(answer, host_cookie), "");
    };
    const std::string used = visitor.begin(app);
    EXPECT_EQ(visitor.call_back(app, used).status, 303);
    is_refused(visitor.call_back(app, used));

    const std::string late = visitor.begin(app);
    service.clock().advance(std::chrono::seconds{29});
    EXPECT_EQ(visitor.call_back(app, late).status, 303);
    const std::string too_late = visitor.begin(app);
    service.clock().advance(std::chrono::seconds{30});
    is_refused(visitor.call_back(app, too_late));

    // Another instance, or a clock that was set back.
    service.clock().advance(std::chrono::hours{1});
    run(service.app().services().clean_up());
    service.clock().advance(-std::chrono::hours{1} - std::chrono::seconds{40});
    is_refused(visitor.call_back(app, late));

    const std::string prolonged = visitor.begin(app);
    service.clock().step(-std::chrono::hours{1});
    service.clock().advance(std::chrono::minutes{30});
    is_refused(visitor.call_back(app, prolonged));

    const std::string of_app = visitor.begin(app);
    visitor.begin(wiki);
    begins_again(visitor.call_back(wiki, of_app));
    visitor.hosts[wiki] = visitor.hosts[app];
    begins_again(visitor.call_back(wiki, of_app));

    // An attacker sends a code of the attacker's own session.
    GuardedVisitor victim(service);
    is_refused(victim.call_back(app, of_app));
    victim.at(app, "/.consentry/start?return=%2F", navigation(app));
    begins_again(victim.call_back(app, of_app));
    EXPECT_FALSE(victim.is_admitted(app));
    EXPECT_EQ(visitor.call_back(app, of_app).status, 303) << "none of that has spent it";

    for (const std::string& code : {std::string(), std::string("x"), std::string("AAAA"), std::string(5000, 'A')})
        is_refused(visitor.at(app, "/.consentry/callback?code=" + code, navigation(app)));
}

TEST(GuardedHosts, OfManyAtOnceOneSpendsTheCode) {
    Service service(guarded);
    GuardedVisitor visitor(service);
    visitor.pages_browser().log_in(service.make_person());
    const std::string address = visitor.begin(app);
    std::vector<Answer> answers(8);
    {
        std::vector<std::jthread> threads;
        for (Answer& answer : answers)
            threads.emplace_back([&, own = visitor]() mutable { answer = own.call_back(app, address); });
    }
    EXPECT_EQ(std::ranges::count(answers, 303U, [](const Answer& answer) { return unsigned(answer.status); }), 1);
}

}  // namespace
}  // namespace consentry::tests
