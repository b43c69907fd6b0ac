// Backups of an installation on SQLite with files in a folder.
//
// A backup is a folder:
//
//     consentry.db   the database at one moment
//     storage/       the object store: private/ and public/
//     keys/          the key folder, if wanted
//     SHA256SUMS     of all files above; `sha256sum --check` reads it
//     backup.json    when and by which version; written last, so a backup that was cut off has none
//
// The logs decide the order. A start refuses a database that is older than the checkpoint in the object store, so
// checkpoints are copied before the database. All other objects are copied after it: then every text that the database
// names is there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "app/backup/files.hpp"
#include "base/clock.hpp"

namespace consentry {

struct BackupPlaces {
    std::filesystem::path database;
    std::filesystem::path storage;  // empty: the object store is elsewhere
    std::filesystem::path keys;     // empty: without keys
};

struct BackupFacts {
    std::string version;  // of the program
    std::int64_t schema = 0;
    TimePoint made_at;
    std::int64_t files = 0;
    std::int64_t bytes = 0;
    bool has_storage = false;
    bool has_keys = false;
    std::int64_t missing_texts = 0;  // of policies: the installation lacks them, too. Not stored
};

// Writes a backup into `folder`, which must be new or empty. Others may use the installation meanwhile. If it
// throws, what it has written stays, and no restore takes it for a backup. Throws std::runtime_error; WrongSettings if
// the folder has files.
BackupFacts make_backup(const BackupPlaces& from, const std::filesystem::path& folder, std::string_view version,
                        TimePoint now);

// Throws WrongSettings if there is no such folder, and std::runtime_error if it is not a complete backup.
BackupFacts read_backup_facts(const std::filesystem::path& folder);
// Throws std::runtime_error if a file of the backup was altered, added or lost.
void check_backup(const std::filesystem::path& folder, const BackupFacts& facts);

// Puts a checked backup into places that must be new or empty: storage and keys first, the database last, which
// makes it an installation. If root is the caller, everything that was created gets this owner. Throws
// std::runtime_error and has then removed what it had put there; WrongSettings if a place is not empty. A place that is
// empty in `to` is left out.
void restore_backup(const std::filesystem::path& folder, const BackupPlaces& to, Owner owner);

}  // namespace consentry
