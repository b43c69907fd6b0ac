#include "app/command_support.hpp"

#include <cstdio>

#include <fmt/format.h>

#include "app/config_commands.hpp"

namespace consentry {

asio::io_context& command_context() {
    static asio::io_context context(1);
    return context;
}

std::unique_ptr<Services> open_services(const Clock& clock) {
    const auto config = load_config();
    if (!config) return nullptr;
    return std::make_unique<Services>(*config, clock);
}

int tell(const Services& services, const Error& error) {
    for (const Violation& violation : error.violations())
        fmt::print(stderr, "consentry: {}\n",
                   services.locales.text(Language::en, "request.error." + violation.key, violation.placeholders));
    if (error.violations().empty())
        fmt::print(stderr, "consentry: {}\n", services.locales.text(Language::en, error.message_key(), error.data()));
    return failed;
}

}  // namespace consentry
