#include "app/app.hpp"

#include <chrono>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/json/serialize.hpp>
#include <spdlog/spdlog.h>

#include "features/login/endpoints.hpp"
#include "features/passwords/endpoints.hpp"
#include "features/sessions/endpoints.hpp"
#include "features/two_factor/endpoints.hpp"
#include "http/openapi.hpp"

#ifndef CONSENTRY_VERSION
#error "CONSENTRY_VERSION comes from the build"
#endif

namespace consentry {
namespace {

http::RouterOptions router_options(const Config& config) {
    return {.global_prefix = config.http.global_prefix,
            .versioning = config.versioning.enable,
            .version_prefix = config.versioning.prefix,
            .version = std::to_string(config.versioning.version)};
}

http::ServerOptions server_options(const Config& config) {
    http::ServerOptions out;
    out.host = config.http.host;
    out.port = config.http.port;
    out.threads = config.http.threads;
    out.json_bytes_max = config.http.json_bytes_max;
    out.text_bytes_max = config.http.text_bytes_max;
    out.connections_max = config.http.connections_max;
    out.head_timeout = config.http.head_timeout;
    out.body_timeout = config.http.body_timeout;
    out.idle_timeout = config.http.idle_timeout;
    out.request_timeout = config.http.request_timeout;
    return out;
}

HelloFacts hello_facts(const Config& config) {
    HelloFacts out;
    out.app = {config.app.name, std::string(text_of(config.app.environment)), config.app.timezone};
    out.auth = {.password_attempt = config.password.attempt,
                .password_max_attempt = config.password.attempts_max,
                .password_expired_in_seconds = config.password.expired.count(),
                .password_expired_temporary_in_seconds = config.password.expired_temporary.count(),
                .password_period_in_seconds = config.password.reuse_period.count()};
    out.message.available_language.assign(language_names.begin(), language_names.end());
    out.message.default_language = name_of(config.app.language);
    out.request = {.timeout_in_ms = config.http.request_timeout.count(),
                   .body_json_limit_in_bytes = static_cast<std::int64_t>(config.http.json_bytes_max),
                   .body_text_limit_in_bytes = static_cast<std::int64_t>(config.http.text_bytes_max),
                   .body_urlencoded_limit_in_bytes = static_cast<std::int64_t>(config.http.text_bytes_max)};
    return out;
}

}  // namespace

std::string_view text_of(AppEnvironment environment) {
    switch (environment) {
        case AppEnvironment::local:
            return "local";
        case AppEnvironment::development:
            return "development";
        case AppEnvironment::staging:
            return "staging";
        case AppEnvironment::production:
            return "production";
    }
    return {};
}

std::string_view program_version() { return CONSENTRY_VERSION; }

App::App(const Config& config, const Clock& clock)
    : log_(spdlog::default_logger()),
      services_(config, clock),
      system_(services_.database, services_.cache, clock, hello_facts(services_.config)),
      router_(router_options(services_.config)) {
    declare_endpoints();
    http::PipelineOptions options;
    options.default_language = config.app.language;
    options.timezone = config.app.timezone;
    options.api_version = std::to_string(config.versioning.version);
    options.repo_version = program_version();
    options.on_failure = [this](std::string_view request_id, std::string_view what) {
        log_->error("request {}: {}", request_id, what);
    };
    pipeline_ = std::make_unique<http::Pipeline>(router_, services_.locales, clock, std::move(options));
    server_ = std::make_unique<http::Server>(server_options(config), *pipeline_);
}

void App::declare_endpoints() {
    router_.provide(services_.session_guard);
    add_login_endpoints(router_, services_.login);
    add_session_endpoints(router_, services_.sessions, services_.keys);
    add_two_factor_endpoints(router_, services_.two_factor, services_.users);
    add_password_endpoints(router_, services_.passwords);
    add_system_endpoints(router_, system_, services_.config.app.documentation);
    router_.finish();
    if (services_.config.app.documentation)
        system_.set_document(boost::json::serialize(http::openapi_document(
            router_, services_.locales,
            {.title = services_.config.app.name + " APIs Specification", .version = std::string(program_version())})));
}

App::~App() {
    stop();
    wait();
}

void App::start() {
    server_->start();
    asio::co_spawn(server_->executor(), clean_up_now_and_then(), asio::detached);
}

void App::stop() {
    system_.stopping();
    server_->stop();
}

void App::wait() { server_->join(); }

awaitable<void> App::clean_up_now_and_then() {
    asio::steady_timer timer(co_await asio::this_coro::executor);
    for (;;) {
        timer.expires_after(std::chrono::hours{1});
        co_await timer.async_wait(asio::use_awaitable);
        try {
            co_await services_.clean_up();
        } catch (const Unavailable& outage) {
            log_->warn("cleaning up is put off: {}", outage.what());
        }
    }
}

}  // namespace consentry
