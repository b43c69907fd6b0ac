#include "app/app.hpp"

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/json/serialize.hpp>
#include <spdlog/spdlog.h>

#include "app/api_description.hpp"
#include "app/mail_transport.hpp"
#include "app/observation/logging.hpp"
#include "app/observation/readings.hpp"
#include "app/observation/standard_error_log.hpp"
#include "app/open_server.hpp"
#include "app/pages.hpp"
#include "app/service_manager.hpp"
#include "app/version.hpp"
#include "base/run_to_end.hpp"
#include "base/unwatched.hpp"
#include "features/acceptances/endpoints.hpp"
#include "features/accounts/endpoints.hpp"
#include "features/activity/endpoints.hpp"
#include "features/administration/endpoints.hpp"
#include "features/administration_log/endpoints.hpp"
#include "features/api_keys/endpoints.hpp"
#include "features/consent_log/endpoints.hpp"
#include "features/consent_proof/endpoints.hpp"
#include "features/feature_flags/endpoints.hpp"
#include "features/files/endpoints.hpp"
#include "features/login/endpoints.hpp"
#include "features/passwords/endpoints.hpp"
#include "features/roles/endpoints.hpp"
#include "features/sessions/endpoints.hpp"
#include "features/term_policies/endpoints.hpp"
#include "features/two_factor/endpoints.hpp"
#include "http/steps/client_address.hpp"

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
    out.sockets = take_passed_sockets();
    out.threads = config.http.threads;
    out.json_bytes_max = config.http.json_bytes_max;
    out.text_bytes_max = config.http.text_bytes_max;
    out.connections_max = config.http.connections_max;
    out.body_memory_max = config.http.body_memory_max;
    auto proxies = http::Networks::parse(config.http.trusted_proxies).value();
    if (!proxies.empty()) {
        out.client_of = [proxies](const http::Request& request) { return http::client_of(request, proxies).address; };
        out.is_proxy = [proxies = std::move(proxies)](const http::Address& peer) {
            return proxies.contains(http::canonical(peer));
        };
    }
    out.head_timeout = config.http.head_timeout;
    out.body_timeout = config.http.body_timeout;
    out.idle_timeout = config.http.idle_timeout;
    out.request_timeout = config.http.request_timeout;
    return out;
}

http::PipelineOptions pipeline_options(const Config& config) {
    http::PipelineOptions out;
    out.default_language = config.app.language;
    out.languages = config.app.languages;
    out.timezone = config.app.timezone;
    out.api_version = std::to_string(config.versioning.version);
    out.repo_version = program_version();
    out.trusted_proxies = http::Networks::parse(config.http.trusted_proxies).value();
    out.cors = http::Cors::parse(config.http.cors_origins).value();
    out.cors.open_below({"/consent-log/", "/.well-known/consent-log"});
    out.guarded_root = std::string(guarded_root) + "/";
    out.is_https = config.app.public_url.starts_with("https:");
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
    for (const Language language : config.app.languages) out.message.available_language.emplace_back(name_of(language));
    out.message.default_language = name_of(config.app.language);
    out.request = {.timeout_in_ms = config.http.request_timeout.count(),
                   .body_json_limit_in_bytes = static_cast<std::int64_t>(config.http.json_bytes_max),
                   .body_text_limit_in_bytes = static_cast<std::int64_t>(config.http.text_bytes_max),
                   .body_urlencoded_limit_in_bytes = static_cast<std::int64_t>(config.http.text_bytes_max),
                   .body_application_octet_stream_limit_in_bytes = static_cast<std::int64_t>(http::file_body_bytes_max),
                   .throttle_ttl_in_ms = config.throttle.window.count(),
                   .throttle_limit = config.throttle.limit};
    return out;
}

