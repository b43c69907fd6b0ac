// A log whose object store is down, slow, full, lies, or has lost objects.
#include <fstream>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gmock/gmock.h>

#include "features/administration_log/administration_log.hpp"
#include "features/consent_log/consent_log.hpp"
#include "tests/features/consent_log/log_bench.hpp"
#include "tests/features/consent_log/log_faults.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/faulty_storage.hpp"

namespace consentry::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
namespace fs = std::filesystem;

// Returns the reason why the log refuses; empty if it does not.
std::string refusal_of(PublishedLog& log) {
    try {
        run(log.work());
    } catch (const LogRefused& refused) {
        return refused.what();
    }
    return {};
}

void write(const fs::path& file, const std::string& bytes) { std::ofstream(file, std::ios::binary) << bytes; }

// Answers reads of some objects with other bytes.
class LyingStore final : public FaultyStore {
public:
    using FaultyStore::FaultyStore;
    std::map<std::string, std::optional<std::string>> lies{};  // by key; nullopt: lost

    awaitable<std::optional<storage::Object>> get(storage::Area area, std::string key, std::size_t bytes_max) override {
        const auto lie = lies.find(key);
        if (lie == lies.end()) co_return co_await FaultyStore::get(area, std::move(key), bytes_max);
        if (!lie->second) co_return std::nullopt;
        co_return storage::Object{.bytes = *lie->second, .size = lie->second->size()};
    }
};

// Once silent, answers no read of a tile.
class SilentStore final : public FaultyStore {
public:
    using FaultyStore::FaultyStore;
    bool is_silent = false;
    bool is_asked = false;

    awaitable<std::optional<storage::Object>> get(storage::Area area, std::string key, std::size_t bytes_max) override {
        if (!is_silent || !key.contains("/tile/")) co_return co_await FaultyStore::get(area, std::move(key), bytes_max);
        is_asked = true;
        boost::asio::steady_timer end(co_await boost::asio::this_coro::executor, std::chrono::hours{1});
        co_await end.async_wait(boost::asio::use_awaitable);
        co_return std::nullopt;
    }
};

// A log that fails in one call of its database or store, the one with this number from 0 on: down, too slow, or full.
class LogWithFailure {
public:
    LogWithFailure(LogBench& bench, storage::ObjectStore& store, int failing)
        : left_(failing),
          store_(store, before_),
          database_(bench.services().database, before_),
          log_(bench.make_log(database_, store_)) {}

    // Returns whether the round has met the failure.
    bool fails() {
        try {
            run(log_.work());
            return false;
        } catch (const Unavailable&) {
            return true;
        }
    }
    void work_without_failure() {
        left_ = -1;
        run(log_.work());
    }

private:
    int left_;
    const BeforeCall before_ = [this](std::string_view) {
        if (left_-- == 0) throw Unavailable("the disk is full");
    };
    FaultyStore store_;
    FaultyDatabase database_;
    PublishedLog log_;
};

class LogStore : public ::testing::Test {
protected:
    std::string state(const std::string& column) const { return bench_.sql("SELECT " + column + " FROM logs"); }
    std::string signed_checkpoint(std::uint64_t size, const tlog::Hash& root) const {
        const auto signer =
            tlog::NoteSigner::from_seed(bench_options().origin, tlog::KeyType::ed25519, bench_.key().ed25519_seed());
        tlog::Note note{.text = tlog::format_checkpoint({bench_options().origin, size, root}), .signatures = {}};
        note.signatures.push_back(signer->sign(note.text));
        return tlog::format_note(note);
    }
    void publish(int entries) {
        bench_.add(entries);
        run(log_.work());
    }
    // Everything that is published, by its path.
    std::map<std::string, std::string> objects() const {
        std::map<std::string, std::string> out;
        for (const auto& file : fs::recursive_directory_iterator(bench_.object("")))
            if (file.is_regular_file()) out[fs::relative(file.path(), bench_.object(""))] = text_in(file.path());
        return out;
    }
    PublishedLog restarted() { return bench_.make_log(bench_.services().database, store_); }

