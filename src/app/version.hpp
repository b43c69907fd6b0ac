// The program's version, as the build states it.
#pragma once

#include <string_view>

namespace consentry {

// x-repo-version and metadata.repoVersion.
std::string_view program_version();

}  // namespace consentry
