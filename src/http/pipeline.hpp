// One request's road through the service, in the order in which it is walked:
//
//   ids, language  ->  route  ->  guard  ->  DTO  ->  handler  ->  envelope, headers
//
// Whatever goes wrong on the way becomes an envelope here; nothing leaves as a bare exception.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/locales.hpp"
#include "http/application.hpp"
#include "http/envelope.hpp"
#include "http/router.hpp"

namespace consentry::http {

struct PipelineOptions {
    Language default_language = Language::en;
    std::string timezone = "UTC";
    std::string api_version = "1";
    std::string repo_version;
    // Told of everything unexpected: what was thrown, where. The text never reaches a client.
    std::function<void(std::string_view request_id, std::string_view what)> on_failure;
};

class Pipeline final : public Application {
public:
    // All outlive the pipeline. `router` is finished.
    Pipeline(const Router& router, const Locales& locales, const Clock& clock, PipelineOptions options);

    boost::asio::awaitable<void> respond(const Request& request, Response& response) override;
    void refuse(const Request& request, const ErrorKind& kind, Response& response) noexcept override;

private:
    struct Exchange;
    boost::asio::awaitable<void> run(Exchange& exchange, Response& response);
    void answer_error(const Exchange& exchange, const Error& error, Response& response) const;
    void answer_reply(const Exchange& exchange, const Operation& operation, Reply reply, Response& response) const;
    void common_headers(const Exchange& exchange, Response& response) const;
    AnswerFacts facts(const Exchange& exchange) const;

    const Router& router_;
    const Locales& locales_;
    const Clock& clock_;
    PipelineOptions options_;
    std::string constant_headers_;
};

}  // namespace consentry::http
