// Settings of term policies, and of the store where their files are.
#include "app/config/setting_types.hpp"
#include "app/config/tables.hpp"
#include "storage/object_store.hpp"

namespace consentry {

using namespace setting_types;

namespace {

const std::string url_allowed = "file:FOLDER";

Read read_storage_url(std::string_view value, Config& config) {
    constexpr std::string_view file = "file:";
    if (!value.starts_with(file) || value.contains('\0')) return refused(url_allowed);
    std::string_view path = value.substr(file.size());
    if (path.starts_with("//")) path.remove_prefix(2);
    // file://HOST/PATH is somebody else's disk.
    if (path.empty() || (path.size() != value.size() - file.size() && path.front() != '/')) return refused(url_allowed);
    config.storage.url = file;
    config.storage.url += path;
    return {};
}

const std::string path_allowed =
    "a path without slashes at its ends, of letters, digits, '.', '_' and '-', 200 characters at most";

bool is_path(std::string_view text) { return text.size() <= 200 && storage::is_object_key(text); }

const std::string types_allowed = "types between commas: termsOfService, privacy, marketing, cookies";

Read read_types(std::string_view value, Config& config) {
    std::vector<PolicyType> types;
    for (bool more = !value.empty(); more;) {
        const auto comma = value.find(',');
        const auto type = http::find_enum<PolicyType>(trim(value.substr(0, comma)));
        if (!type || std::ranges::find(types, *type) != types.end()) return refused(types_allowed);
        types.push_back(*type);
        more = comma != std::string_view::npos;
        if (more) value.remove_prefix(comma + 1);
    }
    config.term_policy.withdrawable = std::move(types);
    return {};
}

std::string show_types(const Config& config) {
    std::string out;
    for (const PolicyType type : config.term_policy.withdrawable) {
        if (!out.empty()) out += ',';
        out += http::name_of(type);
    }
    return out;
}

}  // namespace

std::vector<SettingSpec> storage_settings() {
    constexpr std::string_view group = "Files";
    return {
        {.name = "STORAGE_URL",
         .group = group,
         .type = {.allowed = url_allowed,
                  .read = read_storage_url,
                  .show = [](const Config& config) { return config.storage.url; }},
         .default_text = "`file:<DATA_DIR>/storage`",
         .derived = true,
         .description =
             "Where the files of term policies are. `file:` is a folder with a private and a public part; the service "
             "itself hands out the public one.",
         .example = "file:/var/lib/consentry/storage"},
        {.name = "AWS_S3_PRESIGN_EXPIRED_IN_SECONDS",
         .group = group,
         .type = whole_number<&Config::storage, &StorageConfig::presign_lifetime>(1, 604'800),
         .default_text = "1800",
         .description =
             "How long an address lets whoever has it read or write one private file; with the folder, too."},
    };
}

std::vector<SettingSpec> term_policy_settings() {
    constexpr std::string_view group = "Term policies";
    return {
        {.name = "TERM_POLICY_UPLOAD_CONTENT_PATH",
         .group = group,
         .type = text<&Config::term_policy, &TermPolicyConfig::upload_path>(path_allowed, is_path),
         .default_text = "term-policies",
         .description = "Where drafts lie in the private part: `<this>/<type>/<version>/<language>.hbs`. To be changed "
                        "only while there are no drafts."},
        {.name = "TERM_POLICY_CONTENT_PUBLIC_PATH",
         .group = group,
         .type = text<&Config::term_policy, &TermPolicyConfig::public_path>(path_allowed, is_path),
         .default_text = "term-policies",
         .description = "Where published texts lie in the public part. What was published stays where it was."},
        {.name = "TERM_POLICY_WITHDRAWABLE",
         .group = group,
         .type = {.allowed = types_allowed, .read = read_types, .show = show_types},
         .default_text = "marketing,cookies",
         .description = "The types whose acceptance users may take back."},
    };
}

}  // namespace consentry
