#include "app/copy/copy_database.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "app/copy/copy_source.hpp"
#include "app/copy/copy_target.hpp"
#include "app/engines.hpp"
#include "app/terminal/progress_bar.hpp"
#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/standard_error.hpp"
#include "crypto/digest.hpp"
#include "storage/migrations.hpp"

namespace consentry {
namespace {

using namespace std::string_view_literals;

// Size of one message to the server: large enough to amortize its overhead.
constexpr std::size_t part_bytes = 64 * 1024;

// Before the rows: the signature, flags, and the length of the header extension. After them: -1 in place of a column
// count.
constexpr std::string_view stream_head = "PGCOPY\n\xFF\r\n\0\0\0\0\0\0\0\0\0"sv;
constexpr std::string_view stream_tail = "\xFF\xFF"sv;

// Checksum of a stream that does not depend on how it was split: SHA-256 over the previous value and the next block.
class Checksum {
public:
    void add(std::string_view part) {
        while (!part.empty()) {
            const std::string_view taken = part.substr(0, block_bytes - block_.size());
            block_.append(taken);
            part.remove_prefix(taken.size());
            if (block_.size() == block_bytes) value();
        }
    }
    const std::string& value() {
        block_ = as_text(crypto::sha256(block_));
        return block_;
    }

private:
    static constexpr std::size_t block_bytes = 64 * 1024;
    std::string block_;
};

// Rows are counted twice: once when they are copied, once when they are compared.
class CopyProgress {
public:
    explicit CopyProgress(std::int64_t rows) : steps_(2 * rows) {}

    void step(std::string_view doing, std::string_view table) {
        ++done_;
        if (bar_.is_shown() && done_ % between == 0)
            bar_.show(fmt::format("{} {}", doing, table),
                      static_cast<double>(done_) / static_cast<double>(std::max<std::int64_t>(steps_, 1)));
    }

private:
    static constexpr std::int64_t between = 256;  // a look at the clock costs as much as a row
    ProgressBar bar_;
    const std::int64_t steps_;
    std::int64_t done_ = 0;
};

void require_same_tables(const CopySource& source, const CopyTarget& target) {
    const auto refuse = [](std::string_view what, std::string_view where) {
        throw std::runtime_error(fmt::format("{} exists only in {}", what, where));
    };
    auto of_source = source.tables();
    for (const CopiedTable& table : target.tables()) {
        const auto found = of_source.find(table.name);
        if (found == of_source.end()) refuse("table " + table.name, "PostgreSQL");
        for (const CopiedColumn& column : table.columns)
            if (found->second.erase(column.name) == 0)
                refuse(fmt::format("column {} of table {}", column.name, table.name), "PostgreSQL");
        if (!found->second.empty())
            refuse(fmt::format("column {} of table {}", *found->second.begin(), table.name), "SQLite");
        of_source.erase(found);
    }
    if (!of_source.empty()) refuse("table " + of_source.begin()->first, "SQLite");
}

struct Copied {
    std::int64_t rows;
    std::string checksum;
};

Copied copy_table(const CopySource& source, CopyTarget& target, const CopiedTable& table, std::int64_t expected,
                  CopyProgress& progress) {
    Checksum sent;
    std::string part(stream_head);
    std::int64_t read = 0;
    const auto flush = [&] {
        sent.add(part);
        target.put(part);
        part.clear();
    };
    target.begin(table);
    source.read(table, [&](std::string_view row) {
        ++read;
        progress.step("copying", table.name);
        part.append(row);
        if (part.size() >= part_bytes) flush();
    });
    part.append(stream_tail);
    flush();
    const std::int64_t written = target.end();
    if (expected != read || read != written)
        throw std::runtime_error(
            fmt::format("table {}: counted {} rows but read {} and wrote {}", table.name, expected, read, written));
    return {written, sent.value()};
}

// PostgreSQL must return exactly the bytes that were sent.
void compare_table(CopyTarget& target, const CopiedTable& table, const Copied& copied, CopyProgress& progress) {
    Checksum kept;
    target.read(table, [&](std::string_view row) {
        kept.add(row);
        progress.step("comparing", table.name);
    });
    if (kept.value() != copied.checksum)
        throw std::runtime_error(fmt::format("table {}: the rows in PostgreSQL differ from the rows sent", table.name));
}

void require_empty(CopyTarget& target) {
    for (const CopiedTable& table : target.tables())
        if (std::ranges::find(seeded_tables, table.name) == seeded_tables.end() && target.has_rows(table))
            throw std::runtime_error(
                fmt::format("the PostgreSQL database is not empty: table {} has rows", table.name));
}

std::vector<Copied> copy_tables(const CopySource& source, CopyTarget& target) {
    std::vector<std::int64_t> counts;
    counts.reserve(target.tables().size());
    for (const CopiedTable& table : target.tables()) counts.push_back(source.count(table));
    CopyProgress progress(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
    std::vector<Copied> copied;
    copied.reserve(counts.size());
    target.take_aids_down();
    for (std::size_t i = 0; i < counts.size(); ++i)
        copied.push_back(copy_table(source, target, target.tables()[i], counts[i], progress));
    target.put_aids_up();
    for (std::size_t i = 0; i < copied.size(); ++i) compare_table(target, target.tables()[i], copied[i], progress);
    return copied;
}

}  // namespace

std::vector<CopiedRows> copy_database(const std::filesystem::path& from, const Config& config) {
    const CopySource source(from, std::ssize(storage::migrations()));
    open_database(config, [] {
        throw std::runtime_error(
            "the PostgreSQL database has the schema of an earlier version, and may be in use. Name an empty database, "
            "or upgrade this one first with `consentry migrate`.\nNothing was copied.");
    });
    CopyTarget target({.url = config.database.url, .keeps_session_state = config.database.prepared_statements});
    std::vector<Copied> copied;
    try {
        require_same_tables(source, target);
        require_empty(target);
        say("Copying {}. Stop the service that uses it first: rows it writes from now on are not copied.\n",
            from.string());
        copied = copy_tables(source, target);
    } catch (const std::exception& error) {
        throw std::runtime_error(fmt::format("{}\nNothing was copied.", error.what()));
    }
    try {
        target.commit();
    } catch (const Unavailable& outage) {
        throw Unavailable(
            fmt::format("{} before PostgreSQL confirmed the copy.\nEither everything was copied or nothing. Run the "
                        "command again: if it reports that the database is not empty, the copy is complete.",
                        outage.what()));
    }
    std::vector<CopiedRows> out;
    out.reserve(copied.size());
    for (std::size_t i = 0; i < copied.size(); ++i) out.push_back({target.tables()[i].name, copied[i].rows});
    return out;
}

}  // namespace consentry