    LogBench bench_;
    LyingStore store_{bench_.services().object_store, [](std::string_view) {}};
    PublishedLog log_ = restarted();
};

// The next round completes what was interrupted.
TEST_F(LogStore, AnyCallMayFail) {
    for (int failing = 0;; ++failing) {
        SCOPED_TRACE(failing);
        bench_.add(failing % 3 == 0 ? 90 : 1);
        LogWithFailure log(bench_, store_, failing);
        const bool has_failed = log.fails();
        ASSERT_TRUE(bench_.observe());
        log.work_without_failure();
        ASSERT_TRUE(bench_.observe());
        ASSERT_THAT(bench_.complaints(), IsEmpty());
        if (!has_failed) break;
    }
    EXPECT_GT(bench_.added(), 300U) << "tiles have been filled";
}

// Partial tiles are erased after the publication that fills them, and only where the store allows it.
TEST_F(LogStore, PublicationsDoNotWaitForErasures) {
    publish(200);
    bool refuses = true;
    const BeforeCall before = [&](std::string_view call) {
        if (call == "erase" && refuses) throw Unavailable("DELETE is forbidden");
    };
    FaultyStore store(store_, before);
    PublishedLog log = bench_.make_log(bench_.services().database, store);
    for (int round = 0; round < 3; ++round) {
        bench_.add(100);
        run(log.work());
    }
    EXPECT_EQ(state("published"), "500");
    ASSERT_TRUE(bench_.observe());
    EXPECT_TRUE(run(log_.tile("tile/0/000.p/200"))) << "it is still there";
    refuses = false;
    PublishedLog next = bench_.make_log(bench_.services().database, store);
    run(next.work());
    for (const char* path : {"tile/0/000.p/200", "tile/entries/000.p/200"})
        EXPECT_EQ(run(log_.tile(path)), std::nullopt) << path;
    EXPECT_EQ(state("partial_tiles"),
              "tile/0/001.p/44\ntile/1/000.p/1\ntile/entries/001.p/44\ntile/0/001.p/144\n"
              "tile/entries/001.p/144\ntile/0/001.p/244\ntile/entries/001.p/244\n");
}

// Of two versions during an upgrade, the older one erases the partial tiles that it fills before it publishes.
TEST_F(LogStore, ATileThatAPublicationIsReplacingIsNotLost) {
    publish(200);
    for (const std::string path : {"tile/0/000", "tile/entries/000"}) {
        write(bench_.object(path), "full");
        ASSERT_TRUE(fs::remove(bench_.object(path + ".p/200")));
        EXPECT_EQ(run(log_.tile(path + ".p/200")), std::nullopt) << path;
    }
}

// A write that was given up may still take effect, much later.
TEST_F(LogStore, ALateWriteOfAnOldCheckpointIsReplaced) {
    publish(3);
    const std::string former = text_in(bench_.object("checkpoint"));
    publish(4);
    write(bench_.object("checkpoint"), former);
    EXPECT_EQ(run(log_.checkpoint()), state("checkpoint")) << "the service never goes back";
    publish(1);
    EXPECT_EQ(text_in(bench_.object("checkpoint")), state("checkpoint"));
    EXPECT_THAT(bench_.complaints(), IsEmpty());
    write(bench_.object("checkpoint"), former);
    PublishedLog next = restarted();
    run(next.open());
    EXPECT_EQ(text_in(bench_.object("checkpoint")), state("checkpoint"));
}

TEST_F(LogStore, AnOlderCheckpointMustBeAFormerState) {
    publish(300);
    const std::string good = text_in(bench_.object("checkpoint"));
    for (const std::uint64_t size : {1U, 299U}) {
        const tlog::Hash other = tlog::leaf_hash(as_bytes("another entry"));
        write(bench_.object("checkpoint"), signed_checkpoint(size, other));
        PublishedLog next = restarted();
        EXPECT_THAT(refusal_of(next), HasSubstr("is not an earlier state of the log in the database"));
    }
    bench_.add(1);
    EXPECT_THAT(refusal_of(log_), HasSubstr("is not an earlier state")) << "a running service stops as well";
    EXPECT_EQ(state("published"), "300");
    write(bench_.object("checkpoint"), good);
    run(log_.work());
    EXPECT_THAT(bench_.complaints(), IsEmpty());
}

