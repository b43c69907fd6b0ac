#include "app/backup/backup.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "app/backup/files.hpp"
#include "app/terminal/progress_bar.hpp"
#include "base/folder_of.hpp"
#include "base/new_file.hpp"
#include "base/strict_json.hpp"
#include "base/wrong_settings.hpp"
#include "storage/sqlite/file.hpp"
#include "storage/sqlite/snapshot.hpp"

namespace consentry {
namespace {

namespace fs = std::filesystem;

constexpr const char* database_name = "consentry.db";
constexpr const char* storage_name = "storage";
constexpr const char* keys_name = "keys";
constexpr const char* sums_name = "SHA256SUMS";
constexpr const char* facts_name = "backup.json";
constexpr std::array areas{"private", "public"};
// The one object that is replaced as the logs grow.
constexpr std::string_view checkpoint_name = "checkpoint";

using Sums = std::map<std::string, std::string>;  // by path in the backup: digests in hexadecimal

bool is_checkpoint(const fs::path& file) { return file.filename() == checkpoint_name; }

// Shows how much of a step is done, by bytes.
class ByteProgress {
public:
    ByteProgress(ProgressBar& bar, std::string text, std::uintmax_t total)
        : bar_(bar), text_(std::move(text)), total_(total) {
        bar_.restart();
        bar_.show_now(text_, 0);
    }
    void operator()(std::size_t bytes) {
        done_ += bytes;
        bar_.show(text_, done_, total_);
    }

private:
    ProgressBar& bar_;
    std::string text_;
    std::uintmax_t total_;
    std::uintmax_t done_ = 0;
};

// Copies the files of a folder that `wanted` selects and that are not copied yet. Leaves out what is erased meanwhile.
void copy_files(const fs::path& from, const fs::path& to, const std::string& name, Sums& sums, const OnPiece& on_piece,
                const auto& wanted) {
    for (const fs::path& file : files_below(from)) {
        if (!wanted(file)) continue;
        const fs::path place = file.lexically_relative(from);
        const std::string listed = (fs::path(name) / place).generic_string();
        if (sums.contains(listed)) continue;
        if (const auto digest = copy_to_new(file, to / place, on_piece)) sums[listed] = *digest;
    }
}

void copy_objects(const fs::path& storage, const fs::path& folder, Sums& sums, const OnPiece& on_piece,
                  bool checkpoints) {
    for (const char* area : areas)
        copy_files(storage / area, folder / storage_name / area, fmt::format("{}/{}", storage_name, area), sums,
                   on_piece, [&](const fs::path& file) { return is_checkpoint(file) == checkpoints; });
}

std::uintmax_t bytes_of_files(const BackupPlaces& from) {
    std::uintmax_t out = 0;
    std::vector<fs::path> folders;
    if (!from.storage.empty())
        for (const char* area : areas) folders.push_back(from.storage / area);
    if (!from.keys.empty()) folders.push_back(from.keys);
    std::error_code gone;  // in the meantime
    for (const fs::path& folder : folders)
        for (const fs::path& file : files_below(folder))
            if (const auto bytes = fs::file_size(file, gone); !gone) out += bytes;
    return out;
}

// The texts of policies that the copy of a database names, as "<area>/<digest>". Those of drafts are private.
std::set<std::string> texts_named_in(const fs::path& database) {
    const auto file = storage::sqlite::open_file(database, SQLITE_OPEN_READONLY);
    const auto texts = storage::sqlite::all_texts(
        file, database,
        "SELECT CASE p.status WHEN 'draft' THEN 'private/' ELSE 'public/' END || lower(hex(c.digest)) "
        "FROM term_policy_contents c JOIN term_policies p ON p.id = c.term_policy_id");
    return {texts.begin(), texts.end()};
}

std::string named_text(std::string_view area, std::string_view digest) { return fmt::format("{}/{}", area, digest); }

// Copies again the texts that were overwritten since they were copied, if the database names the new ones.
void replace_overwritten(const fs::path& storage, const fs::path& folder, Sums& sums,
                         const std::set<std::string>& named, fs::file_time_type since) {
    for (const char* area : areas)
        for (const fs::path& file : files_below(storage / area)) {
            std::error_code gone;
            if (is_checkpoint(file) || fs::last_write_time(file, gone) < since || gone) continue;
            const fs::path place = fs::path(storage_name) / area / file.lexically_relative(storage / area);
            const auto sum = sums.find(place.generic_string());
            if (sum == sums.end() || named.contains(named_text(area, sum->second))) continue;
            const fs::path fresh = (folder / place).string() + ".fresh";
            const auto digest = copy_to_new(file, fresh);
            if (digest && named.contains(named_text(area, *digest))) {
                fs::rename(fresh, folder / place);
                sum->second = *digest;
            } else {
                fs::remove(fresh);
            }
        }
}

std::set<std::string> missing_among(std::set<std::string> texts, const Sums& sums) {
    for (const char* area : areas)
        for (const auto& [name, digest] : sums)
            if (name.starts_with(fmt::format("{}/{}/", storage_name, area))) texts.erase(named_text(area, digest));
    return texts;
}

// Copies the database, and then the files of its storage. A publication in between erases the texts of the draft that
// the copied database still names: then the database is copied again, and only the files that are new. Returns how many
// texts the storage itself lacks.
std::int64_t copy_database_and_storage(const BackupPlaces& from, const fs::path& folder, Sums& sums, ProgressBar& bar) {
    constexpr int attempts_max = 20;
    constexpr std::chrono::seconds inaccuracy{1};  // of times of files
    const auto begun = fs::file_time_type::clock::now() - inaccuracy;
    const fs::path database = folder / database_name;
    std::set<std::string> former_missing;
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        bar.restart();
        bar.show_now("copying the database", 0);
        fs::remove(database);
        storage::sqlite::take_snapshot(from.database, database, [&bar](int copied, int pages) {
            bar.show("copying the database", static_cast<double>(copied) / std::max(pages, 1));
        });
        if (from.storage.empty()) return 0;
        ByteProgress files(bar, "copying files", bytes_of_files(from));
        copy_objects(from.storage, folder, sums, std::ref(files), false);
        const auto named = texts_named_in(database);
        replace_overwritten(from.storage, folder, sums, named, begun);
        auto missing = missing_among(named, sums);
        // A text that is still missing was not erased by a publication: no later database would name it.
        if (std::ranges::includes(former_missing, missing)) return std::ssize(missing);
        former_missing = std::move(missing);
    }
    throw std::runtime_error("policies kept being published; try again later");
}

void write_sums(const Sums& sums, const fs::path& file) {
    std::string text;
    for (const auto& [name, digest] : sums) text += fmt::format("{}  {}\n", digest, name);
    write_new_file(file, text);
}

Sums read_sums(const fs::path& file) {
    std::istringstream text(read_file(file));
    Sums out;
    for (std::string line; std::getline(text, line);) {
        const auto gap = line.find("  ");
        if (gap == std::string::npos) throw std::runtime_error(fmt::format("{} is damaged", file.string()));
        out[line.substr(gap + 2)] = line.substr(0, gap);
    }
    return out;
}

void write_facts(const BackupFacts& facts, const fs::path& folder) {
    const boost::json::object out{{"format", 1},
                                  {"version", facts.version},
                                  {"schema", facts.schema},
                                  {"madeAt", to_iso8601(facts.made_at)},
                                  {"files", facts.files},
                                  {"bytes", facts.bytes},
                                  {"hasStorage", facts.has_storage},
                                  {"hasKeys", facts.has_keys},
                                  {"sums", digest_of_file(folder / sums_name)}};
    write_new_file(folder / facts_name, boost::json::serialize(out) + "\n");
}

}  // namespace