void tell_of_limiter(spdlog::logger& log, SecurityEvents& events, bool shared) {
    events.record({.name = "limiter.shared", .outcome = shared ? Outcome::success : Outcome::failure});
    if (shared)
        log.info("rate limit: counting in the cache again, shared by all instances");
    else
        log.warn("rate limit: calls to the cache fail; their requests count in this instance only, at half the limit");
}

}  // namespace

void FailureLog::on_answer(const http::Exchange& exchange) noexcept {
    if (!exchange.failure.empty()) log_.error("request {} failed: {}", exchange.context.request_id, exchange.failure);
}

App::App(const Config& config, const Clock& clock, const BeforeUpgrade& before_upgrade)
    : log_(spdlog::default_logger()),
      services_(config, clock, before_upgrade),
      system_(services_.database, services_.cache, clock, hello_facts(services_.config)),
      health_({.database = services_.database,
               .cache = services_.cache,
               .object_store = services_.object_store,
               .workers = services_.signing_pool,
               .mail_trouble = [this] { return mail_delivery_->trouble(); },
               .error_report_trouble = [this] { return error_tracking_ ? error_tracking_->trouble() : ""; }},
              {.memory_bytes_max = config.health.memory_bytes_max, .disk_percent_max = config.health.disk_percent_max},
              config.data.directory),
      rate_limit_(services_.cache, clock,
                  {.limit = config.throttle.limit,
                   .window = config.throttle.window,
                   .on_change = [this](bool shared) { tell_of_limiter(*log_, services_.security_events, shared); }}),
      router_(router_options(services_.config)),
      failures_(*log_),
      security_observer_(services_.security_events) {
    if (config.metrics.enable) open_metrics();
    declare_endpoints();
    http::PipelineOptions options = pipeline_options(config);
    options.rate_limit = &rate_limit_;
    options.gates = {&services_.api_keys};
    options.flag_gate = &services_.feature_flags;
    options.observers = make_observers();
    if (website_) options.error_pages = &website_->error_pages();
    pipeline_ = std::make_unique<http::Pipeline>(router_, services_.locales, clock, std::move(options));
    server_ = open_server(server_options(config), *pipeline_, "HTTP_PORT");
    open_mail_delivery();
    open_logs();
}

// A log that cannot continue must stop the start, not be found out later. Without the object store the check waits
// until it answers.
void App::open_logs() {
    if (!services_.consent_log) return;
    try {
        run_to_end(services_.open_logs());
    } catch (const Unavailable& outage) {
        log_->warn("the logs are not open yet and will be tried again: {}", outage.what());
    }
}

void App::open_mail_delivery() {
    const Config& config = services_.config;
    MailDelivery::Options options{.transport = open_mail_transport(config),
                                  .site = mail_site(config),
                                  .sender = config.mail.no_reply,
                                  .batch_size = static_cast<std::int64_t>(config.mail.batch_size)};
    // Notices of locks are in memory until they are written. What the others write from is stored.
    options.before_each_round.emplace_back([this] { return services_.passwords.lock_notices().work_off(); });
    options.while_service_is_there.emplace_back(
        [this](MailAllowance allowance) { return services_.link_requests.work_off(allowance); });
    options.renew = [this](StoredMail mail, MailMark mark) {
        return services_.link_requests.renew(std::move(mail), mark);
    };
    // Nothing in an announcement expires.
    options.while_service_is_there.emplace_back([this](MailAllowance) { return services_.announcements.work_off(); });
    mail_delivery_ = std::make_unique<MailDelivery>(
        std::move(options),
        MailDelivery::Parts{services_.database, services_.clock, services_.locales, services_.mails, services_.audit},
        log_);
}

