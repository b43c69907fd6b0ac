#include "app/config/names.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "app/config/settings.hpp"
#include "base/text.hpp"

namespace consentry {
namespace {

constexpr std::size_t long_name = 12;  // from this length on, two wrong letters still count as a typo
constexpr int suggestion_max = 4;      // maximum distance of a suggestion for a name with one of our prefixes
constexpr std::size_t resemblance_max = 2;

// Prefixes of settings of this or another release that hardly any other program uses.
constexpr std::array<std::string_view, 9> own_prefixes{"AUTH_JWT_",        "AUTH_PASSWORD_",   "AUTH_SOCIAL_",
                                                       "FORGOT_PASSWORD_", "AUTH_TWO_FACTOR_", "CACHE_MEMORY_",
                                                       "CONSENTRY_",       "REQUEST_BODY_",    "URL_VERSIONING_"};
// Prefixes that this service's settings share with many other programs.
constexpr std::array<std::string_view, 1> common_prefixes{"SESSION_"};

// Derived from the dotted names of the interface; the settings have different names here.
struct OtherName {
    std::string_view name, setting;
};
constexpr std::array<OtherName, 5> other_names{{{"AUTH_GOOGLE_HEADER", "AUTH_SOCIAL_GOOGLE_HEADER"},
                                                {"AUTH_GOOGLE_PREFIX", "AUTH_SOCIAL_GOOGLE_PREFIX"},
                                                {"AUTH_APPLE_HEADER", "AUTH_SOCIAL_APPLE_HEADER"},
                                                {"AUTH_APPLE_PREFIX", "AUTH_SOCIAL_APPLE_PREFIX"},
                                                {"FEATURE_FLAG_CACHE_TTL_IN_MS", "FEATURE_FLAG_CACHE_TTL_MS"}}};

// Names of other programs that are close to ours: proxies and X11's session manager.
constexpr std::array<std::string_view, 6> foreign{"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY",
                                                  "ALL_PROXY",  "FTP_PROXY",   "SESSION_MANAGER"};
// One letter away from one of our settings, yet settings of well-known programs: web servers with two ports.
constexpr std::array<std::string_view, 4> well_known{"HTTPS_PORT", "HTTPS_HOST", "HTTP_PORTS", "HTTPS_PORTS"};
// Our own variables that are no settings of the service: of our tests, of `consentry witness` and of the examples of
// the TypeScript client.
constexpr std::array<std::string_view, 4> no_settings{"CONSENTRY_TEST_DATA", "CONSENTRY_WITNESS_KEY", "CONSENTRY_URL",
                                                      "CONSENTRY_API_KEY"};

// Kubernetes sets NAME_SERVICE_HOST, NAME_PORT=tcp://..., NAME_PORT_3000_TCP_ADDR and so on in every container for each
// service of the namespace: a service called "consentry", "consentry-redis" or "session" must not prevent the start.
bool is_service_link(std::string_view name, const std::string& upper, const Environment& environment) {
    constexpr std::array<std::string_view, 4> anywhere{"_SERVICE_PORT", "_TCP", "_UDP", "_SCTP"};
    constexpr std::array<std::string_view, 3> protocols{"tcp://", "udp://", "sctp://"};
    constexpr std::string_view port = "_PORT";
    if (upper.ends_with("_SERVICE_HOST") ||
        std::ranges::any_of(anywhere, [&](std::string_view part) { return upper.contains(part); }))
        return true;
    if (!upper.ends_with(port)) return false;
    if (environment.contains(upper.substr(0, upper.size() - port.size()) + "_SERVICE_HOST")) return true;
    const auto given = environment.find(std::string(name));
    return given != environment.end() && std::ranges::any_of(protocols, [&](std::string_view protocol) {
               return given->second.starts_with(protocol);
           });
}

std::string_view first_part(std::string_view name) { return name.substr(0, name.find('_')); }

// The letters of a name, a bit for each.
std::uint32_t letters_of(std::string_view name) {
    std::uint32_t letters = 0;
    for (const char c : name)
        if (c >= 'A' && c <= 'Z') letters |= 1U << (c - 'A');
    return letters;
}

// How often the names have each letter, the first minus the second. Other characters share the places of letters.
std::array<int, 32> surplus_of(std::string_view a, std::string_view b) {
    std::array<int, 32> surplus{};
    for (const char c : a) ++surplus[static_cast<unsigned char>(c) % surplus.size()];
    for (const char c : b) --surplus[static_cast<unsigned char>(c) % surplus.size()];
    return surplus;
}

// Whether the edit distance may be `max` or less: an edit changes the length by at most one, and adds and removes at
// most one letter. Every start and every command compares the whole environment with all settings, and this skips
// nearly all pairs, with the cheapest check first.
bool may_be_within(int max, std::string_view a, std::string_view b) {
    if (std::abs(std::ssize(a) - std::ssize(b)) > max) return false;
    const std::uint32_t in_a = letters_of(a);
    const std::uint32_t in_b = letters_of(b);
    if (std::popcount(in_a & ~in_b) > max || std::popcount(in_b & ~in_a) > max) return false;
    int added = 0;
    int removed = 0;
    for (const int count : surplus_of(a, b)) (count > 0 ? added : removed) += std::abs(count);
    return added <= max && removed <= max;
}

// The setting nearest to `name`; of several, the first one in the table. None if all are further than a suggestion may
// be.
struct Nearest {
    std::string_view name;
    std::size_t distance = std::string_view::npos;
};
Nearest nearest_setting(std::string_view name) {
    Nearest best;
    for (const SettingSpec& setting : settings()) {
        if (!may_be_within(suggestion_max, name, setting.name)) continue;
        const std::size_t distance = edit_distance(name, setting.name);
        if (distance < best.distance) best = {setting.name, distance};
    }
    return best;
}
// The same among the settings with this prefix, however far they are.
Nearest nearest_setting_with(std::string_view prefix, std::string_view name) {
    Nearest best;
    for (const SettingSpec& setting : settings()) {
        if (!setting.name.starts_with(prefix)) continue;
        const std::size_t distance = edit_distance(name, setting.name);
        if (distance < best.distance) best = {setting.name, distance};
    }
    return best;
}

std::string_view prefix_of(std::string_view name, std::span<const std::string_view> prefixes) {
    const auto found = std::ranges::find_if(prefixes, [&](std::string_view one) { return name.starts_with(one); });
    return found == prefixes.end() ? std::string_view() : *found;
}

bool is_slip(std::string_view name, const Nearest& nearest) {
    if (std::ranges::find(well_known, name) != well_known.end()) return false;
    if (nearest.distance <= 1) return true;
    return nearest.distance == 2 && name.size() >= long_name && first_part(name) == first_part(nearest.name);
}

// Returns the name in upper case, or nullopt if it is a valid setting or to be ignored.
std::optional<std::string> name_to_judge(std::string_view name, const Environment& environment) {
    if (find_setting(name) != nullptr || std::ranges::find(no_settings, name) != no_settings.end() || name.size() > 200)
        return std::nullopt;
    std::string upper = to_upper_ascii(name);
    if (std::ranges::find(foreign, upper) != foreign.end() || is_service_link(name, upper, environment))
        return std::nullopt;
    return upper;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
    // Distances from the current prefix of `a` and the two prefixes before it to each prefix of `b`.
    std::vector<std::size_t> row(b.size() + 1);
    std::vector<std::size_t> above(b.size() + 1);
    std::vector<std::size_t> twice_above(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::swap(twice_above, above);
        std::swap(above, row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({above[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U), above[j] + 1, row[j - 1] + 1});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) row[j] = std::min(row[j], twice_above[j - 2] + 1);
        }
    }
    return row.back();
}

std::optional<ConfigProblem> misspelled_name(std::string_view name, const Environment& environment) {
    const auto upper = name_to_judge(name, environment);
    if (!upper) return std::nullopt;
    const auto problem = [&](const std::string& hint) {
        return ConfigProblem{std::string(name), "is not a Consentry setting" + hint};
    };
    if (const auto other = std::ranges::find(other_names, *upper, &OtherName::name); other != other_names.end())
        return problem("; its name is " + std::string(other->setting));

    std::string_view core = *upper;
    if (core.starts_with("CONSENTRY_")) core.remove_prefix(std::string_view("CONSENTRY_").size());
    const Nearest nearest = nearest_setting(core);
    if (prefix_of(*upper, own_prefixes).empty() && !is_slip(*upper, nearest)) return std::nullopt;
    return problem(std::cmp_less_equal(nearest.distance, suggestion_max)
                       ? "; did you mean " + std::string(nearest.name) + "?"
                       : "");
}

std::optional<ConfigProblem> resembling_name(std::string_view name, const Environment& environment) {
    const auto upper = name_to_judge(name, environment);
    if (!upper || misspelled_name(name, environment)) return std::nullopt;
    // Prefer a setting of which this is a truncated name (CACHE_TTL), then one with the same prefix, then one that is
    // spelled similarly.
    Nearest nearest = upper->contains('_') ? nearest_setting_with(*upper + "_", *upper) : Nearest{};
    if (const auto prefix = prefix_of(*upper, common_prefixes); nearest.name.empty() && !prefix.empty())
        nearest = nearest_setting_with(prefix, *upper);
    bool resembles = !nearest.name.empty();
    if (!resembles) {
        nearest = nearest_setting(*upper);
        resembles = nearest.distance <= resemblance_max || std::ranges::find(well_known, *upper) != well_known.end();
    }
    if (!resembles) return std::nullopt;
    return ConfigProblem{std::string(name),
                         "is not a Consentry setting and has no effect; it resembles " + std::string(nearest.name)};
}

}  // namespace consentry
