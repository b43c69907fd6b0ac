#include "app/commands/serve_command.hpp"

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>

#include <sys/prctl.h>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "app/app.hpp"
#include "app/commands/command_support.hpp"
#include "app/commands/ending_signals.hpp"
#include "app/commands/settings_file.hpp"
#include "app/commands/settings_loader.hpp"
#include "app/commands/start_check.hpp"
#include "app/missing_keys.hpp"
#include "app/observation/standard_error_log.hpp"
#include "app/service_manager.hpp"
#include "app/sole_service.hpp"
#include "app/version.hpp"
#include "base/open_files.hpp"
#include "base/process.hpp"
#include "base/standard_error.hpp"
#include "base/wrong_settings.hpp"
#include "http/listeners.hpp"

namespace consentry {
namespace {

// Long enough for a service that ends without open requests, and for `config check`, which holds the lock for an
// instant; short enough that a second start by mistake is refused soon.
constexpr milliseconds former_service_ends{2000};

// Writes generated/swagger.json below the working directory, atomically. A read-only folder must not prevent the
// service from starting.
void write_document(const App& app) {
    namespace fs = std::filesystem;
    if (app.document().empty()) return;
    const fs::path file = fs::path("generated") / "swagger.json";
    const fs::path unfinished = file.string() + ".part";
    std::error_code error;
    fs::create_directories(file.parent_path(), error);
    std::ofstream out(unfinished, std::ios::binary);
    out << app.document();
    out.close();
    if (out) fs::rename(unfinished, file, error);
    if (!out || error) spdlog::warn("cannot write {}", file.string());
}

// The path with which this program was most likely started, for command lines that the operator copies.
std::string own_path() {
    std::error_code error;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
    const auto near = std::filesystem::proximate(program, error);
    return error || near.empty() || near.string().starts_with("..") ? program.string() : near.string();
}

void greet(const App& app, const Config& config) {
    const bool is_v6 = config.http.host.contains(':');  // an IPv6 address is in brackets in a URL (RFC 3986)
    const std::string address =
        fmt::format("http://{}{}{}:{}", is_v6 ? "[" : "", config.http.host, is_v6 ? "]" : "", app.port());
    say("Consentry {} listens on {} ({}); data folder: {}\n", program_version(), address,
        text_of(config.app.environment), std::filesystem::absolute(config.data.directory).lexically_normal().string());
    if (config.http.port != 0 && config.http.port != app.port())
        say("warning: HTTP_PORT: has no effect; the service manager passed on a socket at port {}\n", app.port());
    const std::string site = config.app.public_url.empty() ? address : config.app.public_url;
    if (app.has_pages()) {
        say("Pages: {}/login, {}/account\n", site, site);
        if (!site.starts_with("https:"))
            say("Warning: without https, the pages work on this machine only; set PUBLIC_URL\n");
    }
    if (config.app.documentation) say("API documentation: {}/docs\n", site);
    say("To get started, create an account and log in from another terminal:\n"
        "  {}{} user create --email you@example.org --role superAdmin\n"
        "  curl {}{}/user/login/credential -H 'Content-Type: application/json' \\\n"
        "    -d '{{\"email\":\"you@example.org\",\"password\":\"...\",\"from\":\"website\"}}'\n",
        own_path(), settings_file_option(), address, config.http.global_prefix);
}

// Called before an upgrade of the schema: a version that cannot start must not lock out the one before it.
void require_start(const Config& config, const Clock& clock) {
    const StartCheck found = check_start(config, clock, ServiceRuns::maybe);
    report(found.problems);
    constexpr const char* consequence = "this version would not start; the database was not upgraded";
    if (found.lasts) throw WrongSettings(consequence);
    if (!found.problems.empty()) throw std::runtime_error(consequence);
    // The service that occupies the address may end. A service manager that passes sockets occupies it itself.
    if (has_passed_sockets()) return;
    try {
        http::require_listenable(config.http.host, config.http.port);
    } catch (const std::exception& error) {
        throw std::runtime_error(fmt::format("HTTP_PORT: {}; the database was not upgraded", error.what()));
    }
}

// Before the start makes other keys beside it.
void require_key_of_log_if_known(const Config& config) {
    try {
        require_key_of_log(config);
    } catch (const WrongSettings&) {
        throw;
    } catch (const std::exception&) {
        // The start itself says what is wrong with the database.
    }
}

}  // namespace

int serve() {
    const auto config = load_config();
    if (!config) return wrong_use;
    // A core dump would contain keys and passwords (LOG-7).
    if (config->app.environment != AppEnvironment::local) prctl(PR_SET_DUMPABLE, 0);
    std::signal(SIGPIPE, SIG_IGN);
    raise_file_limit();
    EndingSignals ending;
    const StandardErrorLog messages;

    const SystemClock clock;
    SoleService sole(*config);
    sole.lock(former_service_ends);
    require_key_of_log_if_known(*config);
    App app(*config, clock, [&] { require_start(*config, clock); });
    sole.lock(former_service_ends);  // of the database that a first start has just made
    ending.begin_serving();
    app.start();
    write_document(app);
    greet(app, *config);
    give_back_start_memory();
    notify_service_manager("READY=1");
    std::optional<Watchdog> watchdog;
    if (const auto interval = watchdog_interval())
        watchdog.emplace(*interval, [&app, patience = *interval / 4] { return app.is_alive(patience); });

    ending.wait();
    watchdog.reset();
    notify_service_manager("STOPPING=1");
    say("Stopping; waiting for open requests to finish...\n");
    app.stop();
    ending.let_next_one_terminate();
    app.wait();
    return 0;
}

}  // namespace consentry
