// A published log on SQLite and a folder, without the service around it: nothing works on it but the test.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "app/config/read_config.hpp"
#include "app/services.hpp"
#include "features/published_logs/published_log.hpp"
#include "tests/support/files.hpp"
#include "tests/support/log_mirror.hpp"
#include "tests/support/run.hpp"
#include "tests/support/service.hpp"
#include "tests/support/sql.hpp"

namespace consentry::tests {

inline PublishedLog::Options bench_options() {
    return {.name = "consent",
            .area = storage::Area::public_area,
            .folder = "consent-log",
            .origin = "log.example.org/consent",
            .origin_is_given = true};
}

class LogBench {
public:
    PublishedLog make_log(storage::Database& database, storage::ObjectStore& store) const {
        return {database, store, key_, bench_options()};
    }
    const crypto::PrivateKey& key() const { return key_; }
    Services& services() { return services_; }
    std::filesystem::path folder() const { return folder_.path(); }
    std::filesystem::path data() const { return folder_.path() / "data"; }
    std::filesystem::path object(const std::string& path) const {
        return data() / "storage" / "public" / "consent-log" / path;
    }
    std::string sql(const std::string& statement) const {
        const auto rows = run_sql(data() / "consentry.db", statement);
        return rows.empty() ? "" : rows[0][0];
    }

    // Entries that wait for a position.
    void add(int count) {
        std::string values;
        for (int i = 0; i < count; ++i) {
            const std::string number = std::to_string(added_++);
            // Ascending, so that an entry's number is its position.
            values += (i == 0 ? "('" : ", ('") + ("00000000-0000-7000-8000-" + std::string(12 - number.size(), '0')) +
                      number + "', 'consent', X'" + to_hex(as_bytes("entry " + number)) + "')";
        }
        sql("INSERT INTO log_entries (id, log, entry) VALUES " + values);
    }
    std::uint64_t added() const { return added_; }

    // The stored objects, as an auditor gets them.
    Fetch fetch() const {
        return [this](const std::string& path) {
            const auto object =
                run(services_.object_store.get(storage::Area::public_area, path.substr(1), tlog::tile_bytes_max));
            Answer answer;
            answer.status = object ? 200 : 404;
            if (object) answer.body = object->bytes;
            return answer;
        };
    }
    tlog::VerifierKey verifier() const {
        return tlog::VerifierKey::from_ed25519(bench_options().origin, tlog::KeyType::ed25519,
                                               key_.public_key().ed25519())
            .value();
    }
    // Notes what the world can see now: the published checkpoint, and that of the database. Returns false if a size
    // has ever been seen with another root.
    bool observe() {
        bool is_one = true;
        const std::string own = sql("SELECT checkpoint FROM logs");
        for (const std::string& note : {text_in(object("checkpoint")), own}) {
            if (note.empty()) continue;
            const tlog::Checkpoint seen = checkpoint_in(note, verifier());
            if (roots_.try_emplace(seen.size, seen.root).first->second != seen.root) is_one = false;
        }
        return is_one;
    }
    // What an auditor objects to in the log as it is published; it must contain every entry.
    std::vector<std::string> complaints() const {
        LogMirror mirror = mirror_of(fetch(), verifier());
        if (mirror.checkpoint.size != added_) mirror.complaints.emplace_back("not all entries are published");
        return mirror.complaints;
    }

private:
    static Config config_in(const std::filesystem::path& folder) {
        return read_config(test_settings(folder, {{"CONSENT_LOG_ENABLE", "false"}})).value();
    }
    TempFolder folder_;
    ManualClock clock_{from_epoch_ms(1'700'000'010'000)};
    crypto::PrivateKey key_ = crypto::PrivateKey::generate(crypto::SignatureAlgorithm::eddsa);
    Services services_{config_in(folder_.path()), clock_};
    std::uint64_t added_ = 0;
    std::map<std::uint64_t, tlog::Hash> roots_;
};

}  // namespace consentry::tests
