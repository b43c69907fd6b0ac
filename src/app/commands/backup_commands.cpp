#include "app/commands/backup_commands.hpp"

#include <exception>
#include <optional>
#include <vector>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "app/backup/backup.hpp"
#include "app/commands/command_support.hpp"
#include "app/commands/settings_file.hpp"
#include "app/commands/settings_loader.hpp"
#include "app/engines.hpp"
#include "app/local_secrets.hpp"
#include "app/terminal/results.hpp"
#include "app/version.hpp"
#include "base/folder_of.hpp"
#include "base/standard_error.hpp"
#include "storage/migrations.hpp"

namespace consentry {
namespace {

// Returns nullopt if this installation cannot be backed up here, and has then reported it.
std::optional<Config> settings_of_installation() {
    // With the rights of root, if the command has them: a folder for backups is often root's.
    auto config = read_settings();
    if (!config || config->database.url.empty()) return config;
    say("consentry: the database is PostgreSQL; back it up and restore it with the tools of PostgreSQL, as "
        "docs/guides/backup.md explains\n");
    return std::nullopt;
}

BackupPlaces places_of(const Config& config, bool with_keys) {
    return {.database = config.database.file,
            .storage = object_folder(config).value_or(""),
            .keys = with_keys ? config.data.directory / "keys" : ""};
}

// `restored`: what only a restore tells.
void print_facts(const BackupFacts& facts, std::optional<bool> restored, bool as_json) {
    std::vector columns{
        ResultColumn{.name = "madeAt", .heading = "Made at"}, ResultColumn{.name = "version", .heading = "Version"},
        ResultColumn{.name = "schema", .heading = "Schema"},  ResultColumn{.name = "files", .heading = "Files"},
        ResultColumn{.name = "bytes", .heading = "Bytes"},    ResultColumn{.name = "hasStorage", .heading = "Storage"},
        ResultColumn{.name = "hasKeys", .heading = "Keys"},
    };
    ResultRow row{to_iso8601(facts.made_at), facts.version, facts.schema, facts.files, facts.bytes,
                  facts.has_storage,         facts.has_keys};
    if (restored) {
        columns.push_back({.name = "restored", .heading = "Restored"});
        row.push_back(*restored);
    }
    print_result(columns, row, as_json);
}

// Other commands would refuse, and a start would make other keys.
void say_if_keys_are_missing(const Config& config, const BackupFacts& facts) {
    if (secrets_to_make(config).empty()) return;
    say("The {}. Put {} back before any other command.\n",
        facts.has_keys ? "keys of the backup were not restored" : "backup has no keys",
        (config.data.directory / "keys").string());
}

// Returns the exit code. Nothing was restored unless it is 0.
int restore_checked(const BackupFacts& facts, const RestoreOptions& options) {
    const auto known = static_cast<std::int64_t>(storage::migrations().size());
    if (facts.schema > known) {
        say("consentry: version {} made this backup; restore it with that version or a newer one\n", facts.version);
        return wrong_use;
    }
    if (options.check) {
        say("The backup is complete. Nothing was restored.\n");
        return 0;
    }
    const auto config = settings_of_installation();
    if (!config) return wrong_use;
    BackupPlaces places = places_of(*config, facts.has_keys);
    if (options.database_only) places = {.database = places.database, .storage = {}, .keys = {}};
    if (facts.has_storage && !options.database_only && places.storage.empty()) {
        say("consentry: the backup contains the files of the object store, but STORAGE_URL is {1}. Upload "
            "{0}/storage/private and {0}/storage/public to the buckets {2} and {3}, then restore with "
            "--database-only; nothing was changed\n",
            options.folder, config->storage.url, config->storage.s3.private_bucket, config->storage.s3.public_bucket);
        return wrong_use;
    }
    if (!facts.has_storage) places.storage.clear();
    restore_backup(options.folder, places, owner_in(folder_of(places.database)));
    // No command but `migrate` works on an earlier schema, and the start that follows would accept the sessions.
    const bool is_earlier = facts.schema < known;
    say_if_keys_are_missing(*config, facts);
    say("Restored. Before you start the service, {}end the sessions, links and codes that came back with the "
        "backup:\n"
        "{}  consentry{} keys epoch raise --keep-api-keys\n"
        "If others have seen entries of the consent log that the backup lacks, follow docs/guides/backup.md.\n",
        is_earlier ? "upgrade the schema of the backup, and " : "",
        is_earlier ? fmt::format("  consentry{} migrate\n", settings_file_option()) : "", settings_file_option());
    return 0;
}

}  // namespace

int back_up(const BackupOptions& options) {
    const auto config = settings_of_installation();
    if (!config || !has_data(*config)) return wrong_use;
    const SystemClock clock;
    const BackupFacts facts =
        make_backup(places_of(*config, options.with_keys), options.folder, program_version(), clock.now());
    print_facts(facts, std::nullopt, options.json);
    if (facts.missing_texts > 0)
        say("Warning: the storage lacks policy texts that the database names: {}.\n", facts.missing_texts);
    if (!facts.has_storage)
        say("The backup does not contain the object store. Back up the buckets {} and {} as well.\n",
            config->storage.s3.private_bucket, config->storage.s3.public_bucket);
    if (!facts.has_keys)
        say("The backup does not contain the keys. Keep {} in another place: without the keys, the second "
            "factors and the consent log in the backup are unusable.\n",
            config->app.environment == AppEnvironment::local
                ? "a copy of " + (config->data.directory / "keys").string()
                : "a copy of the settings, such as " + settings_file().string() + ",");
    return 0;
}

int restore(const RestoreOptions& options) {
    std::optional<BackupFacts> facts;
    int code = failed;
    try {
        facts = read_backup_facts(options.folder);
        check_backup(options.folder, *facts);
        code = restore_checked(*facts, options);
    } catch (const std::exception&) {
        if (facts)
            print_facts(*facts, false, options.json);
        else if (options.json)
            print_json(boost::json::object{{"restored", false}});
        throw;
    }
    print_facts(*facts, code == 0 && !options.check, options.json);
    return code;
}

}  // namespace consentry
