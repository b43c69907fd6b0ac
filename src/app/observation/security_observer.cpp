#include "app/observation/security_observer.hpp"

#include <algorithm>
#include <array>

#include "base/errors.hpp"
#include "features/activity/audit.hpp"
#include "http/steps/networks.hpp"

namespace consentry {
namespace {

constexpr milliseconds minute{60'000};
constexpr std::int64_t nonsense_max = 30;  // malformed requests per client and minute

bool is_change(const http::Exchange& exchange) {
    const http::Method method = exchange.context.request.method;
    const bool is_safe = method == http::Method::get || method == http::Method::head || method == http::Method::options;
    return !is_safe && exchange.operation->effect == http::Effect::of_method && !exchange.changed_nothing;
}

// Returns whether the refusal concerns the caller's identity or rights, not the content of the request. Most such
// refusals come from the guard, or the gate in front of it.
bool concerns_caller(const http::Operation& operation, const ErrorKind& kind) {
    const auto is_one_of = [&kind](const auto& kinds) { return std::ranges::find(kinds, &kind) != kinds.end(); };
    // Not all kinds of this module: others are about a key that an administrator names.
    const std::array of_the_gate{&errors::api_key_required, &errors::api_key_unknown, &errors::api_key_invalid,
                                 &errors::api_key_forbidden};
    if (is_one_of(of_the_gate) || is_one_of(operation.access.errors)) return true;
    // Some handlers ask for a role themselves, such as those of forward auth for the roles that the proxy names.
    return &kind == &errors::role_forbidden && is_one_of(operation.errors);
}

bool is_of_administrators(const http::Operation& operation) {
    return operation.access.name == "admin" || operation.access.name == "permitted";
}

std::string id_of(const http::Operation* operation) { return operation == nullptr ? "" : operation->id; }

}  // namespace

void SecurityObserver::on_answer(const http::Exchange& exchange) noexcept {
    try {
        // What left before an answer broke off cannot be called back.
        if (exchange.error != nullptr && !exchange.broke_off())
            tell_of_refusal(exchange);
        else if (exchange.operation != nullptr && is_of_administrators(*exchange.operation))
            tell_of_act(exchange);
    } catch (...) {  // out of memory: the event is lost, the response is not
    }
}

void SecurityObserver::tell_of_refusal(const http::Exchange& exchange) {
    const ErrorKind& kind = *exchange.error;
    if (exchange.operation != nullptr && concerns_caller(*exchange.operation, kind)) {
        record("authorization.refused", Outcome::refused, exchange,
               {{"operation", exchange.operation->id}, {"reason", std::string(kind.name)}});
        return;
    }
    const std::string client = http::client_key(exchange.context.client);
    const TimePoint now = exchange.context.now;
    std::string_view name;
    if (&kind == &errors::too_many_requests) {
        name = "client.throttled";
    } else if (kind.http_status == 400 || kind.http_status == 422) {
        if (nonsense_.admit(client, nonsense_max, minute, now).admitted) return;
        name = "client.nonsense";
    } else {
        return;
    }
    if (!told_.admit(std::string(name) + client, 1, minute, now).admitted) return;
    record(name, Outcome::refused, exchange, {{"operation", id_of(exchange.operation)}});
}

void SecurityObserver::tell_of_act(const http::Exchange& exchange) {
    const bool is_export = exchange.operation->effect == http::Effect::exporting;
    if (!is_export && !is_change(exchange)) return;
    std::vector<std::pair<std::string_view, std::string>> detail{{"operation", exchange.operation->id}};
    for (const auto& parameter : exchange.context.path_params) detail.emplace_back(parameter.name, parameter.value);
    record(is_export ? "admin.export" : "admin.change", exchange.broke_off() ? Outcome::failure : Outcome::success,
           exchange, std::move(detail));
}

void SecurityObserver::record(std::string_view name, Outcome outcome, const http::Exchange& exchange,
                              std::vector<std::pair<std::string_view, std::string>> detail) {
    const Cause cause = cause_of(exchange.context);
    SecurityEvent event{.name = name, .outcome = outcome, .detail = std::move(detail)};
    if (cause.actor)
        event.actor = cause.actor->text();
    else if (exchange.context.caller.api_key)
        event.actor = exchange.context.caller.api_key->text();
    event.origin = &*cause.origin;
    events_.record(event);
}

}  // namespace consentry
