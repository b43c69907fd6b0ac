// The service's own endpoints behind its own listening side, guards and handlers included, without anything that all
// endpoints share: no limits, ids, headers, CORS, metrics or logs, and an answer of data alone. What these cost is the
// difference.
#include <csignal>
#include <cstdio>
#include <exception>

#include "app/config/read_config.hpp"
#include "app/services.hpp"
#include "features/two_factor/endpoints.hpp"
#include "features/users/caller.hpp"
#include "http/application.hpp"
#include "http/endpoint.hpp"
#include "http/router.hpp"
#include "http/server.hpp"

extern char** environ;

namespace {

using namespace consentry;

class BarePipeline final : public http::Application {
public:
    BarePipeline(const http::Router& router, const Clock& clock) : router_(router), clock_(clock) {}

    awaitable<void> respond(const http::Request& request, http::Response& response) override {
        http::RequestContext context{.request = request, .now = clock_.now()};
        http::Router::Match match = router_.find(request.method, request.path);
        context.operation = match.operation;
        if (match.operation == nullptr) {
            refuse(request, errors::route_not_found, response);
            co_return;
        }
        Result<http::Reply> reply = co_await match.operation->handler->run(context);
        response.status = reply ? 200 : reply.error().kind().http_status;
        response.headers = "Content-Type: application/json; charset=utf-8\r\n";
        if (reply) response.body = std::move(reply->data);
    }
    void refuse(const http::Request&, const ErrorKind& kind, http::Response& response) noexcept override {
        response.status = kind.http_status;
    }

private:
    const http::Router& router_;
    const Clock& clock_;
};

awaitable<Result<http::Done>> read_profile(Services& services, UserId user) {
    const auto profile = co_await services.profiles.find(user);
    if (!profile) co_return fail(errors::user_not_found);
    co_return http::Done{};
}

}  // namespace

int main() {
    try {
        sigset_t ending;
        sigemptyset(&ending);
        sigaddset(&ending, SIGTERM);
        pthread_sigmask(SIG_BLOCK, &ending, nullptr);
        Environment environment;
        for (char** variable = environ; *variable != nullptr; ++variable) {
            const std::string_view text = *variable;
            environment.emplace(text.substr(0, text.find('=')), text.substr(text.find('=') + 1));
        }
        const auto config = read_config(environment);
        if (!config) throw std::runtime_error(config.error().front().setting);
        const SystemClock clock;
        Services services(*config, clock);
        http::Router router;
        router.provide(services.session_guard);
        router.provide<CallerGuard>(services.session_guard);
        add_two_factor_endpoints(router, services.two_factor, services.users, services.roles);
        // These two differ only in their guard: what a profile says of policies is a part of what the guard reads.
        router.get("/bench/profile")
            .id("unguarded")
            .tag("bench")
            .says("Get your profile")
            .message("user.profile")
            .handled_by([&services](const SignedIn& caller) { return read_profile(services, caller.user()); });
        router.get("/bench/profile/guarded")
            .id("guarded")
            .tag("bench")
            .says("Get your profile if you have accepted the latest policies")
            .message("user.profile")
            .handled_by([&services](const Consenting<>& caller) { return read_profile(services, caller.user()); });
        router.finish();
        BarePipeline pipeline(router, clock);
        http::ServerOptions options;
        options.host = config->http.host;
        options.port = config->http.port;
        options.threads = config->http.threads;
        http::Server server(options, pipeline);
        server.start();
        int signal = 0;
        sigwait(&ending, &signal);
        server.stop();
        server.join();
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bare service: %s\n", error.what());
        return 1;
    }
}
