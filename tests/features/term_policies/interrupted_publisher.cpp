// Publishes one document as the service does, and kills itself with SIGKILL before a given call to the database or the
// store:
//
//     interrupted_publisher POLICY_ID NOW_MS CALL        (settings from the environment)
//
// If there are fewer calls, it prints "published" and their number.
#include <csignal>
#include <iostream>
#include <string>

#include <unistd.h>

#include "app/config/read_config.hpp"
#include "app/services.hpp"
#include "tests/support/faulty_storage.hpp"
#include "tests/support/run.hpp"

namespace {

consentry::Environment own_environment() {
    consentry::Environment out;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string text = *entry;
        const auto equals = text.find('=');
        if (equals != std::string::npos) out[text.substr(0, equals)] = text.substr(equals + 1);
    }
    return out;
}

}  // namespace

int main(int argc, char** argv) {
    using namespace consentry;
    if (argc != 4) return 2;
    const ManualClock clock(from_epoch_ms(std::stoll(argv[2])));
    const int last = std::stoi(argv[3]);
    int calls = 0;
    const auto config = read_config(own_environment());
    if (!config) {
        std::cerr << config.error().front().setting << ": " << config.error().front().text << "\n";
        return 2;
    }
    Services services(*config, clock);
    const tests::BeforeCall before = [&](std::string_view) {
        if (calls++ == last) ::kill(::getpid(), SIGKILL);
    };
    tests::FaultyStore store(services.object_store, before);
    tests::FaultyDatabase database(services.database, before);
    TermPolicies policies(database, store, clock, services.mails, services.audit, {});
    const auto published =
        tests::run(policies.publish(Actor::operator_at_the_machine(), TermPolicyId::parse(argv[1]).value(), {}));
    if (!published) {
        std::cerr << published.error().kind().name << "\n";
        return 1;
    }
    std::cout << "published " << calls << "\n";
    return 0;
}
