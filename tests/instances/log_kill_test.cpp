// kill -9 at random moments and in the middle of publications, while users accept and withdraw. No size of the log ever
// has two roots, and every receipt that a user holds is kept within the promised time.
//
// A few rounds take some seconds. CONSENTRY_KILL_ROUNDS=500 runs as many (CONTRIBUTING.md).
#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <iostream>
#include <map>
#include <mutex>
#include <random>
#include <system_error>
#include <thread>

#include <sys/inotify.h>
#include <unistd.h>

#include <boost/system/system_error.hpp>
#include <gmock/gmock.h>
#include <poll.h>

#include "base/uuid.hpp"
#include "crypto/jws.hpp"
#include "tests/instances/fleet.hpp"
#include "tests/support/files.hpp"
#include "tests/support/log_mirror.hpp"
#include "tests/support/sql.hpp"
#include "tests/support/wanted.hpp"

namespace consentry::tests {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

constexpr std::size_t users = 4;
constexpr std::chrono::seconds promise{60};
// Before a user turns to a killed instance again, and between two looks at the checkpoints: the instances that start
// meanwhile need the processors.
constexpr std::chrono::milliseconds pause{3};

// What was ever visible: each checkpoint, of every instance.
class SeenCheckpoints {
public:
    explicit SeenCheckpoints(tlog::VerifierKey key) : key_(std::move(key)) {}
    void add(const std::string& note) {
        if (note.empty()) return;
        const tlog::Checkpoint seen = checkpoint_in(note, key_);
        const std::scoped_lock lock(mutex_);
        if (roots_.try_emplace(seen.size, seen.root).first->second != seen.root) forks_.insert(seen.size);
    }
    std::size_t size() const { return roots_.size(); }
    std::set<std::uint64_t> forks() const { return forks_; }

private:
    const tlog::VerifierKey key_;
    std::mutex mutex_;
    std::map<std::uint64_t, tlog::Hash> roots_;
    std::set<std::uint64_t> forks_;
};

class Receipts {
public:
    void add(std::string receipt) {
        const std::scoped_lock lock(mutex_);
        all_.push_back(std::move(receipt));
        ++count_;
        added_.notify_all();
    }
    std::size_t count() const { return count_; }
    void wait_until(steady_clock::time_point end, std::size_t wanted) {
        std::unique_lock lock(mutex_);
        added_.wait_until(lock, end, [&] { return count_ >= wanted; });
    }
    const std::vector<std::string>& all() const { return all_; }

private:
    std::mutex mutex_;
    std::condition_variable added_;
    std::vector<std::string> all_;
    std::atomic<std::size_t> count_ = 0;
};

// Returns as soon as a file is made in the folder.
void wait_for_new_file(const fs::path& folder, std::chrono::milliseconds time_max) {
    const int watch = ::inotify_init1(IN_CLOEXEC);
    if (::inotify_add_watch(watch, folder.c_str(), IN_CREATE) < 0)
        throw std::system_error(errno, std::system_category(), "inotify of " + folder.string());
    pollfd event{.fd = watch, .events = POLLIN, .revents = 0};
    ::poll(&event, 1, static_cast<int>(time_max.count()));
    ::close(watch);
}

struct Party {
    Fleet& fleet;
    std::function<std::vector<std::vector<std::string>>(const std::string&)> sql;
    fs::path storage;
};

class Storm {
public:
    explicit Storm(Party party)
        : party_(std::move(party)),
          key_(log_key([&](const std::string& path) { return first().get(path); })),
          seen_(key_) {
        for (std::size_t i = 0; i < party_.fleet.size(); ++i) ports_.at(i) = party_.fleet.at(i).port();
        party_.sql(
            "INSERT INTO term_policies (id, type, version, status, content_hashes, published_at, created_at, "
            "updated_at) VALUES ('" +
            Uuid::v7(SystemClock().now()).text() + "', 'marketing', 1, 'published', '{\"en\":\"" +
            std::string(64, 'a') + "\"}', 1, 1, 1)");
        for (std::size_t i = 0; i < users; ++i) {
            people_.push_back(party_.fleet.make_person());
            tokens_.push_back(tokens_of(first(), people_.back()).access);
        }
    }

    // Users act and all checkpoints are collected while `strike` kills instances; then every instance runs again, and
    // the log completes itself.
    void round(const std::function<void()>& strike) {
        std::atomic<bool> is_over = false;
        std::vector<std::jthread> crowd;
        crowd.reserve(users);
        for (std::size_t user = 0; user < users; ++user)
            crowd.emplace_back([&, user] {
                for (std::size_t turn = user; !is_over; ++turn) act(user, turn);
            });
        std::jthread poller([&](const std::stop_token& stop) {
            for (; !stop.stop_requested(); std::this_thread::sleep_for(pause)) collect();
        });
        strike();
        for (const std::size_t killed : killed_) {
            party_.fleet.start(killed);
            ports_[killed] = party_.fleet.at(killed).port();
        }
        killed_.clear();
        is_over = true;
        crowd.clear();
        settle();
    }

    void kill(std::size_t instance) {
        party_.fleet.at(instance).kill();
        killed_.insert(instance);
        ++kills_;
    }
    void kill_all() {
        for (std::size_t i = 0; i < party_.fleet.size(); ++i) party_.fleet.at(i).program().send(SIGKILL);
        for (std::size_t i = 0; i < party_.fleet.size(); ++i) kill(i);
        for (const fs::path& left : unfinished()) fs::remove(left);
    }
    void wait_for_receipts(std::size_t more) {
        receipts_.wait_until(steady_clock::now() + promise, receipts_.count() + more);
    }
    // Returns while an instance writes a tile or a checkpoint.
    void wait_for_publication() const { wait_for_new_file(party_.storage / "unfinished", promise); }
    void rotate_keys() const { party_.fleet.rotate_keys(); }

