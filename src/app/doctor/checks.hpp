// The examinations of `consentry doctor`. They change nothing. None of them throws because of what it finds.
#pragma once

#include <cstdint>
#include <filesystem>

#include <boost/asio/io_context.hpp>

#include "app/config/config.hpp"
#include "app/doctor/finding.hpp"
#include "base/clock.hpp"
#include "storage/database.hpp"

namespace consentry {

namespace asio = boost::asio;

// Who can read files, how full the disk is, how many files may be open, and what the settings allow.
void examine_machine(const Config& config, const std::filesystem::path& settings_file, Findings& findings);

// How bad it is that the disk is this full. `limit` is HEALTH_DISK_MAX_IN_PERCENT.
Severity severity_of_disk(std::int64_t percent_used, std::int64_t limit);

// `context` below is the one of the whole command: connections are bound to it.

// How fast the servers answer, and whether clocks agree. A server that does not answer is left out: the check of a
// start names it. Blocks for seconds if a server is slow.
void examine_database(storage::Database& database, asio::io_context& context, const Clock& clock, Findings& findings);
void examine_other_servers(const Config& config, asio::io_context& context, Findings& findings);
// The running service itself.
void examine_service(const Config& config, Findings& findings);

// What waits in the database for longer than it should, how old keys are, and who administers.
void examine_data(const Config& config, storage::Database& database, asio::io_context& context, const Clock& clock,
                  Findings& findings);

// Returns the address at which a process on this machine reaches the service: what listens on all interfaces is asked
// at the loopback address.
std::string local_url(const Config& config);

}  // namespace consentry
