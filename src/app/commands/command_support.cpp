#include "app/commands/command_support.hpp"

#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "app/commands/config_commands.hpp"

namespace consentry {

asio::io_context& command_context() {
    static asio::io_context context(1);
    return context;
}

bool has_data(const Config& config) {
    std::error_code error;
    const bool is_embedded = config.database.url.empty();
    const std::filesystem::path place = is_embedded ? config.database.file : config.data.directory;
    if (std::filesystem::exists(place, error)) return true;
    const auto name = std::filesystem::absolute(place, error).lexically_normal().string();
    fmt::print(stderr,
               "consentry: the {} {} does not exist. Run this command in the working directory of the service, or set "
               "{}. For a new installation, start with `consentry serve` or `consentry migrate`.\n",
               is_embedded ? "database" : "data folder", name, is_embedded ? "DATA_DIR or DATABASE_URL" : "DATA_DIR");
    return false;
}

std::unique_ptr<Services> open_services(const Clock& clock) {
    const auto config = load_config();
    if (!config || !has_data(*config)) return nullptr;
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
