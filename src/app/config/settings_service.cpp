// Settings of the program itself: application, HTTP, data.
#include "app/config/setting_types.hpp"
#include "app/config/tables.hpp"
#include "base/ascii.hpp"

namespace consentry {

using namespace std::chrono_literals;
using namespace setting_types;

namespace {

constexpr std::string_view languages_allowed = "one or more of en, id, es, fr, de and ja between commas, each once";

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
         .description = "The name under which people know the service, shown by `hello` and the API documentation, and "
                        "the default of several other settings."},
        {.name = "APP_ENV",
         .group = group,
         .type = one_of<&Config::app, &AppConfig::environment>({{"local", AppEnvironment::local},
                                                                {"development", AppEnvironment::development},
                                                                {"staging", AppEnvironment::staging},
                                                                {"production", AppEnvironment::production}}),
         .default_text = "local",
         .description =
             "Where the service runs. With `local` it makes the keys it lacks and keeps them in the data folder; "
             "anywhere else it wants them as settings and refuses to start without. `production` also refuses weak "
             "settings that are warned of elsewhere, and closes the API documentation."},
        {.name = "APP_TIMEZONE",
         .group = group,
         .type = text<&Config::app, &AppConfig::timezone>(
             "UTC or a time zone that the system's database has, such as Europe/Berlin", is_timezone),
         .default_text = "UTC",
         .description =
             "The time zone named in the `x-timezone` header and in the metadata of answers, and the one in which the "
             "days of API keys begin and end. Times themselves are always UTC."},
        {.name = "APP_LANGUAGE",
         .group = group,
         .type = one_of<&Config::app, &AppConfig::language>({{"en", Language::en},
                                                             {"id", Language::id},
                                                             {"es", Language::es},
                                                             {"fr", Language::fr},
                                                             {"de", Language::de},
                                                             {"ja", Language::ja}}),
         .default_text = "en",
         .description = "The language of messages for requests whose `x-custom-lang` names none or an unknown one."},
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
             "The languages in which the service answers, separated by commas. `APP_LANGUAGE` must be one of "
             "them; requests that ask for another one are answered in `APP_LANGUAGE`."},
        {.name = "PUBLIC_URL",
         .group = group,
         .type = {.allowed = "empty, or an http or https address without credentials, query and fragment",
                  .read = [](std::string_view value, Config& config) -> Read {
                      const auto url = value.empty() ? std::optional<std::string>("") : parse_public_url(value);
                      if (!url)
                          return refused("empty, or an http or https address without credentials, query and fragment");
                      config.app.public_url = *url;
                      return {};
                  },
                  .show = [](const Config& config) { return config.app.public_url; }},
         .default_text = "",
         .description = "The address at which clients reach the service, for links and for the issuer of tokens. Empty "
                        "means the host and port listened on, which is right only without a proxy in front.",
         .example = "https://login.example.com"},
        {.name = "DOC_ENABLE",
         .group = group,
         .type = flag<&Config::app, &AppConfig::documentation>(),
         .default_text = "true, in production false",
         .derived = true,
         .description = "Serves the API documentation at `/docs` and `/docs/json`.",
         .example = "true"},
        {.name = "DOC_PREFIX",
         .group = group,
         .type = only("/docs", "the page and its parts are served there alone"),
         .default_text = "/docs",
         .description = "Where the API documentation is served. Only `/docs`."},
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
                                                                   std::ranges::all_of(host, [](char c) {
                                                                       return c > ' ' && c < 0x7F && c != '/';
                                                                   });
                                                        }),
         .default_text = "localhost",
         .description =
             "Where to listen: a name or an address; each address of a name is listened on. `0.0.0.0` or `::` "
             "is every interface."},
        {.name = "HTTP_PORT",
         .group = group,
         .type = whole_number<&Config::http, &HttpConfig::port>(0, 65535),
         .default_text = "3000",
         .description = "The TCP port; 0 takes any free one, which is printed at start."},
        {.name = "HTTP_GLOBAL_PREFIX",
         .group = group,
         .type = text<&Config::http, &HttpConfig::global_prefix>(
             "empty, or a path such as /api, without a slash at its end and not where the service has pages of its own",
             is_path_prefix),
         .default_text = "/api",
         .description =
             "What stands before every path of the API. The documentation, `/metrics` and `/.well-known` lie "
             "outside of it."},
        {.name = "HTTP_THREADS",
         .group = group,
         .type = whole_number<&Config::http, &HttpConfig::threads>(0, 256),
         .default_text = "0",
         .description = "Threads that serve connections; 0 is one per core."},
        {.name = "HTTP_CONNECTIONS_MAX",
         .group = group,
         .type = whole_number<&Config::http, &HttpConfig::connections_max>(1, 1'000'000),
         .default_text = "20000",
         .description =
             "Connections open at once. Client networks (an IPv4 address, an IPv6 /64) share them: when all are in "
             "use, a new connection replaces the one that has been longest without a request, first from the network "
             "that holds the most. If every connection is working, the answer is 503. Proxies in "
             "`HTTP_TRUSTED_PROXIES` may hold any number. Each connection needs a file descriptor; seven eighths of "
             "the limit on open files are used at most."},
        {.name = "HTTP_BODY_MEMORY_MAX_IN_MB",
         .group = group,
         .type = megabytes<&Config::http, &HttpConfig::body_memory_max>(16, 65'536),
         .default_text = "64",
         .description =
             "Memory for request bodies, in megabytes, shared by client networks. When it is full, the network that "
             "holds the most gives way to one that holds less; otherwise the answer is 503. Bodies that fit behind "
             "their headers into 8 KiB do not count."},
        {.name = "HTTP_HEAD_TIMEOUT",
         .group = group,
         .type = duration<&Config::http, &HttpConfig::head_timeout>(100ms, 10min),
         .default_text = "10s",
         .description =
             "How long a client may take to send the first byte of a connection, and from the first byte of a "
             "request to the end of its headers."},
        {.name = "HTTP_BODY_TIMEOUT",
         .group = group,
         .type = duration<&Config::http, &HttpConfig::body_timeout>(100ms, 10min),
         .default_text = "20s",
         .description = "How long a client may take to send the whole body."},
        {.name = "HTTP_IDLE_TIMEOUT",
         .group = group,
         .type = duration<&Config::http, &HttpConfig::idle_timeout>(100ms, 1h),
         .default_text = "75s",
         .description = "How long a connection stays open between two requests. A proxy in front should close its side "
                        "earlier than this."},
        {.name = "REQUEST_TIMEOUT_IN_MS",
         .group = group,
         .type = whole_number<&Config::http, &HttpConfig::request_timeout>(100, 600'000),
         .default_text = "30000",
         .description = "How long the service may take over a request, in milliseconds; then the answer is 408."},
        {.name = "REQUEST_BODY_JSON_LIMIT_IN_BYTES",
         .group = group,
         .type = whole_number<&Config::http, &HttpConfig::json_bytes_max>(1'024, 104'857'600),
         .default_text = "512000",
         .description = "The largest JSON body; above, the answer is 413."},
        {.name = "REQUEST_BODY_TEXT_LIMIT_IN_BYTES",
         .group = group,
         .type = whole_number<&Config::http, &HttpConfig::text_bytes_max>(1'024, 104'857'600),
         .default_text = "1048576",
         .description = "The largest body of text or of a form; above, the answer is 413."},
        {.name = "URL_VERSIONING_ENABLE",
         .group = group,
         .type = flag<&Config::versioning, &VersioningConfig::enable>(),
         .default_text = "true",
         .description = "Serves every path with a version segment as well: `/api/v1/…` beside `/api/…`."},
        {.name = "URL_VERSIONING_PREFIX",
         .group = group,
         .type = text<&Config::versioning, &VersioningConfig::prefix>(
             "1 to 16 letters",
             [](std::string_view prefix) {
                 return !prefix.empty() && prefix.size() <= 16 &&
                        std::ranges::all_of(prefix, [](char c) { return is_letter(c); });
             }),
         .default_text = "v",
         .description = "What stands before the number in the version segment."},
        {.name = "URL_VERSION",
         .group = group,
         .type = whole_number<&Config::versioning, &VersioningConfig::version>(1, 999),
         .default_text = "1",
         .description = "The number in the version segment, in the `x-version` header and in the metadata of answers."},
    };
}

std::vector<SettingSpec> data_settings() {
    constexpr std::string_view group = "Data";
    return {
        {.name = "DATA_DIR",
         .group = group,
         .type = {.allowed = "the path of a folder",
                  .read = [](std::string_view value, Config& config) -> Read {
                      if (value.empty() || value.contains('\0')) return refused("the path of a folder");
                      config.data.directory = value;
                      return {};
                  },
                  .show = [](const Config& config) { return config.data.directory.string(); }},
         .default_text = "./data",
         .description =
             "The folder in which the service keeps what it is not told to keep elsewhere: the SQLite database, and "
             "with `APP_ENV=local` its keys. It is made where it does not exist, for its owner only."},
    };
}

}  // namespace consentry
