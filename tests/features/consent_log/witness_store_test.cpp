// Witnesses, where the database decides: what several instances do at once, and what one did not store.
#include <filesystem>
#include <vector>

#include <gtest/gtest.h>

#include "app/app.hpp"
#include "features/administration_log/administration_log.hpp"
#include "tests/features/consent_log/log_faults.hpp"
#include "tests/features/consent_log/witnesses.hpp"
#include "tests/support/files.hpp"
#include "tests/support/run.hpp"

namespace consentry::tests {
namespace {

using namespace std::chrono_literals;

// As after an outage, or if the instance is killed that has written to the database.
TEST_F(Witnesses, ACheckpointThatCouldNotBeStoredIsStoredLater) {
    start(one_.line() + "quorum one.example.org\n");
    add();
    ASSERT_TRUE(comes_to(1, 1));
    const auto object = service().folder() / "data/storage/public/consent-log/checkpoint";
    EXPECT_EQ(text_in(object), shown());
    const auto is_stored = [&] { return is_soon([&] { return text_in(object) == shown(); }); };
    Services& services = service().app().services();
    for (const bool cosigned : {true, false}) {
        SCOPED_TRACE(cosigned);
        one_.fail_with(TestWitness::Fault{});
        add();
        for (int i = 0; i < 2; ++i) work();  // the second time, the store is compared
        EXPECT_EQ(size_shown(), entries_ - 1) << "it waits for its cosignature";
        const auto kept = folder_ / "kept";
        std::filesystem::rename(object, kept);
        std::filesystem::create_directory(object);  // nothing can be stored there
        if (cosigned) one_.fail_with({});
        service().pass(cosigned ? 2s : 31s);
        const auto deadline = std::chrono::steady_clock::now() + 20s;
        while (cosigned && size_shown() < entries_ && std::chrono::steady_clock::now() < deadline)
            run(services.clean_up());
        run(services.clean_up());
        EXPECT_EQ(size_shown(), cosigned ? entries_ : entries_ - 1) << "what is not cosigned is compared first";
        std::filesystem::remove(object);
        std::filesystem::rename(kept, object);
        EXPECT_TRUE(comes_to(entries_, cosigned ? 1 : 0));
        EXPECT_TRUE(is_stored()) << "no further entry comes";
    }
}

// Regression: `verify database` took it for a forgery until the next entry came.
TEST_F(Witnesses, ThatAreNoLongerNamedHoldNothingBack) {
    start(one_.line("http://127.0.0.1:1") + "quorum one.example.org\n");
    restart({});
    work();
    service().pass(31s);
    work();
    ASSERT_EQ(size_shown(), entries_);
    service().sql("UPDATE logs SET uncosigned_since = NULL");  // as if they had cosigned it
    add();
    work();
    ASSERT_EQ(size_shown(), entries_ - 1) << "it waits for its cosignature";
    service().restart({{"CONSENT_LOG_WITNESSES", ""}});
    EXPECT_EQ(size_shown(), entries_);
    Services& services = service().app().services();
    EXPECT_EQ(log_faults(services), "");
    EXPECT_EQ(log_faults(services, administration_log_place()), "");
    EXPECT_EQ(value_of(service(), "COUNT(*) FROM logs WHERE published = public_size"), "2");
}

// As several instances do: the witness is asked from all sides, and all end with one cosigned checkpoint.
TEST_F(Witnesses, AreAskedBySeveralAtOnce) {
    start(one_.line() + two_.line() + three_.line() +
          "group all all one.example.org two.example.org three.example.org\nquorum all\n");
    Services& services = service().app().services();
    for (int round = 0; round < 10; ++round) {
        add();
        std::vector<awaitable<void>> works;
        for (int worker = 0; worker < 4; ++worker) {
            works.push_back(services.consent_log->published().work());
            works.push_back(services.cosigning->work());
        }
        for (const auto& ended : run_all(std::move(works), 4)) EXPECT_TRUE(ended);
    }
    ASSERT_TRUE(comes_to(10, 3));
    EXPECT_TRUE(is_accepted(shown()));
}

}  // namespace
}  // namespace consentry::tests
