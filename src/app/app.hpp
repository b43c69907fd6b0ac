// The service: what it can do (Services), its endpoints, and the server they are reached through.
#pragma once

#include <cstdint>
#include <memory>

#include <spdlog/logger.h>

#include "app/services.hpp"
#include "features/system/endpoints.hpp"
#include "http/pipeline.hpp"
#include "http/router.hpp"
#include "http/server.hpp"

namespace consentry {

// The program's version: x-repo-version and metadata.repoVersion.
std::string_view program_version();
std::string_view text_of(AppEnvironment environment);

class App {
public:
    // Opens everything and the listening sockets; throws std::exception naming what is unfit. `clock` outlives it.
    App(const Config& config, const Clock& clock);
    ~App();  // stop() and wait
    App(const App&) = delete;
    App& operator=(const App&) = delete;

    void start();
    // Thread-safe, returns at once. wait() returns when all open requests are done.
    void stop();
    void wait();

    std::uint16_t port() const { return server_->port(); }
    Services& services() { return services_; }
    const http::Router& router() const { return router_; }
    const std::string& document() const { return system_.document(); }
    std::size_t connections() const { return server_->connections(); }

private:
    void declare_endpoints();
    awaitable<void> clean_up_now_and_then();

    std::shared_ptr<spdlog::logger> log_;  // taken before any thread runs
    // Before the services, hence destroyed after them: pools and storage hand their last answers to the server's
    // executors.
    std::unique_ptr<http::Server> server_;
    Services services_;
    System system_;
    http::Router router_;
    std::unique_ptr<http::Pipeline> pipeline_;
};

}  // namespace consentry