BackupFacts read_backup_facts(const fs::path& folder) {
    std::error_code error;
    if (!fs::is_directory(folder, error)) throw WrongSettings(fmt::format("{} is not a folder", folder.string()));
    if (!fs::exists(folder / facts_name, error))
        throw std::runtime_error(fmt::format("{} is not a complete backup: it has no {}", folder.string(), facts_name));
    const auto parsed = parse_strict_json(read_file(folder / facts_name), {});
    try {
        const boost::json::object& facts = parsed.value().as_object();
        if (facts.at("format").as_int64() != 1) throw std::runtime_error("another format");
        if (facts.at("sums").as_string() != digest_of_file(folder / sums_name))
            throw std::runtime_error("another list of files");
        return {.version = std::string(facts.at("version").as_string()),
                .schema = facts.at("schema").as_int64(),
                .made_at = from_iso8601(std::string(facts.at("madeAt").as_string())).value(),
                .files = facts.at("files").as_int64(),
                .bytes = facts.at("bytes").as_int64(),
                .has_storage = facts.at("hasStorage").as_bool(),
                .has_keys = facts.at("hasKeys").as_bool()};
    } catch (const std::exception&) {
        throw std::runtime_error(
            fmt::format("{} is damaged, or a newer version wrote it", (folder / facts_name).string()));
    }
}

