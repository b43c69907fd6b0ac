#include "stage.hpp"

#include <algorithm>
#include <atomic>
#include <ctime>
#include <fstream>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>

#include "app/config/read_config.hpp"
#include "crypto/random.hpp"

namespace consentry::bench {
namespace {

namespace fs = std::filesystem;

Environment production_settings(const fs::path& data, std::size_t threads) {
    return {
        {"APP_ENV", "production"},
        {"PUBLIC_URL", "https://login.example.org"},
        {"DATA_DIR", data.string()},
        {"HTTP_HOST", "127.0.0.1"},
        {"HTTP_THREADS", std::to_string(threads)},
        {"AUTH_JWT_ACCESS_TOKEN_PRIVATE_KEY", new_key(crypto::SignatureAlgorithm::es256)},
        {"AUTH_JWT_REFRESH_TOKEN_PRIVATE_KEY", new_key(crypto::SignatureAlgorithm::es512)},
        {"AUTH_TWO_FACTOR_ENCRYPTION_KEY", to_base64url(crypto::random_bytes(32))},
        {"APP_ENCRYPTION_SECRET_KEY", to_base64url(crypto::random_bytes(32))},
        {"THROTTLE_LIMIT", "1000000000"},  // counted, never reached
    };
}

People populate(Environment settings, const Crowd& crowd) {
    settings["DATABASE_TIMEOUT"] = "1m";  // writes many rows in one statement; no request waits for it
    ManualClock clock(SystemClock().now());
    Services services(config_of(settings), clock);
    return make_people(services, clock, crowd);
}

double own_cpu_seconds() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace

Length Length::quick() {
    Length out;
    out.rounds = 2;
    out.window = std::chrono::milliseconds{400};
    out.verifications = 500;
    out.crowd = {.readers = 100, .refreshers = 1, .strangers = 300, .logins = 2000, .guarded = 2000};
    out.large = {.users = 20'000, .sessions = 200'000};
    out.populations = {{.users = 1'000, .sessions = 10'000}, {.users = 10'000, .sessions = 100'000}};
    return out;
}

std::string new_key(crypto::SignatureAlgorithm algorithm) {
    return to_base64(crypto::PrivateKey::generate(algorithm).pkcs8_der());
}

Config config_of(const Environment& settings) {
    auto config = read_config(settings);
    if (!config) throw std::runtime_error(config.error().front().setting + " " + config.error().front().text);
    return std::move(*config);
}

Stage::Stage(fs::path folder, Length length, const Servers* servers)
    : folder_(std::move(folder)),
      program_(CONSENTRY_BENCH_SERVER),
      length_(length),
      servers_(servers),
      threads_(std::max(1U, std::thread::hardware_concurrency())) {
    fs::remove_all(folder_);
    fs::create_directories(run_folder());
    settings_ = production_settings(folder_ / "data", threads_);
    if (servers_ != nullptr) {
        settings_["DATABASE_URL"] = servers_->database_url("app");
        settings_["CACHE_URL"] = servers_->cache_url(0);
        // Goals 3 and 4 are about the embedded engines.
        length_.crowd.strangers = 0;
        length_.crowd.logins = refresh_chains;
    }
    people_ = populate(settings_, length_.crowd);
    // The server would do so by itself within a minute (autovacuum_naptime). Until then it plans for empty tables.
    if (servers_ != nullptr) servers_->connect("app").run("ANALYZE");
}

Stage::~Stage() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
}

Environment Stage::settings(const Environment& more) const {
    Environment out = more;
    out.insert(settings_.begin(), settings_.end());
    out.emplace("GLIBC_TUNABLES", "glibc.malloc.tcache_count=200");  // as in the packages
    return out;
}

Environment Stage::beside(const std::string& name) const {
    if (servers_ != nullptr) return {};
    const fs::path copy = working_folder(name + "-data");
    fs::copy(folder_ / "data", copy, fs::copy_options::recursive);
    return {{"DATA_DIR", copy.string()}};
}

fs::path Stage::working_folder(const std::string& name) const {
    fs::create_directory(folder_ / name);
    return folder_ / name;
}

Server Stage::launch(const Environment& more, const fs::path& folder) const {
    Server server{.port = free_port(), .child = nullptr};
    Environment all = settings(more);
    all["HTTP_PORT"] = std::to_string(server.port);
    server.child =
        std::make_unique<Child>(std::vector<std::string>{program_.string(), "serve"}, all, log("consentry"), folder);
    return server;
}

Server Stage::serve(const Environment& more, const fs::path& folder) const {
    Server server = launch(more, folder);
    server.child->wait_for_port(server.port);
    return server;
}

Server Stage::serve_under(std::vector<std::string> command, const Environment& more) const {
    Server server{.port = free_port(), .child = nullptr};
    Environment all = settings(more);
    all["HTTP_PORT"] = std::to_string(server.port);
    command.emplace_back("serve");
    server.child = std::make_unique<Child>(command, all, log("consentry"), run_folder());
    server.child->wait_for_port(server.port, std::chrono::minutes{1});
    return server;
}

double Stage::run_command(std::vector<std::string> arguments, const Environment& more) const {
    arguments.insert(arguments.begin(), program_.string());
    const auto begin = std::chrono::steady_clock::now();
    Child(arguments, settings(more), log("command"), run_folder()).wait_for_success();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

Server Stage::serve_nginx(const std::string& body) const {
    for (const char* program : {"/usr/sbin/nginx", "/usr/local/sbin/nginx", "/usr/bin/nginx"}) {
        if (!fs::exists(program)) continue;
        Server server{.port = free_port(), .child = nullptr};
        std::string quoted;  // as many bytes, none that nginx reads as its own
        for (const char c : body) quoted.push_back(c == '\'' || c == '$' || c == '\\' ? 'x' : c);
        const fs::path configuration = folder_ / "nginx.conf";
        std::ofstream(configuration) << fmt::format(
            "daemon off;\nworker_processes {};\npid {};\nerror_log stderr;\n"
            "events {{ worker_connections 16384; }}\n"
            "http {{\n  access_log off;\n  keepalive_requests 100000000;\n  default_type application/json;\n"
            "  client_body_temp_path {};\n  proxy_temp_path {};\n  fastcgi_temp_path {};\n  uwsgi_temp_path {};\n"
            "  scgi_temp_path {};\n"
            "  server {{ listen 127.0.0.1:{} reuseport; location / {{ return 200 '{}'; }} }}\n}}\n",
            threads_, (folder_ / "nginx.pid").string(), (folder_ / "nginx-1").string(), (folder_ / "nginx-2").string(),
            (folder_ / "nginx-3").string(), (folder_ / "nginx-4").string(), (folder_ / "nginx-5").string(), server.port,
            quoted);
        server.child = std::make_unique<Child>(
            std::vector<std::string>{program, "-e", "stderr", "-p", folder_.string(), "-c", configuration.string()},
            Environment{}, log("nginx"), run_folder());
        server.child->wait_for_port(server.port);
        return server;
    }
    return {};
}

Server Stage::serve_beast(std::size_t body_bytes) const {
    Server server{.port = free_port(), .child = nullptr};
    server.child =
        std::make_unique<Child>(std::vector<std::string>{CONSENTRY_BENCH_BEAST, std::to_string(server.port),
                                                         std::to_string(threads_), std::to_string(body_bytes)},
                                Environment{}, log("beast"), run_folder());
    server.child->wait_for_port(server.port);
    return server;
}

Server Stage::serve_bare() const {
    Server server{.port = free_port(), .child = nullptr};
    Environment all = settings();
    all["HTTP_PORT"] = std::to_string(server.port);
    server.child =
        std::make_unique<Child>(std::vector<std::string>{CONSENTRY_BENCH_BARE_SERVICE}, all, log("bare"), run_folder());
    server.child->wait_for_port(server.port);
    return server;
}

Pace pace_of(std::size_t threads, std::chrono::nanoseconds window, const std::function<void(std::size_t)>& work) {
    std::atomic<std::size_t> done{0};
    const double cpu_before = own_cpu_seconds();
    const auto begin = std::chrono::steady_clock::now();
    {
        std::vector<std::jthread> running;
        running.reserve(threads);
        for (std::size_t thread = 0; thread < threads; ++thread)
            running.emplace_back([&, thread] {
                std::size_t mine = 0;
                for (; std::chrono::steady_clock::now() - begin < window; ++mine) work(thread);
                done += mine;
            });
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    const auto count = static_cast<double>(done.load());
    return {count / took.count(), count / (own_cpu_seconds() - cpu_before)};
}

}  // namespace consentry::bench
