#include <sys/resource.h>
#include <sys/stat.h>

#include <fmt/format.h>

#include "app/doctor/checks.hpp"
#include "base/open_files.hpp"
#include "base/process.hpp"

namespace consentry {
namespace {

namespace fs = std::filesystem;

// `forbidden`: the bits that open a path to accounts which must not read it.
void examine_mode(const fs::path& path, mode_t forbidden, std::string_view right, Findings& findings) {
    struct stat facts{};
    if (stat(path.c_str(), &facts) != 0 || (facts.st_mode & forbidden) == 0) return;
    findings.error(path.string(),
                   fmt::format("other accounts on this machine can open it (mode {:04o})", facts.st_mode & 07777U),
                   fmt::format("Run `chmod {} {}`.", right, path.string()));
}

void examine_files(const Config& config, const fs::path& settings_file, Findings& findings) {
    const std::size_t before = findings.all().size();
    constexpr mode_t others = S_IRWXO;
    constexpr mode_t group_and_others = S_IRWXG | S_IRWXO;
    examine_mode(settings_file, others, "o=", findings);
    examine_mode(config.data.directory, group_and_others, "go=", findings);
    if (config.database.url.empty())
        for (const char* ending : {"", "-wal", "-shm"})
            examine_mode(config.database.file.string() + ending, group_and_others, "go=", findings);
    const fs::path keys = config.data.directory / "keys";
    examine_mode(keys, group_and_others, "go=", findings);
    std::error_code error;
    for (fs::directory_iterator at(keys, error), end; !error && at != end; at.increment(error))
        examine_mode(at->path(), group_and_others, "go=", findings);
    if (findings.all().size() == before) findings.ok("files", "no other account can read settings, data or keys");
}

void examine_disk(const Config& config, Findings& findings) {
    // A folder that does not exist yet will be on the disk of the nearest one that does.
    fs::path folder = fs::absolute(config.data.directory).lexically_normal();
    std::error_code error;
    while (!fs::exists(folder, error) && folder.has_relative_path()) folder = folder.parent_path();
    const std::int64_t used = disk_percent_used(folder);
    const std::string text = fmt::format("the disk that holds {} is {} % full", config.data.directory.string(), used);
    switch (severity_of_disk(used, config.health.disk_percent_max)) {
        case Severity::error:
            return findings.error("disk", text, "Free space, or move DATA_DIR: a full disk stops every change.");
        case Severity::warning:
            return findings.warn("disk", text, "Plan for more space: a full disk stops every change.");
        case Severity::ok:
            return findings.ok("disk", text);
    }
}

void examine_limits(const Config& config, Findings& findings) {
    rlimit files{};
    getrlimit(RLIMIT_NOFILE, &files);
    const std::size_t enough = files_for_connections(config.http.connections_max);
    if (files.rlim_max != RLIM_INFINITY && files.rlim_max < enough)
        findings.warn("HTTP_CONNECTIONS_MAX",
                      fmt::format("is {}, which takes {} open files, but a process started from here may open {}",
                                  config.http.connections_max, enough, files.rlim_max),
                      "Raise the limit (LimitNOFILE= in the unit, `ulimit -n` in a shell), or lower the setting.");
}

void examine_settings(const Config& config, Findings& findings) {
    const bool is_local = config.app.environment == AppEnvironment::local;
    const std::string& url = config.app.public_url;
    if (is_local)
        findings.warn("APP_ENV", "is local: Consentry generates its keys, and accepts weak settings",
                      "Run `consentry init` for a production service.");
    else if (url.empty())
        findings.error("PUBLIC_URL",
                       "is empty: links in emails and the token issuer use the address that the service listens on",
                       "Set it to the https URL at which clients reach the service.");
    else if (url.starts_with("https:"))
        findings.ok("PUBLIC_URL", "is https");
    if (!is_local && config.http.trusted_proxies.empty())
        findings.warn(
            "HTTP_TRUSTED_PROXIES",
            "is empty: behind a proxy, all clients share one rate limit, and logs show the address of the proxy",
            "Set it to the addresses of your proxy, or ignore this if clients connect directly.");
    if (!is_local && config.consent_log.enable && config.consent_log.witnesses.empty())
        findings.ok("CONSENT_LOG_WITNESSES",
                    "is empty: no witness confirms the consent log; docs/guides/consent-log.md describes witnesses");
}

}  // namespace

Severity severity_of_disk(std::int64_t percent_used, std::int64_t limit) {
    constexpr std::int64_t near = 10;
    if (percent_used > limit) return Severity::error;
    return percent_used > limit - near ? Severity::warning : Severity::ok;
}

void examine_machine(const Config& config, const fs::path& settings_file, Findings& findings) {
    examine_files(config, settings_file, findings);
    examine_disk(config, findings);
    examine_limits(config, findings);
    examine_settings(config, findings);
}

}  // namespace consentry
