// A migrated database for services of tests, so that each need not run all migrations.
#pragma once

#include <filesystem>

namespace consentry::tests {

// Creates the file, and its folder if it is missing; leaves a file that exists as it is, because other services may use
// it. The first call migrates a database and keeps it in the build folder for other programs.
void copy_migrated_sqlite(const std::filesystem::path& file);

}  // namespace consentry::tests