namespace {

// Refuses a place with a database, and one with the log or journal of a former database: SQLite would take it for that
// of the restored one and write its pages over those of the backup.
void require_no_database(const fs::path& file) {
    std::error_code error;
    if (fs::exists(fs::symlink_status(file, error)))
        throw WrongSettings(fmt::format("the database {} exists; nothing was changed", file.string()));
    for (const char* ending : {"-wal", "-journal"}) {
        const fs::path rest = file.string() + ending;
        if (fs::exists(fs::symlink_status(rest, error)))
            throw WrongSettings(fmt::format(
                "{} is left over from another database; move it away as well; nothing was changed", rest.string()));
    }
}

// A place and what goes there.
struct Part {
    fs::path from;
    fs::path to;
};

// Copies files of a backup. Unless the restore completes, removes them and their folders, but nothing that another
// process has put there meanwhile.
class Copies {
public:
    Copies(const fs::path& folder, OnPiece on_piece)
        : folder_(folder), listed_(read_sums(folder / sums_name)), on_piece_(std::move(on_piece)) {}
    ~Copies() {
        std::error_code error;
        for (const auto& [copy, top] : made_) {
            fs::remove(copy, error);
            remove_empty_folders(copy, top);
        }
    }
    Copies(const Copies&) = delete;
    Copies& operator=(const Copies&) = delete;

    // The file must still be what the list says: it was checked in another reading. `top` is the uppermost folder that
    // may be removed with the copy.
    void make(const fs::path& file, const fs::path& copy, const fs::path& top) {
        const auto copied = try_copy(file, copy, top);
        made_.emplace_back(copy, top);
        const auto sum = listed_.find(file.lexically_relative(folder_).generic_string());
        if (sum == listed_.end() || copied != sum->second)
            throw std::runtime_error(fmt::format("{} changed while it was being restored", file.string()));
    }
    void keep() { made_.clear(); }

private:
    std::optional<std::string> try_copy(const fs::path& file, const fs::path& copy, const fs::path& top) const {
        try {
            return copy_to_new(file, copy, on_piece_);
        } catch (...) {
            remove_empty_folders(copy, top);
            throw;
        }
    }
    static void remove_empty_folders(const fs::path& copy, const fs::path& top) {
        std::error_code error;
        for (fs::path at = copy; at != top && fs::remove(at.parent_path(), error);) at = at.parent_path();
    }

    const fs::path folder_;
    const Sums listed_;
    const OnPiece on_piece_;
    std::vector<std::pair<fs::path, fs::path>> made_;
};

}  // namespace

