#include "tests/support/migrated_sqlite.hpp"

#include "base/new_file.hpp"
#include "storage/migrations.hpp"
#include "storage/sqlite/sqlite_database.hpp"
#include "tests/support/files.hpp"
#include "tests/support/schema_digest.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {
namespace {

namespace fs = std::filesystem;

std::string migrated_database() {
    const fs::path kept = fs::path(CONSENTRY_TEST_TEMPLATES) / (schema_digest() + ".db");
    // A program that was linked later may migrate in another way.
    if (!fs::exists(kept) || fs::last_write_time(kept) < fs::last_write_time("/proc/self/exe")) {
        const TempFolder folder;
        const fs::path file = folder / "migrated.db";
        storage::SqliteDatabase({.file = file}).migrate(storage::migrations());
        make_folder(kept.parent_path());
        NewFile complete(kept);
        complete.write(text_in(file));
        complete.replace();
    }
    return text_in(kept);
}

}  // namespace

void copy_migrated_sqlite(const fs::path& file) {
    if (fs::exists(file)) return;
    static const std::string content = migrated_database();
    make_folder(file.parent_path());
    NewFile copy(file);
    copy.write(content);
    static_cast<void>(copy.take_free_name());
}

}  // namespace consentry::tests
