#include "app/config/names.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "app/config/settings.hpp"

namespace consentry {
namespace {

constexpr std::size_t misspelling_max = 2;
constexpr std::size_t suggestion_max = 4;  // of a name that is ours by its beginning

// What a setting of ours, in this or another release, begins with, and hardly anything else does.
constexpr std::array<std::string_view, 10> own_prefixes{
    "AUTH_JWT_",     "AUTH_PASSWORD_", "AUTH_SOCIAL_",  "FORGOT_PASSWORD_", "AUTH_TWO_FACTOR_",
    "CACHE_MEMORY_", "CONSENTRY_",     "REQUEST_BODY_", "SESSION_",         "URL_VERSIONING_"};

// Of other programs, close to ours by name: proxies, X11's session manager, and the folder of our tests' data.
constexpr std::array<std::string_view, 6> foreign{"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY",
                                                  "ALL_PROXY",  "FTP_PROXY",   "SESSION_MANAGER"};
constexpr std::string_view test_data = "CONSENTRY_TEST_DATA";

std::string to_upper_ascii(std::string_view text) {
    std::string upper(text);
    for (char& c : upper)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return upper;
}

// Kubernetes gives every container NAME_SERVICE_HOST, NAME_PORT_3000_TCP_ADDR and so on for each service of the
// namespace: a service called "consentry" or "session" must not keep the program from starting.
bool is_service_link(std::string_view name) {
    return name.ends_with("_SERVICE_HOST") || name.contains("_SERVICE_PORT") || name.contains("_TCP") ||
           name.contains("_UDP") || name == "CONSENTRY_PORT" || name == "SESSION_PORT";
}

struct Nearest {
    std::string_view name;
    std::size_t distance;
};
Nearest nearest_setting(std::string_view name) {
    Nearest best{"", std::string_view::npos};
    for (const SettingSpec& setting : settings()) {
        const std::size_t distance = edit_distance(name, setting.name);
        if (distance < best.distance) best = {setting.name, distance};
    }
    return best;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);  // distances of the part of a seen so far to each beginning of b
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (const char c : a) {
        std::size_t diagonal = row[0]++;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = diagonal + (c == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
        }
    }
    return row.back();
}

std::optional<ConfigProblem> misspelt_name(std::string_view name) {
    if (find_setting(name) != nullptr || name == test_data || name.size() > 200) return std::nullopt;
    const std::string upper = to_upper_ascii(name);
    if (std::ranges::find(foreign, upper) != foreign.end() || is_service_link(upper)) return std::nullopt;

    const bool own =
        std::ranges::any_of(own_prefixes, [&](std::string_view prefix) { return upper.starts_with(prefix); });
    std::string_view core = upper;
    if (core.starts_with("CONSENTRY_")) core.remove_prefix(std::string_view("CONSENTRY_").size());
    const Nearest nearest = nearest_setting(core);
    if (!own && nearest.distance > misspelling_max) return std::nullopt;

    std::string text = "is not a setting of this release";
    if (nearest.distance <= suggestion_max) text += ": did you mean " + std::string(nearest.name) + "?";
    return ConfigProblem{std::string(name), std::move(text)};
}

}  // namespace consentry