    void expect_kept_promises() {
        const auto fetch = [&](const std::string& path) { return first().get(path); };
        const LogMirror mirror = mirror_of(fetch, key_);
        EXPECT_THAT(mirror.complaints, ::testing::IsEmpty());
        EXPECT_EQ(std::to_string(mirror.checkpoint.size),
                  one("SELECT count(*) FROM log_entries WHERE log = 'consent'"));
        EXPECT_THAT(seen_.forks(), ::testing::IsEmpty());
        const DescribedReceiptKeys keys(fetch("/.well-known/consent-log.note").body, key_);
        std::size_t broken = 0;
        for (const std::string& receipt : receipts_.all()) {
            const json::object claims = keys.claims_of(receipt);
            if (claims.empty() || !mirror.leaves.contains(std::string(claims.at("entryHash").as_string()))) ++broken;
        }
        EXPECT_EQ(broken, 0U) << "of " << receipts_.count() << " receipts";
        std::cout << kills_ << " instances killed, " << receipts_.count() << " receipts of " << keys.size() << " keys, "
                  << mirror.checkpoint.size << " entries, " << seen_.size() << " checkpoints seen, slowest completion "
                  << slowest_.count() << " ms\n";
    }

private:
    // The files that are being written, and those that killed instances have left behind.
    std::set<fs::path> unfinished() const {
        std::set<fs::path> out;
        for (const auto& file : fs::directory_iterator(party_.storage / "unfinished")) out.insert(file.path());
        return out;
    }
    HttpClient first() const { return party_.fleet.client(0); }
    std::string one(const std::string& statement) const { return party_.sql(statement).at(0).at(0); }

    HttpClient client(std::size_t index) const { return HttpClient(ports_[index % party_.fleet.size()]); }
    // Accepts and withdraws in turn. Whether a request that a kill interrupts took effect is open.
    void act(std::size_t user, std::size_t turn) {
        try {
            const HttpClient instance = client(turn);
            const std::string deed = accepts_next_[user] ? "accept" : "withdraw";
            const Answer answer =
                instance.post("/api/shared/user/term-policy/" + deed, {{"type", "marketing"}}, bearer(tokens_[user]));
            if (answer.status == 200U) receipts_.add(answer.text("data.receipt"));
            if (answer.status == 200U || answer.status == 409U) accepts_next_[user] = !accepts_next_[user];
            if (answer.status == 401U) tokens_[user] = tokens_of(instance, people_[user]).access;
        } catch (const boost::system::system_error&) {
            std::this_thread::sleep_for(pause);
        }
    }
    void collect() {
        seen_.add(text_in(party_.storage / "public" / "consent-log" / "checkpoint"));
        for (std::size_t i = 0; i < party_.fleet.size(); ++i) try {
                const Answer answer = client(i).get("/consent-log/checkpoint");
                if (answer.status == 200U) seen_.add(answer.body);
            } catch (const boost::system::system_error&) {
            }
    }
    void settle() {
        const auto begin = steady_clock::now();
        const bool is_complete = eventually_before(begin + promise, [&] {
            collect();
            return one("SELECT published - (SELECT count(*) FROM log_entries WHERE log = 'consent') FROM logs WHERE "
                       "name = 'consent'") == "0";
        });
        EXPECT_TRUE(is_complete) << "entries wait for longer than promised";
        slowest_ =
            std::max(slowest_, std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - begin));
    }

    Party party_;
    tlog::VerifierKey key_;
    std::vector<Person> people_;
    std::vector<std::string> tokens_;
    std::array<bool, users> accepts_next_ = {true, true, true, true};
    std::array<std::atomic<std::uint16_t>, 4> ports_{};
    SeenCheckpoints seen_;
    Receipts receipts_;
    std::set<std::size_t> killed_;
    int kills_ = 0;
    std::chrono::milliseconds slowest_{0};
};

void rage(Storm& storm, std::size_t instances) {
    std::mt19937 random(17);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same moments in every run, as far as possible
    const auto below = [&](std::size_t limit) { return random() % limit; };
    const std::int64_t rounds = wanted("CONSENTRY_KILL_ROUNDS", 6);
    for (int round = 0; round < rounds && !::testing::Test::HasFailure(); ++round) {
        SCOPED_TRACE("round " + std::to_string(round));
        if (round % (rounds / 3 + 1) == 1) storm.rotate_keys();
        storm.round([&] {
            storm.wait_for_receipts(1 + below(40));
            if (round % 2 == 0) return storm.kill(below(instances));
            storm.wait_for_publication();
            for (std::size_t spin = below(20'000); spin > 0; --spin)
                std::atomic_signal_fence(std::memory_order_seq_cst);
            storm.kill_all();
        });
    }
    storm.expect_kept_promises();
}

TEST(LogKill, FourInstancesKeepOneLogAndEveryPromise) {
    SharedFleet fleet(4);
    Storm storm({.fleet = *fleet,
                 .sql = [&](const std::string& statement) { return fleet.sql(statement); },
                 .storage = fleet->data() / "storage"});
    rage(storm, 4);
}

TEST(LogKill, AnInstanceOnItsOwnKeepsOneLogAndEveryPromise) {
    Fleet fleet(1, {});
    Storm storm({.fleet = fleet,
                 .sql = [&](const std::string& statement) { return run_sql(fleet.data() / "consentry.db", statement); },
                 .storage = fleet.data() / "storage"});
    rage(storm, 1);
}

}  // namespace
}  // namespace consentry::tests