// A database that fails over to a copy which lags behind, while the service runs.
TEST_F(LogStore, ADatabaseThatGoesBackPublishesNothing) {
    publish(5);
    const std::string before = bench_.sql(
        "SELECT 'UPDATE logs SET size = size - 5, published = published - 5, edge = X''' || hex(edge) || ''', "
        "checkpoint = ''' || checkpoint || '''' FROM logs");
    publish(5);
    const std::string seen = text_in(bench_.object("checkpoint"));
    bench_.sql(before);
    bench_.sql("DELETE FROM log_entries WHERE position >= 5");
    bench_.add(5);
    EXPECT_THAT(refusal_of(log_), HasSubstr("older than what others have seen"));
    EXPECT_EQ(text_in(bench_.object("checkpoint")), seen);
    EXPECT_EQ(state("size"), "5") << "no position is given for the second time";
}

TEST_F(LogStore, AStoreThatLiesCannotForkTheLog) {
    publish(2);
    const std::string former = text_in(bench_.object("checkpoint"));
    publish(2);
    bench_.add(1);
    std::string& lie = store_.lies["consent-log/checkpoint"].emplace("no checkpoint");
    EXPECT_THAT(refusal_of(log_), HasSubstr("not one of this log"));
    const auto stranger = tlog::NoteSigner::generate("other.example.org/consent", tlog::KeyType::ed25519).value();
    tlog::Note note{.text = tlog::format_checkpoint({"other.example.org/consent", 1, tlog::empty_root()}),
                    .signatures = {}};
    note.signatures.push_back(stranger.sign(note.text));
    lie = tlog::format_note(note);
    EXPECT_THAT(refusal_of(log_), HasSubstr("not one of this log"));
    EXPECT_EQ(state("published"), "4");
    lie = former;  // old, but genuine
    EXPECT_EQ(refusal_of(log_), "");
    store_.lies["consent-log/checkpoint"] = std::nullopt;
    bench_.add(1);
    EXPECT_EQ(refusal_of(log_), "");
    EXPECT_TRUE(bench_.observe());
    EXPECT_THAT(bench_.complaints(), IsEmpty());

    const BytesView entry = as_bytes("entry 1");
    EXPECT_TRUE(run(log_.prove(1, entry)));
    for (const std::string& tile : {std::string(6 * 32, 'x'), std::string("short"), std::string()}) {
        store_.lies["consent-log/tile/0/000.p/6"] = tile;
        EXPECT_THROW(run(log_.prove(1, entry)), Unavailable) << "never a false proof";
    }
}

TEST_F(LogStore, LostAndDamagedObjectsAreRewritten) {
    publish(700);
    const auto whole = objects();
    const auto is_whole = [&] { return objects() == whole; };
    // All of them, as in an empty bucket; then the newest, as after a restored backup.
    fs::remove_all(bench_.object(""));
    {
        PublishedLog next = restarted();
        run(next.work());
        EXPECT_TRUE(is_whole());
    }
    fs::remove(bench_.object("tile/0/002.p/188"));
    {
        PublishedLog next = restarted();
        run(next.work());
        EXPECT_TRUE(is_whole());
    }
    // One in the middle: a request for it makes the service look.
    for (const std::string path : {"tile/0/001", "tile/entries/001", "tile/entries/002.p/188"}) {
        const auto bytes = run(log_.tile(path));
        const std::string file = path == "tile/entries/001" ? path + ".gz" : path;
        ASSERT_TRUE(fs::remove(bench_.object(file)));
        EXPECT_THROW(run(log_.tile(path)), Unavailable) << path;
        run(log_.work());
        EXPECT_EQ(run(log_.tile(path)), bytes);
        EXPECT_TRUE(is_whole());
    }
    // Of a compressed one, each reader sees the damage.
    write(bench_.object("tile/entries/001.gz"), whole.at("tile/entries/000.gz").substr(1));
    EXPECT_THROW(run(log_.tile("tile/entries/001")), Unavailable);
    run(log_.work());
    EXPECT_TRUE(is_whole());
    EXPECT_EQ(run(log_.tile("tile/0/003")), std::nullopt) << "it never was";
    write(bench_.object("tile/0/001"), std::string(8192, 'x'));
    EXPECT_THROW(run(log_.prove(300, as_bytes("entry 300"))), Unavailable);
    run(log_.work());
    EXPECT_TRUE(run(log_.prove(300, as_bytes("entry 300"))));
    EXPECT_TRUE(is_whole());
}

