// The certificates of public authorities that this machine trusts.
#pragma once

#include <filesystem>
#include <string>

namespace consentry::net {

// Returns the PEM file that contains them, or an empty string if no usual place has one. libcurl and OpenSSL know only
// the places of the distribution they were built for; the portable archive brings them to others. `root` stands in for
// / in tests.
std::string system_authorities(const std::filesystem::path& root = "/");

}  // namespace consentry::net
