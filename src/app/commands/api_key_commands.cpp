#include "app/commands/api_key_commands.hpp"

#include <string>

#include <fmt/format.h>

#include "app/commands/command_support.hpp"
#include "app/terminal/results.hpp"
#include "base/standard_error.hpp"
#include "base/text_rules.hpp"
#include "crypto/digest.hpp"

namespace consentry {
namespace {

constexpr std::size_t name_length_max = 100;

// For active keys, the state follows from their validity period.
std::string_view state_of(const ApiKeyRecord& record, TimePoint now) {
    if (!record.is_active) return "off";
    if (record.is_good_at(now)) return "on";
    return now < record.window->start_at ? "not-yet" : "over";
}

}  // namespace

int create_api_key(const ApiKeyOptions& options) {
    const auto type = find_enum<ApiKeyType>(options.type);
    if (!type || !is_one_line_name(options.name) || !is_at_most(options.name, name_length_max)) {
        say("consentry: --type must be default or system, and --name must be one line of 1 to {} characters\n",
            name_length_max);
        return wrong_use;
    }
    const SystemClock clock;
    const auto services = open_services(clock);
    if (!services) return wrong_use;
    auto issued = run(services->api_keys.create(
        Actor::operator_at_the_machine(), {.name = options.name, .type = *type, .window = std::nullopt}, Cause{}));
    if (!issued) return tell(*services, issued.error());
    if (options.json)
        print_json({{"key", issued->record.key}, {"secret", issued->secret}});
    else
        fmt::print("{}:{}\n", issued->record.key, issued->secret);
    crypto::wipe(issued->secret);
    say("Send this value in the x-api-key header. The secret is not shown again.\n");
    return 0;
}

int list_api_keys(const ApiKeyOptions& options) {
    const SystemClock clock;
    const auto services = open_services(clock);
    if (!services) return wrong_use;
    const TimePoint now = clock.now();
    ResultList list({{.name = "key", .heading = "KEY"},
                     {.name = "type", .heading = "TYPE"},
                     {.name = "state", .heading = "STATE", .is_state = true},
                     {.name = "name", .heading = "NAME"}},
                    options.json);
    ListQuery query;
    query.order = {{.expression = "created_at"}};
    query.limit = 500;
    for (bool more = true; more; query.offset += query.limit) {
        const auto found = run(services->api_keys.list(query));
        for (const ApiKeyRecord& record : found.items)
            list.add({record.key, name_of(record.type), state_of(record, now), record.name});
        more = found.has_more;
    }
    list.end();
    return 0;
}

int delete_api_key(const ApiKeyOptions& options) {
    const SystemClock clock;
    const auto services = open_services(clock);
    if (!services) return wrong_use;
    const auto erased = run(services->api_keys.erase_by_key(Actor::operator_at_the_machine(), options.key));
    if (!erased) return tell(*services, erased.error());
    tell_done("The API key is deleted and no longer accepted.", {{"key", options.key}, {"deleted", true}},
              options.json);
    return 0;
}

}  // namespace consentry