// Regression: a failure meanwhile ended the repair for good, and what had failed was never written again.
TEST_F(LogStore, AnyCallOfARepairMayFail) {
    publish(1'100);
    const auto whole = objects();
    int failing = 0;
    for (bool has_failed = true; has_failed; ++failing) {
        SCOPED_TRACE(failing);
        fs::remove_all(bench_.object("tile"));
        LogWithFailure log(bench_, store_, failing);
        has_failed = log.fails();
        log.work_without_failure();
        ASSERT_EQ(objects(), whole);
    }
    EXPECT_GT(failing, 30) << "each tile has been looked for and written";
}

// Regression, seen with the address sanitizer: what waits for the store at the end of the service ends after the log.
TEST_F(LogStore, ARepairMayWaitAtTheEnd) {
    publish(700);
    boost::asio::io_context context{1};
    {
        SilentStore store(store_, [](std::string_view) {});
        PublishedLog log = bench_.make_log(bench_.services().database, store);
        run(log.work());
        ASSERT_TRUE(fs::remove(bench_.object("tile/0/001")));
        EXPECT_THROW(run(log.tile("tile/0/001")), Unavailable);
        store.is_silent = true;
        boost::asio::co_spawn(context, log.work(), [](const std::exception_ptr&) {});
        EXPECT_TRUE(eventually([&] {
            context.restart();
            context.poll();
            return store.is_asked;
        }));
    }
}

// Version 0.1 stored bundles as they are. They remain until they are damaged.
TEST_F(LogStore, BundlesOfAFormerVersionAreReadAndReplacedOnlyIfDamaged) {
    publish(700);
    const std::string bytes = run(log_.tile("tile/entries/001")).value();
    ASSERT_TRUE(fs::remove(bench_.object("tile/entries/001.gz")));
    write(bench_.object("tile/entries/001"), bytes);
    EXPECT_EQ(run(log_.tile("tile/entries/001")), bytes);
    EXPECT_THAT(bench_.complaints(), IsEmpty());
    const auto repair = [&] {
        fs::remove(bench_.object("tile/entries/000.gz"));
        EXPECT_THROW(run(log_.tile("tile/entries/000")), Unavailable);
        run(log_.work());
        EXPECT_EQ(run(log_.tile("tile/entries/001")), bytes);
        EXPECT_THAT(bench_.complaints(), IsEmpty());
    };
    repair();
    EXPECT_TRUE(fs::exists(bench_.object("tile/entries/001")));
    EXPECT_FALSE(fs::exists(bench_.object("tile/entries/001.gz")));
    write(bench_.object("tile/entries/001"), bytes + "x");
    repair();
    EXPECT_FALSE(fs::exists(bench_.object("tile/entries/001")));
    EXPECT_TRUE(fs::exists(bench_.object("tile/entries/001.gz")));
}

// Altered entries would destroy the tiles that show the change.
TEST_F(LogStore, NothingIsRewrittenFromChangedEntries) {
    publish(700);
    bench_.sql("UPDATE log_entries SET entry = X'00' WHERE position = 3");
    const std::string first = text_in(bench_.object("tile/0/000"));
    fs::remove(bench_.object("tile/0/001"));
    EXPECT_THROW(run(log_.tile("tile/0/001")), Unavailable);
    for (int again = 0; again < 2; ++again) EXPECT_THAT(refusal_of(log_), HasSubstr("they have been changed"));
    EXPECT_EQ(text_in(bench_.object("tile/0/000")), first);
    EXPECT_FALSE(fs::exists(bench_.object("tile/0/001")));
    bench_.add(1);
    EXPECT_THAT(refusal_of(log_), HasSubstr("they have been changed"));
    EXPECT_EQ(state("published"), "701") << "what is recorded from now on is still published";
}

// A bundle that grows is written again with its former entries.
TEST_F(LogStore, AChangedEntryDoesNotReachTheNextBundle) {
    publish(300);
    const std::string bundle = text_in(bench_.object("tile/entries/001.p/44"));
    bench_.sql("UPDATE log_entries SET entry = X'00' WHERE position = 290");
    bench_.add(1);
    EXPECT_THAT(refusal_of(log_), HasSubstr("The entry at position 290"));
    EXPECT_EQ(state("published"), "300");
    EXPECT_FALSE(fs::exists(bench_.object("tile/entries/001.p/45")));
    EXPECT_EQ(text_in(bench_.object("tile/entries/001.p/44")), bundle);
}

class EitherLog : public LogStore, public ::testing::WithParamInterface<const char*> {
protected:
    static LogPlace place() {
        return GetParam() == std::string_view("consent") ? consent_log_place() : administration_log_place();
    }
    static PublishedLog::Options options(const Clock* cosigning_clock = nullptr) {
        return {.name = place().name,
                .area = place().area,
                .folder = place().folder,
                .origin = bench_options().origin,
                .origin_is_given = true,
                .cosigning_clock = cosigning_clock};
    }
    PublishedLog started(const Clock* cosigning_clock = nullptr) {
        return {bench_.services().database, store_, bench_.key(), options(cosigning_clock)};
    }
    void add(int count) {
        bench_.add(count);
        bench_.sql("UPDATE log_entries SET log = '" + std::string(GetParam()) + "'");
    }
    std::string published_object() const {
        const char* area = place().area == storage::Area::public_area ? "public" : "private";
        return text_in(bench_.data() / "storage" / area / place().folder / "checkpoint");
    }
};

// Regression: the object store was ahead of the public checkpoint in the database, which looked like a forgery there,
// and the log got no timestamp before its next entry.
TEST_P(EitherLog, ShowsWhatWaitedForWitnessesOnceItHasNone) {
    ManualClock clock(from_epoch_ms(1'700'000'000'000));
    const auto expect_all_shown = [&](PublishedLog& log) {
        EXPECT_EQ(published_object(), state("checkpoint"));
        EXPECT_EQ(state("public_checkpoint"), state("checkpoint"));
        EXPECT_EQ(state("public_size"), state("published"));
        EXPECT_EQ(state("uncosigned_since"), "");
        EXPECT_EQ(log_faults(bench_.services(), place()), "");
        EXPECT_EQ(run(log.begin_stamp(clock.now(), clock.now(), clock.now())), state("checkpoint"));
        clock.advance(std::chrono::seconds{1});
    };
    add(2);
    {
        PublishedLog log = started();
        run(log.work());
        expect_all_shown(log);
    }
    PublishedLog former = started(&clock);
    add(1);
    run(former.work());
    ASSERT_EQ(state("published") + " " + state("public_size"), "3 2") << "it waits for its cosignatures";
    PublishedLog next = started();
    run(next.open());
    expect_all_shown(next);
    // While both run, because the setting changes in one instance after the other.
    add(1);
    run(former.work());
    ASSERT_EQ(state("published") + " " + state("public_size"), "4 3");
    run(next.work());
    expect_all_shown(next);
}

INSTANTIATE_TEST_SUITE_P(OfBothLogs, EitherLog, ::testing::Values("consent", "administration"),
                         [](const auto& log) { return std::string(log.param); });

// Writes to the database alone, as an attacker there can: an entry with another one, and the tree that fits it.
class RewrittenLog : public EitherLog {
protected:
    // Returns the tree that this makes of the first `size` entries.
    tlog::GrowingTree rewrite(int position, std::size_t size) const {
        std::vector<tlog::Hash> leaves;
        for (std::size_t i = 0; i < size; ++i) {
            const std::string entry = std::cmp_equal(i, position) ? "forged" : "entry " + std::to_string(i);
            leaves.push_back(tlog::leaf_hash(as_bytes(entry)));
        }
        tlog::GrowingTree tree;
        tree.append(leaves);
        bench_.sql("UPDATE log_entries SET entry = X'" + to_hex(as_bytes("forged")) +
                   "' WHERE position = " + std::to_string(position));
        bench_.sql("UPDATE logs SET edge = X'" + to_hex(tree.edge()) + "'");
        return tree;
    }
};

// Regression: the service signed a tree that contradicts what it had signed before.
TEST_P(RewrittenLog, IsNotContinued) {
    add(2);
    PublishedLog log = started();
    run(log.work());
    const std::string genuine = published_object();
    rewrite(0, 2);
    add(1);
    for (int again = 0; again < 2; ++again) EXPECT_THAT(refusal_of(log), HasSubstr("differs from its own checkpoint"));
    EXPECT_EQ(state("published"), "2");
    EXPECT_EQ(state("checkpoint"), genuine);
    EXPECT_EQ(published_object(), genuine);
}

// What has been compared is what is continued: a trigger could set the log back just then.
TEST_P(RewrittenLog, IsNotContinuedIfItChangesBetweenComparisonAndSignature) {
    add(1);
    PublishedLog log = started();
    run(log.work());
    const std::string former = bench_.sql(
        "SELECT 'published = 1, edge = X''' || hex(edge) || ''', checkpoint = ''' || checkpoint || '''' FROM logs");
    add(1);
    run(log.work());
    const std::string genuine = published_object();
    bench_.sql("CREATE TRIGGER back AFTER UPDATE OF size ON logs BEGIN UPDATE logs SET " + former +
               "; UPDATE log_entries SET entry = X'00' WHERE position = 1; END");
    add(1);
    try {
        run(log.work());
    } catch (const LogRefused&) {
    }
    bench_.sql("DROP TRIGGER back");
    EXPECT_EQ(state("checkpoint"), former.substr(former.find("checkpoint = '") + 14, genuine.size()))
        << "nothing else was signed";
    EXPECT_EQ(published_object(), genuine);
    EXPECT_THAT(refusal_of(log), HasSubstr("older than what others have seen"));
}

// The fork of a former version, which signed it, must not take the place of what witnesses have seen.
TEST_P(RewrittenLog, IsNotShownForWantOfCosignatures) {
    ManualClock clock(from_epoch_ms(1'700'000'000'000));
    add(2);
    {
        PublishedLog log = started();
        run(log.work());
    }
    const std::string genuine = published_object();
    PublishedLog log = started(&clock);
    add(1);
    run(log.work());
    ASSERT_EQ(state("published"), "3");
    ASSERT_EQ(published_object(), genuine) << "it waits for its cosignatures";
    const std::string waiting = state("checkpoint");
    const tlog::GrowingTree fork = rewrite(0, 3);
    clock.advance(std::chrono::seconds{31});
    const auto expect_refusal = [&](const char* text) {
        EXPECT_THAT(refusal_of(log), HasSubstr(text));
        EXPECT_EQ(state("public_size"), "2");
        EXPECT_EQ(published_object(), genuine);
    };
    expect_refusal("differs from its own checkpoint");
    bench_.sql("UPDATE logs SET checkpoint = '" + signed_checkpoint(3, fork.root()) + "'");
    expect_refusal("is not an earlier state of the log");
    bench_.sql("UPDATE log_entries SET entry = X'" + to_hex(as_bytes("entry 0")) + "' WHERE position = 0");
    tlog::GrowingTree tree;
    tree.append(std::vector{tlog::leaf_hash(as_bytes("entry 0")), tlog::leaf_hash(as_bytes("entry 1")),
                            tlog::leaf_hash(as_bytes("entry 2"))});
    bench_.sql("UPDATE logs SET edge = X'" + to_hex(tree.edge()) + "', checkpoint = '" + waiting + "'");
    EXPECT_EQ(refusal_of(log), "");
    EXPECT_EQ(published_object(), waiting) << "the genuine one is shown";
}

INSTANTIATE_TEST_SUITE_P(OfBothLogs, RewrittenLog, ::testing::Values("consent", "administration"),
                         [](const auto& log) { return std::string(log.param); });

}  // namespace
}  // namespace consentry::tests