std::vector<http::Observer*> App::make_observers() {
    const Config& config = services_.config;
    std::vector<http::Observer*> out{&failures_, &security_observer_};
    if (request_log_ = open_log(config, services_.clock); request_log_) {
        access_log_ = std::make_unique<http::AccessLog>(
            *request_log_, http::AccessLogOptions{.automatic = config.logger.automatic,
                                                  .excluded = http::default_log_exclusions(router_.roots())});
        out.push_back(access_log_.get());
    }
    if (const auto dsn = parse_sentry_dsn(config.sentry.dsn)) {
        error_tracking_ = std::make_unique<ErrorTracking>(
            ErrorTracking::Options{.dsn = *dsn,
                                   .timeout = config.sentry.timeout,
                                   .release = std::string(program_version()),
                                   .environment = std::string(text_of(config.app.environment))});
        out.push_back(error_tracking_.get());
    }
    if (metrics_) out.push_back(metrics_.get());
    return out;
}

void App::open_metrics() {
    metrics_ = std::make_unique<Metrics>(program_version());
    metrics_page_ =
        std::make_unique<MetricsPage>(*metrics_, services_.database, services_.cache, services_.signing_pool,
                                      http::Networks::parse(services_.config.metrics.allowed_from).value());
    watch_process(*metrics_, services_.clock);
    watch_services(*metrics_, services_);
    using Sample = Metrics::Sample;
    metrics_->watch("consentry_http_connections", "Open connections", Metrics::Kind::gauge,
                    [this] { return std::vector<Sample>{{static_cast<double>(server_->connections())}}; });
    watch_budgets(*metrics_, [this]() -> const http::Server& { return *server_; });
    metrics_->watch(
        "consentry_rate_limit_shared",
        "1 if requests are counted in the cache, 0 if calls to it fail, so that this instance counts those alone",
        Metrics::Kind::gauge, [this] { return std::vector<Sample>{{rate_limit_.is_shared() ? 1.0 : 0.0}}; });
    metrics_->watch("consentry_mails_waiting", "Emails waiting to be sent by all instances", Metrics::Kind::gauge,
                    [this] {
                        const auto [ordinary, announcements] = mail_delivery_->waiting();
                        return std::vector<Sample>{{static_cast<double>(ordinary), {{"queue", "ordinary"}}},
                                                   {static_cast<double>(announcements), {{"queue", "announcements"}}}};
                    });
    metrics_->watch(
        "consentry_mail_server_up", "0 from a failure of the mail server until it accepts or rejects an email, else 1",
        Metrics::Kind::gauge, [this] { return std::vector<Sample>{{mail_delivery_->is_leaving() ? 1.0 : 0.0}}; });
    metrics_->watch("consentry_mails_sent_total", "Emails accepted by the mail server", Metrics::Kind::counter,
                    [this] { return std::vector<Sample>{{static_cast<double>(mail_delivery_->sent())}}; });
    metrics_->watch("consentry_mails_failed_total", "Emails that could not be delivered", Metrics::Kind::counter,
                    [this] { return std::vector<Sample>{{static_cast<double>(mail_delivery_->failed())}}; });
    metrics_->watch("consentry_lines_lost_total",
                    "Lines that could not be written and error reports that could not be sent", Metrics::Kind::counter,
                    [this] {
                        const auto lost = [](const auto* stream) {
                            return stream == nullptr ? 0.0 : static_cast<double>(stream->lost());
                        };
                        return std::vector<Sample>{
                            {lost(&services_.security_event_file), {{"stream", "security_events"}}},
                            {lost(request_log_.get()), {{"stream", "log"}}},
                            {static_cast<double>(lines_lost_on_standard_error(*log_)), {{"stream", "standard_error"}}},
                            {lost(error_tracking_.get()), {{"stream", "error_tracking"}}}};
                    });
}

