// A migrated database for services of tests: a copy takes a hundredth of the 20 ms that all migrations take.
#pragma once

#include <filesystem>

namespace consentry::tests {

// Creates the file, and its folder if it is missing; leaves a file that exists as it is, because other services may use
// it. The first call of all programs migrates a database and keeps it in the build folder.
void copy_migrated_sqlite(const std::filesystem::path& file);

}  // namespace consentry::tests
