// What the consent log costs: sequencing and publishing very many entries, a proof from among them, the space they
// take, and what an acceptance waits longer.
#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>

#include <unistd.h>

#include <fmt/format.h>

#include "app/services.hpp"
#include "crypto/random.hpp"
#include "features/consent_log/entry.hpp"
#include "finished.hpp"
#include "goals.hpp"

namespace consentry::bench {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

constexpr double sequencer_floor = 20'000;  // entries per second
constexpr double proof_floor_ms = 1;
constexpr double gigabytes_max = 1;  // of 10,000,000 entries
constexpr double growth_max = 1.1;   // of the memory, while the log grows tenfold
constexpr std::int64_t entries_full = 1'000'000;
constexpr std::int64_t entries_quick = 50'000;
constexpr int proofs = 2'000;

double own_megabytes() {
    std::ifstream in("/proc/self/statm");
    double all = 0;
    double resident = 0;
    in >> all >> resident;
    return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

// Acceptances as users make them: each of another account, a second after the one before, of one of a few texts. The
// space that they take when compressed depends on that.
Bytes entries_of(std::int64_t first, std::int64_t last) {
    static const auto texts = [] {
        std::array<crypto::Sha256, 24> out{};  // as many as four policies in six languages
        for (auto& text : out) std::ranges::copy(crypto::random_bytes(text.size()), text.begin());
        return out;
    }();
    constexpr std::array types{PolicyType::terms_of_service, PolicyType::privacy, PolicyType::marketing,
                               PolicyType::cookies};
    Bytes out;
    for (std::int64_t number = first; number <= last; ++number) {
        const auto random = crypto::random_bytes(1 + sizeof(SubjectTag) + sizeof(crypto::Sha256));
        const std::size_t text = random.front() % texts.size();
        ConsentEntry entry{.type = types[text % types.size()],
                           .version = 1,
                           .language = static_cast<Language>(text / types.size()),
                           .content = texts[text],
                           .time = std::chrono::sys_seconds{std::chrono::seconds{1'800'000'000 + number}}};
        std::copy_n(random.begin() + 1, entry.subject.size(), entry.subject.begin());
        std::copy_n(random.end() - sizeof(crypto::Sha256), entry.addendum.size(), entry.addendum.begin());
        std::ranges::copy(format_entry(entry), std::back_inserter(out));
    }
    return out;
}

// Entries that wait for a position, as many acceptances would have left them.
void add_entries(Services& services, bool on_servers, std::int64_t first, std::int64_t last) {
    const std::string sql = fmt::format(
        "INSERT INTO log_entries (id, log, entry) WITH RECURSIVE n(i) AS (SELECT $1 UNION ALL SELECT i + 1 FROM n "
        "WHERE i < $2) SELECT CAST('01890000-0000-7000-8000-' || substr('000000000000' || i, "
        "length('000000000000' || i) - 11) AS {}), 'consent', substr(CAST($3 AS {}), CAST((i - $1) * {} + 1 AS "
        "INTEGER), {}) FROM n",
        on_servers ? "UUID" : "TEXT", on_servers ? "BYTEA" : "BLOB", consent_entry_bytes, consent_entry_bytes);
    for (; first <= last; first += rows_at_once) {
        const std::int64_t end = std::min(first + rows_at_once - 1, last);
        storage::Transaction transaction;
        transaction.add({storage::Expect::any, sql, storage::bind_all(first, end, entries_of(first, end))});
        finished(services.database.commit(std::move(transaction)));
    }
}

double cpu_seconds() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double bytes_below(const fs::path& folder) {
    double out = 0;
    for (const auto& file : fs::recursive_directory_iterator(folder))
        if (file.is_regular_file()) out += static_cast<double>(file.file_size());
    return out;
}

double seconds_of(const auto& work) {
    const auto begin = steady_clock::now();
    work();
    return std::chrono::duration<double>(steady_clock::now() - begin).count();
}

// In one coroutine: connections to PostgreSQL end with the event loop that opened them.
storage::awaitable<std::vector<double>> proof_times(PublishedLog& log, LogRepository& repository,
                                                    std::int64_t entries) {
    std::mt19937_64 random(1);
    std::vector<double> out;
    for (int i = 0; i < proofs; ++i) {
        const auto position = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(entries));
        const auto found = co_await repository.entries(position, position + 1);
        const auto begin = steady_clock::now();
        const auto proof = co_await log.prove(position, found.front());
        out.push_back(1e3 * std::chrono::duration<double>(steady_clock::now() - begin).count());
        if (!proof) throw std::runtime_error("an entry has no proof");
    }
    co_return out;
}

void measure_proofs(PublishedLog& log, Services& services, std::int64_t entries, const std::string& engines,
                    Report& report) {
    LogRepository repository(services.database, "consent");
    std::vector<double> times = finished(proof_times(log, repository, entries));
    std::ranges::sort(times);
    const double median = times[times.size() / 2];
    report.add(
        {.goal = fmt::format("consent-log: a proof at {} entries, {}", count(static_cast<double>(entries)), engines),
         .floor = "1 ms",
         .measured = fmt::format("median {:.2f} ms, p99 {:.2f} ms", median, times[times.size() * 99 / 100]),
         .judged = {at_most(only(median), proof_floor_ms, "ms, median")}});
}

}  // namespace

void measure_consent_log(const Stage& stage, Report& report) {
    const bool on_servers = stage.servers() != nullptr;
    const bool is_full = stage.length().large.users >= 1'000'000;
    const std::int64_t entries = is_full ? entries_full : entries_quick;
    Environment settings = stage.settings({{"CONSENT_LOG_ENABLE", "false"}, {"DATABASE_TIMEOUT", "10s"}});
    const fs::path folder = stage.working_folder("log");
    settings["STORAGE_URL"] = "file:" + folder.string();
    const SystemClock clock;
    Services services(config_of(settings), clock);
    const auto key = crypto::PrivateKey::generate(crypto::SignatureAlgorithm::eddsa);
    PublishedLog log(services.database, services.object_store, key,
                     {.name = "consent",
                      .area = storage::Area::public_area,
                      .folder = "consent-log",
                      .origin = "login.example.org/consent",
                      .origin_is_given = true});
    finished(log.open());

    std::vector<double> per_second;
    std::vector<double> per_cpu_second;
    double first_megabytes = 0;
    constexpr int parts = 10;
    for (int part = 0; part < parts; ++part) {
        add_entries(services, on_servers, part * entries / parts + 1, (part + 1) * entries / parts);
        const double cpu = cpu_seconds();
        const double seconds = seconds_of([&] { finished(log.work()); });
        per_second.push_back(static_cast<double>(entries) / parts / seconds);
        per_cpu_second.push_back(static_cast<double>(entries) / parts / (cpu_seconds() - cpu));
        if (part == 0) first_megabytes = own_megabytes();
    }
    const double last_megabytes = own_megabytes();
    report.add({.goal = "consent-log: entries sequenced and published, " + stage.engines(),
                .floor = "20,000/s",
                .measured = text(spread(per_second), 0) + "/s",
                .ratio = "per cpu-s " + text(spread(per_cpu_second), 0),
                .judged = {at_least(spread(per_second), sequencer_floor, "per second")}});
    report.add({.goal = fmt::format("consent-log: memory at {} entries, against a tenth of them, {}",
                                    count(static_cast<double>(entries)), stage.engines()),
                .floor = "1.1 x",
                .measured = fmt::format("{:.1f} MiB, {:.1f} MiB", last_megabytes, first_megabytes),
                .ratio = fmt::format("{:.2f}", last_megabytes / first_megabytes),
                .judged = {at_most(only(last_megabytes / first_megabytes), growth_max, "x with a tenth")}});
    measure_proofs(log, services, entries, stage.engines(), report);
    const double bytes = bytes_below(folder / "public" / "consent-log") / static_cast<double>(entries);
    report.add({.goal = "consent-log: hash tiles and bundles of 10,000,000 entries",
                .floor = "1 GB",
                .measured = fmt::format("{:.2f} GB, {:.1f} bytes each", bytes * 1e7 / 1e9, bytes),
                .judged = {at_most(only(bytes * 1e7 / 1e9), gigabytes_max, "GB")}});
}

}  // namespace consentry::bench
