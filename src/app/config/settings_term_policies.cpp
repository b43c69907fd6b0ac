// Settings of term policies and of the store that holds their files.
#include "app/config/setting_types.hpp"
#include "app/config/tables.hpp"
#include "base/ascii.hpp"
#include "base/text.hpp"
#include "storage/object_store.hpp"
#include "storage/s3/s3_options.hpp"

namespace consentry {

using namespace setting_types;

namespace {

const std::string store_url_allowed = "file:FOLDER, s3: or s3://HOST:PORT";

Read read_storage_url(std::string_view value, Config& config) {
    if (value.starts_with("s3:")) {
        if (auto server = storage::parse_s3_url(value); !server) return std::unexpected(std::move(server.error()));
        config.storage.url = value;
        return {};
    }
    auto url = parse_folder_url(value);
    if (!url) return refused(store_url_allowed);
    config.storage.url = std::move(*url);
    return {};
}

const std::string bucket_allowed = "empty, or a bucket name of 3 to 63 lowercase letters, digits, '-' and '.'";

SettingType secret_text() {
    const std::string allowed = "printable ASCII characters without spaces";
    return {.allowed = allowed,
            .read = [allowed](std::string_view value, Config& config) -> Read {
                if (value.empty() || !std::ranges::all_of(value, is_visible)) return refused(allowed);
                config.storage.s3.secret = value;
                return {};
            },
            .show = [](const Config& config) { return config.storage.s3.secret; },
            .secret = true};
}

const std::string path_allowed =
    "a path of at most 200 letters, digits, '.', '_', '-' and slashes, with no slash at either end";

bool is_path(std::string_view text) { return text.size() <= 200 && storage::is_object_key(text); }

// In the Authorization header, slashes and commas separate this value from its neighbors.
bool is_credential_part(std::string_view text) {
    return !text.empty() && text.size() <= 128 &&
           std::ranges::all_of(text, [](char c) { return is_alphanumeric(c) || c == '_' || c == '-' || c == '.'; });
}
bool is_bucket_or_none(std::string_view text) { return text.empty() || storage::is_bucket_name(text); }

const std::string cdn_allowed = "empty, a host, or an http or https URL without credentials, query or fragment";

Read read_public_cdn(std::string_view value, Config& config) {
    if (value.empty()) {
        config.storage.s3.public_url.clear();
        return {};
    }
    auto url = parse_public_url(value.contains("://") ? std::string(value) : "https://" + std::string(value));
    if (!url) return refused(cdn_allowed);
    config.storage.s3.public_url = std::move(*url);
    return {};
}

const std::string types_allowed =
    "any of termsOfService, privacy, marketing and cookies, each once, separated by commas";

Read read_types(std::string_view value, Config& config) {
    std::vector<PolicyType> types;
    for (const std::string_view name : value.empty() ? std::vector<std::string_view>{} : split(value, ',')) {
        const auto type = find_enum<PolicyType>(trim(name));
        if (!type || std::ranges::find(types, *type) != types.end()) return refused(types_allowed);
        types.push_back(*type);
    }
    config.term_policy.withdrawable = std::move(types);
    return {};
}

std::string show_types(const Config& config) {
    std::string out;
    for (const PolicyType type : config.term_policy.withdrawable) {
        if (!out.empty()) out += ',';
        out += name_of(type);
    }
    return out;
}

}  // namespace

std::vector<SettingSpec> storage_settings() {
    constexpr std::string_view group = "Files";
    return {
        {.name = "STORAGE_URL",
         .group = group,
         .type = {.allowed = store_url_allowed,
                  .read = read_storage_url,
                  .show = [](const Config& config) { return config.storage.url; },
                  .may_hold_password = true},
         .default_text = "`file:<DATA_DIR>/storage`",
         .derived = true,
         .description = "Where the files of term policies are stored. `file:` is a folder with a private and a public "
                        "part; the service itself serves the public part. `s3:` is Amazon S3 in `AWS_S3_REGION`; "
                        "`s3://HOST:PORT` is any other S3-compatible server. Both accept `?style=path` or "
                        "`?style=virtual` (bucket in the path or in the host name) and `ca_file=FILE` (CA certificates "
                        "to trust instead of the system's). `s3://HOST:PORT` also accepts `tls=none`.",
         .example = "file:/var/lib/consentry/storage"},
        {.name = "AWS_S3_IAM_CREDENTIAL_KEY",
         .group = group,
         .type = text<&Config::storage, &StorageConfig::s3, &S3Config::access_key>(
             "1 to 128 letters, digits and ._-, or empty",
             [](std::string_view text) { return text.empty() || is_credential_part(text); }),
         .default_text = "",
         .description = "The S3 access key. Required for S3. It needs the permissions listed in docs/deploy/s3.md.",
         .example = "AKIAIOSFODNN7EXAMPLE"},
        {.name = "AWS_S3_IAM_CREDENTIAL_SECRET",
         .group = group,
         .type = secret_text(),
         .default_text = "none",
         .derived = true,
         .description = "The secret of the S3 access key. Required for S3."},
        {.name = "AWS_S3_REGION",
         .group = group,
         .type = text<&Config::storage, &StorageConfig::s3, &S3Config::region>("1 to 128 letters, digits and ._-",
                                                                               is_credential_part),
         .default_text = "us-east-1",
         .description =
             "The region of the buckets. Servers other than Amazon's have a region as well, and some check it."},
        {.name = "AWS_S3_PRIVATE_BUCKET",
         .group = group,
         .type =
             text<&Config::storage, &StorageConfig::s3, &S3Config::private_bucket>(bucket_allowed, is_bucket_or_none),
         .default_text = "",
         .description = "The bucket of drafts, which must not be publicly readable. Required for S3.",
         .example = "example-consentry-private"},
        {.name = "AWS_S3_PUBLIC_BUCKET",
         .group = group,
         .type =
             text<&Config::storage, &StorageConfig::s3, &S3Config::public_bucket>(bucket_allowed, is_bucket_or_none),
         .default_text = "",
         .description = "The bucket of published texts, which must be publicly readable. Required for S3.",
         .example = "example-consentry-public"},
        {.name = "AWS_S3_PUBLIC_CDN",
         .group = group,
         .type = {.allowed = cdn_allowed,
                  .read = read_public_cdn,
                  .show = [](const Config& config) { return config.storage.s3.public_url; }},
         .default_text = "",
         .description = "The public address of the public bucket, if it differs from the bucket's own address.",
         .example = "cdn.example.com"},
        {.name = "AWS_S3_MAX_ATTEMPTS",
         .group = group,
         .type = whole_number<&Config::storage, &StorageConfig::s3, &S3Config::attempts_max>(1, 10),
         .default_text = "3",
         .description = "The maximum number of attempts for one S3 call when the server fails or does not respond."},
        {.name = "AWS_S3_TIMEOUT_IN_MS",
         .group = group,
         .type = whole_number<&Config::storage, &StorageConfig::s3, &S3Config::timeout>(100, 50'000),
         .default_text = "30000",
         .description = "The time limit of one S3 call including all its attempts, in milliseconds."},
        {.name = "AWS_S3_PRESIGN_EXPIRED_IN_SECONDS",
         .group = group,
         .type = whole_number<&Config::storage, &StorageConfig::presign_lifetime>(1, 604'800),
         .default_text = "1800",
         .description =
             "How long a presigned URL to read or write one private file is valid. Applies to `file:` storage too."},
    };
}

std::vector<SettingSpec> term_policy_settings() {
    constexpr std::string_view group = "Term policies";
    return {
        {.name = "TERM_POLICY_UPLOAD_CONTENT_PATH",
         .group = group,
         .type = text<&Config::term_policy, &TermPolicyConfig::upload_path>(path_allowed, is_path),
         .default_text = "term-policies",
         .description = "The path of drafts in the private part: `<this>/<type>/<version>/<language>.hbs`. Change it "
                        "only while there are no drafts."},
        {.name = "TERM_POLICY_CONTENT_PUBLIC_PATH",
         .group = group,
         .type = text<&Config::term_policy, &TermPolicyConfig::public_path>(path_allowed, is_path),
         .default_text = "term-policies",
         .description = "The path of published texts in the public part. It is part of their URLs, so change it only "
                        "while nothing is published."},
        {.name = "TERM_POLICY_WITHDRAWABLE",
         .group = group,
         .type = {.allowed = types_allowed, .read = read_types, .show = show_types},
         .default_text = "marketing,cookies",
         .description = "The policy types whose acceptance users may withdraw."},
    };
}

}  // namespace consentry
