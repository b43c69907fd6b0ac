// The complete service: its features (Services), its endpoints, and the server that exposes them.
#pragma once

#include <cstdint>
#include <list>
#include <memory>

#include <spdlog/logger.h>

#include "app/observation/error_tracking.hpp"
#include "app/observation/security_observer.hpp"
#include "app/periodic_tasks.hpp"
#include "app/services.hpp"
#include "base/log.hpp"
#include "features/mail/delivery.hpp"
#include "features/system/endpoints.hpp"
#include "features/system/health.hpp"
#include "features/system/metrics_page.hpp"
#include "http/pipeline.hpp"
#include "http/router.hpp"
#include "http/server.hpp"
#include "http/steps/access_log.hpp"
#include "pages/website.hpp"

namespace consentry {

// Logs unexpected failures for the operator; the text never reaches a client.
class FailureLog final : public http::Observer {
public:
    explicit FailureLog(spdlog::logger& log) : log_(log) {}
    void on_answer(const http::Exchange& exchange) noexcept override;

private:
    spdlog::logger& log_;
};

class App {
public:
    // Opens everything, including the listening sockets; throws std::exception naming what cannot be used, or what
    // `before_upgrade` throws. `clock` must outlive the App.
    App(const Config& config, const Clock& clock, const BeforeUpgrade& before_upgrade = {});
    ~App();  // calls stop() and waits
    App(const App&) = delete;
    App& operator=(const App&) = delete;

    // The first clean-up runs soon after start: data left by an earlier process has waited long enough.
    void start(milliseconds first_clean_up = std::chrono::seconds{5});
    // stop() is thread-safe and non-blocking. wait() returns when all open requests have completed.
    void stop();
    void wait();

    std::uint16_t port() const { return server_->port(); }
    Services& services() { return services_; }
    const http::Router& router() const { return router_; }
    // The OpenAPI document with all paths; empty if the settings close the documentation. The first call takes a few
    // milliseconds.
    const std::string& document() const { return system_.documentation().document(Documentation::Paths::all).plain(); }
    // Null if disabled by the settings.
    const Log* log() const { return request_log_.get(); }
    const ErrorTracking* error_tracking() const { return error_tracking_.get(); }
    const MailDelivery& mail_delivery() const { return *mail_delivery_; }
    bool has_pages() const { return website_ != nullptr; }
    const http::Server& server() const { return *server_; }
    // Whether each I/O thread has answered within `patience`. Blocks that long; call it from another thread.
    bool is_alive(milliseconds patience);

private:
    void declare_endpoints();
    ApiDocument write_api_document() const;
    std::vector<http::Observer*> make_observers();
    void open_metrics();
    void open_mail_delivery();
    void write_lock_notices();
    void open_logs();

    std::shared_ptr<spdlog::logger> log_;  // obtained before any thread runs
    // Declared before the services, hence destroyed after them: pools and storage deliver their last results on the
    // server's executors.
    std::unique_ptr<http::Server> server_;
    std::unique_ptr<MailDelivery> mail_delivery_;
    Services services_;
    System system_;
    Health health_;
    http::RateLimit rate_limit_;
    std::unique_ptr<Metrics> metrics_;  // null if METRICS_ENABLE is off
    std::unique_ptr<MetricsPage> metrics_page_;
    std::unique_ptr<Website> website_;  // null: turned off by the settings
    http::Router router_;
    FailureLog failures_;
    SecurityObserver security_observer_;
    std::unique_ptr<Log> request_log_;
    std::unique_ptr<http::AccessLog> access_log_;
    std::unique_ptr<ErrorTracking> error_tracking_;
    std::unique_ptr<http::Pipeline> pipeline_;
    std::list<PeriodicTasks> task_loops_;  // set by start(); their coroutines hold addresses
};

}  // namespace consentry