void App::declare_endpoints() {
    router_.provide(services_.session_guard);
    router_.provide<CallerGuard>(services_.session_guard);
    router_.provide(services_.forward_auth_guard);
    router_.provide<http::CursorSeal>(services_.cursors);
    add_login_endpoints(router_, services_.login);
    router_.provide(services_.social_guard);
    add_social_endpoints(router_, services_.login);
    add_session_endpoints(router_, services_.sessions, services_.keys);
    add_activity_endpoints(router_, services_.activity, services_.users, services_.locales);
    add_two_factor_endpoints(router_, services_.two_factor, services_.users, services_.roles);
    add_password_endpoints(router_, services_.passwords, services_.confirmation, services_.sessions);
    add_acceptance_endpoints(router_, services_.consents);
    if (services_.consent_log) add_consent_log_endpoints(router_, *services_.consent_log);
    if (services_.bundles) add_consent_proof_endpoints(router_, *services_.bundles);
    if (services_.administration_log) add_administration_log_endpoints(router_, *services_.administration_log);
    add_term_policy_endpoints(router_, services_.term_policies);
    add_public_policy_endpoints(router_, services_.term_policies, services_.policy_diffs);
    add_account_endpoints(router_, services_.accounts, services_.link_requests, services_.passwords, services_.profiles,
                          services_.account_export);
    add_administration_endpoints(router_, services_.administration, services_.profiles, services_.consents,
                                 services_.user_import);
    add_role_endpoints(router_, services_.roles);
    add_api_key_endpoints(router_, services_.api_keys);
    add_feature_flag_endpoints(router_, services_.feature_flags);
    if (services_.files) add_file_endpoints(router_, *services_.files);
    add_forward_auth_endpoints(router_, services_.forward_auth);
    add_system_endpoints(router_, system_, services_.config.app.documentation);
    add_health_endpoints(router_, health_);
    if (metrics_page_) add_metrics_endpoint(router_, *metrics_page_);
    if (website_ = open_website(services_); website_) website_->add_to(router_);
    FeatureFlags::check_names(router_.operations());
    FeatureFlags::check_names(router_.pages());
    router_.finish();
    if (metrics_) metrics_->know(router_);
    if (services_.config.app.documentation)
        system_.documentation().set_document([this] { return write_api_document(); });
}

ApiDocument App::write_api_document() const {
    auto document =
        http::openapi_document(router_, services_.locales, api_description(services_.config, program_version()));
    std::string with_aliases = boost::json::serialize(document);
    http::leave_out_aliases(document);
    return {.one_path_each = boost::json::serialize(document), .with_aliases = std::move(with_aliases)};
}

App::~App() {
    stop();
    wait();
}

void App::start(milliseconds first_clean_up) {
    server_->start();
    mail_delivery_->start();
    const auto begin = [this](std::vector<PeriodicTask> tasks, milliseconds first) {
        auto& loop = task_loops_.emplace_back(std::move(tasks), *log_, std::chrono::steady_clock::now() + first);
        asio::co_spawn(server_->executor(), loop.run(), unwatched("a loop of background tasks"));
    };
    begin(services_.clean_up_tasks(), first_clean_up);
    for (auto& tasks : services_.task_loops()) begin(std::move(tasks), milliseconds{0});
}

void App::stop() {
    system_.stopping();
    server_->stop();
    mail_delivery_->stop();
}

// If others ask for executors meanwhile, a thread may be asked twice and another only in the next round.
bool App::is_alive(milliseconds patience) {
    struct Answers {
        std::mutex mutex;
        std::condition_variable more;
        std::size_t missing;
    };
    const auto answers = std::make_shared<Answers>();
    answers->missing = server_->threads();
    for (std::size_t i = 0; i < server_->threads(); ++i)
        boost::asio::post(server_->executor(), [answers] {
            const std::scoped_lock lock(answers->mutex);
            --answers->missing;
            answers->more.notify_one();
        });
    std::unique_lock lock(answers->mutex);
    return answers->more.wait_for(lock, patience, [&] { return answers->missing == 0; });
}

void App::wait() {
    server_->join();
    mail_delivery_->wait();
    write_lock_notices();
}

// They exist only in memory, and requests add them until the server has ended: after the last round of the delivery.
void App::write_lock_notices() {
    try {
        run_to_end(services_.passwords.lock_notices().work_off());
    } catch (...) {
        log_->error("the database is unavailable: owners of recently locked accounts will not be notified");
    }
}

}  // namespace consentry
