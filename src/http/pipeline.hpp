// The processing steps of one request, in order:
//
//   ids, client, language  ->  route  ->  rate limit  ->  gates (API key)  ->  guard  ->  flag  ->  DTO  ->  handler
//   ->  envelope, headers  ->  CORS  ->  observers (log, metrics)  ->  compression
//
// The flag comes before a guard that knows no user. The pipeline turns every failure into an envelope; no exception
// escapes, except for cancellation. CORS headers are added to failures too, so that a page can read a 429 or a 500. The
// observers see what the client gets.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/locales.hpp"
#include "http/application.hpp"
#include "http/envelope.hpp"
#include "http/error_pages.hpp"
#include "http/gate.hpp"
#include "http/observer.hpp"
#include "http/router.hpp"
#include "http/steps/cors.hpp"
#include "http/steps/networks.hpp"
#include "http/steps/rate_limit.hpp"

namespace consentry::http {

struct PipelineOptions {
    Language default_language = Language::en;
    std::vector<Language> languages = {};  // selectable languages; empty: all
    std::string timezone = "UTC";
    std::string api_version = "1";
    std::string repo_version = {};
    Networks trusted_proxies = {};
    Cors cors = {};
    bool is_https = false;                    // clients reach the service over https, wherever TLS ends
    std::string guarded_root = {};            // paths below it are answered at hosts of applications; empty: none
    RateLimit* rate_limit = nullptr;          // null: unlimited
    std::vector<Gate*> gates = {};            // run before the guard, in this order
    Gate* flag_gate = nullptr;                // runs after the guard, or before one that knows no user
    const ErrorPages* error_pages = nullptr;  // null: errors are envelopes for everybody
    std::vector<Observer*> observers = {};
};

class Pipeline final : public Application {
public:
    // All arguments, including the pointers in `options`, must outlive the pipeline. `router` must be finished.
    Pipeline(const Router& router, const Locales& locales, const Clock& clock, PipelineOptions options);

    boost::asio::awaitable<void> respond(const Request& request, Response& response) override;
    std::size_t upload_bytes_max(const Request& request) const noexcept override;
    void refuse(const Request& request, const ErrorKind& kind, Response& response) noexcept override;

private:
    struct Walk;
    Walk begin(const Request& request) const;
    boost::asio::awaitable<void> run(Walk& walk, Response& response);
    void answer_options(Walk& walk, std::string_view allow, Response& response) const;
    void answer_error(Walk& walk, const Error& error, Response& response) const;
    void answer_error_page(Walk& walk, const Error& error, Response& response) const;
    void answer_reply(Walk& walk, const Operation& operation, Reply reply, Response& response) const;
    static void answer_whole(Walk& walk, const Operation& operation, Reply reply, Response& response);
    // Notes whether a body of this length may be sent compressed, which caches must know of either way.
    static void plan_compression(Walk& walk, const Operation& operation, std::size_t body_bytes, Response& response);
    void common_headers(const Walk& walk, Response& response) const;
    bool is_at_guarded_host(const RequestContext& context) const;
    void finish(Walk walk, Response& response) const;
    void observe(const Walk& walk, const Response& response) const;
    AnswerFacts facts(const Walk& walk) const;

    const Router& router_;
    const Locales& locales_;
    const Clock& clock_;
    PipelineOptions options_;
    std::string constant_headers_;
};

}  // namespace consentry::http
