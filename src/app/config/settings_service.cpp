// Settings of the program itself: application, HTTP, data.
#include "app/config/setting_types.hpp"
#include "app/config/tables.hpp"
#include "base/ascii.hpp"

namespace consentry {

using namespace std::chrono_literals;
using namespace setting_types;

namespace {

constexpr std::string_view languages_allowed =
    "one or more of en, id, es, fr, de and ja, each once, separated by commas";

Read read_languages(std::string_view text, Config& config) {
    const auto names = parse_list(text);
    if (!names) return refused(std::string(languages_allowed));
    std::vector<Language> languages;
    for (const std::string& name : *names) {
        const auto language = find_language(name);
        if (!language || std::ranges::find(languages, *language) != languages.end())
            return refused(std::string(languages_allowed));
        languages.push_back(*language);
    }
    config.app.languages = std::move(languages);
    return {};
}

}  // namespace

std::vector<SettingSpec> application_settings() {
    constexpr std::string_view group = "Application";
    return {
        {.name = "APP_NAME",
         .group = group,
         .type = line<&Config::app, &AppConfig::name>(),
         .default_text = "Consentry",
         .description = "The service's display name. `hello` and the API documentation show it, and several other "
                        "settings default to it."},
        {.name = "APP_ENV",
         .group = group,
         .type = one_of<&Config::app, &AppConfig::environment>({{"local", AppEnvironment::local},
                                                                {"development", AppEnvironment::development},
                                                                {"staging", AppEnvironment::staging},
                                                                {"production", AppEnvironment::production}}),
         .default_text = "local",
         .description =
             "The environment. In `local`, the service generates missing keys and keeps them in the data folder; "
             "elsewhere it requires them as settings and refuses to start without them. `production` also refuses weak "
             "settings (short two-factor keys, Argon2id parameters below OWASP's minimum, log level `debug`) and turns "
             "the API documentation and metrics off by default."},
        {.name = "APP_TIMEZONE",
         .group = group,
         .type = text<&Config::app, &AppConfig::timezone>(
             "UTC or a name from the system's time zone database, such as Europe/Berlin", is_timezone),
         .default_text = "UTC",
         .description = "The time zone reported in the `x-timezone` header and in response metadata. It also decides "
                        "when the days of an API key's validity begin and end. All timestamps remain in UTC."},
        {.name = "APP_LANGUAGE",
         .group = group,
         .type = one_of<&Config::app, &AppConfig::language>({{"en", Language::en},
                                                             {"id", Language::id},
                                                             {"es", Language::es},
                                                             {"fr", Language::fr},
                                                             {"de", Language::de},
                                                             {"ja", Language::ja}}),
         .default_text = "en",
         .description = "The language of messages for requests whose `x-custom-lang` header is missing or names an "
                        "unavailable language."},
        {.name = "MESSAGE_AVAILABLE_LANGUAGE",
         .group = group,
         .type = {.allowed = std::string(languages_allowed),
                  .read = read_languages,
                  .show =
                      [](const Config& config) {
                          std::vector<std::string> names;
                          for (const Language one : config.app.languages) names.emplace_back(name_of(one));
                          return joined(names);
                      }},
         .default_text = "en,id,es,fr,de,ja",
         .description =
             "The languages in which the service answers. `APP_LANGUAGE` must be one of them; a request "
             "for any other language gets `APP_LANGUAGE`. A browser page is then in English instead, if English is "
             "in this list."},
        {.name = "PUBLIC_URL",
         .group = group,
         .type = {.allowed = "empty, or an http or https URL without credentials, query or fragment",
                  .read = [](std::string_view value, Config& config) -> Read {
                      const auto url = value.empty() ? std::optional<std::string>("") : parse_public_url(value);
                      if (!url) return refused("empty, or an http or https URL without credentials, query or fragment");
                      config.app.public_url = *url;
                      return {};
                  },
                  .show = [](const Config& config) { return config.app.public_url; }},
         .default_text = "",
         .description =
             "The URL at which clients reach the service. Links and the token issuer are built from it. If empty, the "
             "service uses the host and port it listens on, which is correct only without a proxy in front.",
         .example = "https://login.example.com"},
        {.name = "DOC_ENABLE",
         .group = group,
         .type = flag<&Config::app, &AppConfig::documentation>(),
         .default_text = "`true`; in production, `false`",
         .derived = true,
         .description = "Serves the API documentation at `/docs` and `/docs/json`.",
         .example = "true"},
        {.name = "DOC_PREFIX",
         .group = group,
         .type = only("/docs", "the documentation is served at this path only"),
         .default_text = "/docs",
         .description = "The path of the API documentation. Only `/docs` is supported."},
    };
}

std::vector<SettingSpec> http_settings() {
    constexpr std::string_view group = "HTTP";
    return {
        {.name = "HTTP_HOST",
         .group = group,
         .type = text<&Config::http, &HttpConfig::host>("a host name or an address",
                                                        [](std::string_view host) {
                                                            return !host.empty() && host.size() <= 255 &&
                                                                   std::ranges::all_of(host, is_visible) &&
                                                                   !host.contains('/');
                                                        }),
         .default_text = "localhost",
         .description = "The host name or address to listen on. The service listens on every address of a name. "
                        "`0.0.0.0` or `::` means all interfaces."},
        {.name = "HTTP_PORT",
         .group = group,
         .type = whole_number<&Config::http, &HttpConfig::port>(0, 65535),
         .default_text = "3000",
         .description = "The TCP port to listen on. 0 picks a free port, which the service prints at start."},
        {.name = "HTTP_GLOBAL_PREFIX",
         .group = group,
         .type = text<&Config::http, &HttpConfig::global_prefix>(
             "empty, or a path such as /api that does not end in a slash and does not overlap the service's own pages",
             is_path_prefix),
         .default_text = "/api",
         .description =
             "The prefix of every API path. Pages, the API documentation, the consent log, `/metrics`, `/.well-known` "
             "and `/.consentry` are outside it."},
        {.name = "HTTP_THREADS",
         .group = group,
         .type = whole_number<&Config::http, &HttpConfig::threads>(0, 256),
         .default_text = "0",
         .description = "The number of threads that serve connections. 0 means one per core."},
        {.name = "HTTP_CONNECTIONS_MAX",
         .group = group,
         .type = whole_number<&Config::http, &HttpConfig::connections_max>(1, 1'000'000),
         .default_text = "20000",
         .description = "The maximum number of open connections. Client networks (an IPv4 address or an IPv6 /64) "
                        "share them. When all are in use, a new connection replaces the one that has gone longest "
                        "without a request, taken from the network that holds the most. If every connection is busy, "
                        "the response is 503. Proxies in `HTTP_TRUSTED_PROXIES` may hold any number. Each connection "
                        "needs a file descriptor; the service uses at most seven eighths of the limit on open files."},
        {.name = "HTTP_BODY_MEMORY_MAX_IN_MB",
         .group = group,
         .type = megabytes<&Config::http, &HttpConfig::body_memory_max>(16, 65'536),
         .default_text = "64",
         .description =
             "The memory for request bodies, and for responses that clients have not read yet, in megabytes, shared by "
             "client networks. When it is full, a request or a response of the network that holds the most is ended in "
             "favor of a network that holds less; otherwise a request gets 503, and a response that its client does "
             "not read at once is cut off. A body that fits into 8 KiB together with its headers does not count, nor "
             "does a response of up to 8 KiB."},
        {.name = "HTTP_HEAD_TIMEOUT",
         .group = group,
         .type = duration<&Config::http, &HttpConfig::head_timeout>(100ms, 10min),
         .default_text = "10s",
         .description = "How long a client may take to send the first byte on a new connection, and then from the "
                        "first byte of a request to the end of its headers."},
        {.name = "HTTP_BODY_TIMEOUT",
         .group = group,
         .type = duration<&Config::http, &HttpConfig::body_timeout>(100ms, 10min),
         .default_text = "20s",
         .description = "How long a client may take to send a complete request body."},
        {.name = "HTTP_IDLE_TIMEOUT",
         .group = group,
         .type = duration<&Config::http, &HttpConfig::idle_timeout>(100ms, 1h),
         .default_text = "75s",
         .description =
             "How long a connection may stay open between two requests. Give a proxy in front a shorter idle timeout."},
        {.name = "REQUEST_TIMEOUT_IN_MS",
         .group = group,
         .type = whole_number<&Config::http, &HttpConfig::request_timeout>(100, 600'000),
         .default_text = "30000",
         .description =
             "How long the service may work on a request, in milliseconds. After that, the response is 408."},
        {.name = "REQUEST_BODY_JSON_LIMIT_IN_BYTES",
         .group = group,
         .type = whole_number<&Config::http, &HttpConfig::json_bytes_max>(1'024, 104'857'600),
         .default_text = "512000",
         .description = "The maximum size of a JSON request body. A larger body gets 413."},
        {.name = "REQUEST_BODY_TEXT_LIMIT_IN_BYTES",
         .group = group,
         .type = whole_number<&Config::http, &HttpConfig::text_bytes_max>(1'024, 104'857'600),
         .default_text = "1048576",
         .description = "The maximum size of a text or form request body. A larger body gets 413."},
        {.name = "URL_VERSIONING_ENABLE",
         .group = group,
         .type = flag<&Config::versioning, &VersioningConfig::enable>(),
         .default_text = "true",
         .description = "Serves every path with a version segment as well: `/api/v1/…` in addition to `/api/…`."},
        {.name = "URL_VERSIONING_PREFIX",
         .group = group,
         .type = text<&Config::versioning, &VersioningConfig::prefix>(
             "1 to 16 letters",
             [](std::string_view prefix) {
                 return !prefix.empty() && prefix.size() <= 16 &&
                        std::ranges::all_of(prefix, [](char c) { return is_letter(c); });
             }),
         .default_text = "v",
         .description = "The prefix of the number in the version segment."},
        {.name = "URL_VERSION",
         .group = group,
         .type = whole_number<&Config::versioning, &VersioningConfig::version>(1, 999),
         .default_text = "1",
         .description = "The number in the version segment, in the `x-version` header and in response metadata."},
    };
}

std::vector<SettingSpec> data_settings() {
    constexpr std::string_view group = "Data";
    return {
        {.name = "DATA_DIR",
         .group = group,
         .type = {.allowed = "a folder path",
                  .read = [](std::string_view value, Config& config) -> Read {
                      if (value.empty() || value.contains('\0')) return refused("a folder path");
                      config.data.directory = value;
                      return {};
                  },
                  .show = [](const Config& config) { return config.data.directory.string(); }},
         .default_text = "./data",
         .description =
             "The folder for everything that has no other location configured: the SQLite database and, with "
             "`APP_ENV=local`, the keys. The service creates it if it does not exist, accessible to its owner only."},
    };
}

}  // namespace consentry