BackupFacts make_backup(const BackupPlaces& from, const fs::path& folder, std::string_view version, TimePoint now) {
    require_empty(folder, "the folder of a new backup");
    make_folder(folder);
    Sums sums;
    ProgressBar bar;
    bar.show_now("copying checkpoints", std::nullopt);
    if (!from.storage.empty()) copy_objects(from.storage, folder, sums, {}, true);
    const std::int64_t missing_texts = copy_database_and_storage(from, folder, sums, bar);
    if (!from.keys.empty())
        copy_files(from.keys, folder / keys_name, keys_name, sums, {}, [](const auto&) { return true; });
    const fs::path database = folder / database_name;
    bar.show_now("reading the copy", std::nullopt);
    // An installation whose keys are settings has no files of keys.
    const auto is_key = [](const auto& sum) { return sum.first.starts_with(fmt::format("{}/", keys_name)); };
    BackupFacts facts{.version = std::string(version),
                      .schema = storage::sqlite::check_snapshot(database),
                      .made_at = now,
                      .has_storage = !from.storage.empty(),
                      .has_keys = std::ranges::any_of(sums, is_key),
                      .missing_texts = missing_texts};
    sums[database_name] = digest_of_file(database, ByteProgress(bar, "reading the copy", fs::file_size(database)));
    facts.files = std::ssize(sums);
    for (const auto& [name, digest] : sums) facts.bytes += static_cast<std::int64_t>(fs::file_size(folder / name));
    write_sums(sums, folder / sums_name);
    write_facts(facts, folder);
    return facts;
}

void check_backup(const fs::path& folder, const BackupFacts& facts) {
    Sums listed = read_sums(folder / sums_name);
    ProgressBar bar;
    ByteProgress progress(bar, "checking the backup",
                          static_cast<std::uintmax_t>(std::max<std::int64_t>(facts.bytes, 0)));
    for (const fs::path& file : files_below(folder)) {
        const std::string name = file.lexically_relative(folder).generic_string();
        if (name == sums_name || name == facts_name) continue;
        const auto sum = listed.find(name);
        if (sum == listed.end()) throw std::runtime_error(fmt::format("{} is not listed in the backup", file.string()));
        if (sum->second != digest_of_file(file, std::ref(progress)))
            throw std::runtime_error(fmt::format("{} differs from what was backed up", file.string()));
        listed.erase(sum);
    }
    if (!listed.empty())
        throw std::runtime_error(fmt::format("{} is missing", (folder / listed.begin()->first).string()));
}

void restore_backup(const fs::path& folder, const BackupPlaces& to, Owner owner) {
    std::vector<Part> parts;
    if (!to.storage.empty())
        for (const char* area : areas) parts.push_back({folder / storage_name / area, to.storage / area});
    if (!to.keys.empty()) parts.push_back({folder / keys_name, to.keys});
    require_no_database(to.database);
    for (const Part& part : parts) require_empty(part.to, "a folder that a restore writes to");
    const fs::path place = folder_of(to.database);
    const fs::path unfinished = to.database.string() + ".restored";
    // The folders around it that do not exist yet are the owner's as well.
    std::vector<fs::path> made{outermost_missing(unfinished)};
    for (const Part& part : parts) made.push_back(outermost_missing(part.to));
    if (!to.storage.empty()) made.push_back(outermost_missing(to.storage));
    make_folder(place);
    const FolderLock lock(place, "another restore writes there");
    std::uintmax_t total = fs::file_size(folder / database_name);
    for (const Part& part : parts)
        for (const fs::path& file : files_below(part.from)) total += fs::file_size(file);
    ProgressBar bar;
    ByteProgress progress(bar, "restoring", total);
    Copies copies(folder, std::ref(progress));
    for (const Part& part : parts)
        for (const fs::path& file : files_below(part.from))
            copies.make(file, part.to / file.lexically_relative(part.from), part.to);
    fs::remove(unfinished);  // of a restore that was killed
    copies.make(folder / database_name, unfinished, unfinished);
    for (const fs::path& path : made) give_to(path, owner);
    put_in_place(unfinished, to.database);
    copies.keep();
}

}  // namespace consentry
