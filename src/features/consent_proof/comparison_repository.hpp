// The SQL that compares rows of acceptances with entries of the log. Reads everything as text, because a row may
// contain anything.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "features/consent_proof/compared_row.hpp"
#include "features/published_logs/wrong_values.hpp"
#include "storage/database.hpp"

namespace consentry {

using storage::awaitable;

struct ComparedEntry {
    std::string id;
    std::optional<std::int64_t> position;
    Bytes entry;
    std::optional<Bytes> salt;
    std::optional<ComparedRow> row;
};

struct RowPlace {
    std::string id;
    std::string user;
    std::string type;
    std::int64_t sequence = 0;
    std::string action;
    std::int64_t version = 0;
    std::int64_t accepted_at = 0;
    std::optional<std::int64_t> position;
};

// What the row of a published version repeats, or derives from other rows.
struct VersionFacts {
    std::string id;
    std::optional<std::string> content_hashes;
    std::optional<std::string> grace_version;
};

// A comparison of two versions. As texts: a row may have values of wrong types.
struct StoredPage {
    std::string hash;
    std::string type;
    std::string from_version;
    std::string to_version;
    std::string language;
    std::string page;
};

class ComparisonRepository {
public:
    explicit ComparisonRepository(storage::Database& database) : database_(database) {}

    // Each returns at most `count`, those that follow `after`.
    awaitable<std::vector<ComparedEntry>> entries(std::int64_t after, std::int64_t count);
    awaitable<std::vector<ComparedEntry>> pending(Uuid after, std::int64_t count);
    // Ids of rows above `after` that the log lacks: up to `last`, or all, also those whose id is no UUID.
    awaitable<std::vector<std::string>> unlogged(Uuid after, std::optional<Uuid> last);
    // Where to end; nullopt: there are few more, or the row there has an id that is no UUID.
    awaitable<std::optional<Uuid>> end_of_portion(Uuid after);
    awaitable<std::optional<ComparedEntry>> find_entry(Uuid id);
    // Of each published version, by its id.
    awaitable<std::map<std::string, VersionFacts>> version_facts();
    // At most `count` of the pages that compare two versions, those whose hashes follow `after`.
    awaitable<std::vector<StoredPage>> pages(std::string after, std::int64_t count);
    // In the order of account, type and sequence.
    awaitable<std::vector<RowPlace>> places(const RowPlace& after, std::int64_t count);

    // Of all rows that the others read.
    awaitable<std::vector<WrongValue>> wrong_values();

private:
    storage::Database& database_;
};

}  // namespace consentry
