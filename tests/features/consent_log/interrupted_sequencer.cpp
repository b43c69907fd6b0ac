// Sequences and publishes what waits in a log, and kills itself with SIGKILL before a given call to the database or the
// store:
//
//     interrupted_sequencer KEY_PEM CALL        (settings from the environment)
//
// If there are fewer calls, it prints "published" and their number.
#include <csignal>
#include <iostream>
#include <string>

#include <unistd.h>

#include "app/config/read_config.hpp"
#include "tests/features/consent_log/log_bench.hpp"
#include "tests/support/faulty_storage.hpp"

int main(int argc, char** argv) {
    using namespace consentry;
    if (argc != 3) return 2;
    const auto key = crypto::PrivateKey::from_pem(tests::text_in(argv[1]), crypto::SignatureAlgorithm::eddsa);
    const int last = std::stoi(argv[2]);
    const ManualClock clock(from_epoch_ms(1'700'000'010'000));
    Services services(read_config(tests::test_settings(".", {{"CONSENT_LOG_ENABLE", "false"}})).value(), clock);
    int calls = 0;
    const tests::BeforeCall before = [&](std::string_view) {
        if (calls++ == last) ::kill(::getpid(), SIGKILL);
    };
    tests::FaultyStore store(services.object_store, before);
    tests::FaultyDatabase database(services.database, before);
    PublishedLog log(database, store, key.value(), tests::bench_options());
    tests::run(log.work());
    std::cout << "published " << calls << "\n";
    return 0;
}
