#include "app/services.hpp"

#include <algorithm>
#include <filesystem>
#include <thread>

#include <spdlog/spdlog.h>

#include "app/config/own_url.hpp"
#include "app/consent_log_key.hpp"
#include "app/engines.hpp"
#include "app/local_secrets.hpp"
#include "base/wrong_settings.hpp"
#include "crypto/digest.hpp"
#include "crypto/known_answers.hpp"
#include "features/passwords/form.hpp"
#include "pages/address.hpp"

namespace consentry {
namespace {

std::size_t cores() { return std::max(1U, std::thread::hardware_concurrency()); }

// Runs before anything uses the configuration: the service must not start if its cryptographic primitives compute wrong
// results (CRY-6).
Config prepared(const Config& config, const Clock& clock) {
    if (const auto warning = crypto::choose_password_engine(wanted_password_engine(config))) spdlog::warn(*warning);
    crypto::run_known_answer_tests();
    choose_password_rules(config.password.by_length ? PasswordRules::nist : PasswordRules::classes);
    return with_local_secrets(config, clock);
}

std::size_t hash_threads(const Config& config) {
    return config.password.hash_threads == 0 ? cores() : config.password.hash_threads;
}

WorkerPool::Options hash_pool_options(const Config& config) {
    const auto memory_kib = static_cast<std::uint32_t>(config.password.argon2_memory_kib);
    return {.name = "hash",
            .threads = hash_threads(config),
            .queue_max = config.password.hash_queue_max,
            .nice = 19,
            .guest_nice = 5,  // does not wait for the others, but leaves cheap requests three quarters of a processor
            .begin = [memory_kib] { crypto::keep_password_memory(memory_kib); },
            .idle = crypto::wipe_password_memory};
}

ApiKeySettings api_key_settings(const Config& config) {
    const auto time_zone = TimeZone::find(config.app.timezone);
    if (!time_zone) throw WrongSettings("APP_TIMEZONE: the system's time zone database does not contain this zone");
    return {.environment = std::string(text_of(config.app.environment)),
            .required = config.api_key.required,
            .cache_prefix = config.api_key.cache_prefix,
            .cache_ttl = config.cache.ttl,
            .time_zone = *time_zone};
}

PasswordSettings password_settings(const Config& config) {
    const std::string& secret = config.two_factor.encryption_keys.front();
    PasswordSettings out;
    out.count_attempts = config.password.attempt;
    out.ladder.attempts_max = config.password.attempts_max;
    out.expiry = config.password.expired;
    out.temporary_expiry = config.password.expired_temporary;
    out.reuse_barred = config.password.reuse_period;
    out.service_name = config.app.name;
    out.username_prefix = config.account.username_prefix;
    // No more concurrent checks than hashing threads, and fewer than the number of failures that lock.
    out.checks_at_once = std::clamp<std::size_t>(
        hash_threads(config), 1, static_cast<std::size_t>(std::max(1, config.password.attempts_max - 1)));
    out.history_checks_at_once = std::max<std::size_t>(1, hash_threads(config) / 2);
    out.address_key = as_text(crypto::hkdf_sha256(as_bytes(secret), "consentry unknown addresses", 32));
    return out;
}

LinkSettings link_settings(const LinkConfig& config) {
    return {.expired = config.expired,
            .resend = config.resend,
            .token_length = config.token_length,
            .reference_prefix = config.reference_prefix,
            .reference_length = config.reference_length};
}

GuardedHosts guarded_hosts(const Config& config) {
    if (!can_serve_pages(config)) return {};
    return {ReturnHosts::parse(config.pages.return_hosts).value().origins(), config.pages.cookie_domain,
            http::Networks::parse(config.http.trusted_proxies).value()};
}

LinkRequestSettings link_request_settings(const Config& config) {
    const std::string& secret = config.encryption.secrets.front();
    return {.verification = link_settings(config.account.verification),
            .forgot_password = link_settings(config.account.forgot_password),
            .address_key = std::string(as_text(crypto::hkdf_sha256(as_bytes(secret), "consentry link requests", 32))),
            .per_client_max = config.account.link_requests_per_client_max};
}

SocialGuard::Provider social_provider(const SocialProviderConfig& config) {
    SocialGuard::Provider out{
        .rules = {.client_ids = config.client_ids, .issuers = {config.issuer}, .nonce_required = config.nonce_required},
        .keys_address = config.jwks_uri};
    // Google issues tokens under either name, and documents both.
    if (config.issuer == "https://accounts.google.com") out.rules.issuers.emplace_back("accounts.google.com");
    return out;
}

PolicyPaths policy_paths(const Config& config) {
    return {.drafts = config.term_policy.upload_path, .published = config.term_policy.public_path};
}

std::unique_ptr<AdministrationLog> open_administration_log(const Config& config, storage::Database& database,
                                                           storage::ObjectStore& store, const Clock& clock,
                                                           const std::optional<WitnessPolicy>& witnesses) {
    if (!config.consent_log.enable) return nullptr;
    return std::make_unique<AdministrationLog>(
        database, store, clock,
        AdministrationLogSettings{.consent_key = consent_log_key(config.consent_log.private_key),
                                  .origin = config.consent_log.origin,
                                  .origin_is_given = config.consent_log.origin_is_given,
                                  .retention = config.activity.retention,
                                  .witness_lines = witnesses ? witnesses->lines : ""});
}

// Nothing unless all that a record must name is set.
std::optional<Controller> controller(const ConsentControllerConfig& config) {
    if (config.name.empty() || config.email.empty() || config.address.empty()) return std::nullopt;
    const auto if_any = [](const std::string& text) { return text.empty() ? std::nullopt : std::optional(text); };
    return Controller{.address = config.address,
                      .dpo = if_any(config.dpo),
                      .email = config.email,
                      .name = config.name,
                      .url = if_any(config.url)};
}

std::unique_ptr<ConsentLog> open_consent_log(const Config& config, storage::Database& database,
                                             storage::ObjectStore& store, const Clock& clock, KeyRing& keys,
                                             WorkerPool& signing, AdministrationLog* administration,
                                             const std::optional<WitnessPolicy>& witnesses) {
    if (!config.consent_log.enable) return nullptr;
    return std::make_unique<ConsentLog>(database, store, clock, keys, signing,
                                        ConsentLogSettings{.key = consent_log_key(config.consent_log.private_key),
                                                           .origin = config.consent_log.origin,
                                                           .origin_is_given = config.consent_log.origin_is_given,
                                                           .issuer = config.jwt.issuer,
                                                           .witness_lines = witnesses ? witnesses->lines : ""},
                                        &administration->published());
}

void look(std::string_view setting, const Config& config, void look_at(const Config&)) {
    try {
        look_at(config);
    } catch (const std::exception&) {
        throw_as_fault_of(setting);
    }
}

std::string log_ca_file(const Config& config) {
    look("CONSENT_LOG_CA_FILE", config, look_at_log_ca);
    return config.consent_log.ca_file;
}

std::string social_ca_file(const Config& config) {
    look("AUTH_SOCIAL_CA_FILE", config, look_at_social_ca);
    return config.social.ca_file;
}

void require_ca_file(const std::string& file) {
    if (!file.empty() && !std::filesystem::is_regular_file(file)) throw WrongSettings("the file does not exist");
}

std::optional<WitnessPolicy> witnesses_of(const Config& config) {
    if (!config.consent_log.enable || config.consent_log.witnesses.empty()) return std::nullopt;
    try {
        return read_witnesses(config.consent_log.witnesses);
    } catch (const std::exception&) {
        throw_as_fault_of("CONSENT_LOG_WITNESSES");
    }
}

std::unique_ptr<Cosigning> open_cosigning(const Config& config, PublishedLog* log, const Clock& clock,
                                          std::optional<tlog::Policy> policy) {
    if (log == nullptr || !policy) return nullptr;
    return std::make_unique<Cosigning>(
        *log, clock, Cosigning::Options{.policy = std::move(*policy), .ca_file = log_ca_file(config)});
}

std::optional<tlog::Policy> policy_of(const std::optional<WitnessPolicy>& witnesses) {
    return witnesses ? std::optional(witnesses->policy) : std::nullopt;
}

// The file names the consent log alone.
std::optional<tlog::Policy> administration_policy(const std::optional<WitnessPolicy>& witnesses) {
    return witnesses ? std::optional(witnesses->policy.without_logs()) : std::nullopt;
}

std::unique_ptr<Bundles> make_bundles(const Config& config, storage::Database& database, storage::ObjectStore& store,
                                      const Clock& clock, ConsentLog* log) {
    if (log == nullptr) return nullptr;
    return std::make_unique<Bundles>(database, store, clock, *log, policy_paths(config));
}

std::unique_ptr<Timestamps> open_timestamps(const Config& config, ConsentLog* log, const Clock& clock) {
    if (log == nullptr || config.consent_log.timestamp_url.empty()) return nullptr;
    return std::make_unique<Timestamps>(log->published(), clock, config.consent_log.timestamp_url, log_ca_file(config));
}

void tell_of_keys(SecurityEvents& events, TokenKind kind, const std::string& fault) {
    SecurityEvent event{.name = "keys.loaded", .detail = {{"kind", std::string(name_of(kind))}}};
    if (fault.empty()) {
        spdlog::info("the keys for {} tokens can be read again", name_of(kind));
    } else {
        event.outcome = Outcome::failure;
        event.detail.emplace_back("reason", fault);
        spdlog::error("the keys for {} tokens cannot be read, so the former ones stay in use: {}", name_of(kind),
                      fault);
    }
    events.record(event);
}

std::unique_ptr<Files> make_files(storage::ObjectStore& store) {
    const storage::OwnAddresses* addresses = store.own_addresses();
    return addresses == nullptr ? nullptr : std::make_unique<Files>(store, *addresses);
}

}  // namespace

void look_at_log_ca(const Config& config) {
    if (config.consent_log.enable) require_ca_file(config.consent_log.ca_file);
}

void look_at_social_ca(const Config& config) {
    if (!config.social.google.client_ids.empty() || !config.social.apple.client_ids.empty())
        require_ca_file(config.social.ca_file);
}

KeySettings key_settings(const TokenConfig& config) {
    KeySettings out;
    out.algorithm = crypto::find_algorithm(config.algorithm).value();
    out.private_key = config.private_key;
    for (const NamedKey& former : config.public_keys) out.public_keys.push_back({former.kid, former.key});
    out.kid = config.key_id;
    out.lifetime = config.lifetime;
    return out;
}

crypto::PasswordEngine wanted_password_engine(const Config& config) {
    return config.password.own_argon2 ? crypto::PasswordEngine::builtin : crypto::PasswordEngine::libsodium;
}

ImportSettings import_settings(const Config& config) {
    return {.password_expiry = config.password.expired,
            .reuse_barred = config.password.reuse_period,
            .username_prefix = config.account.username_prefix};
}

Services::Services(const Config& given, const Clock& the_clock, const BeforeUpgrade& before_upgrade)
    : config(prepared(given, the_clock)),
      database_(open_database(config, before_upgrade)),
      shared_clock_(open_shared_clock(the_clock, *database_)),
      clock(shared_clock_),
      cache_(open_cache(config, clock)),
      object_store_(open_object_store(config)),
      database(*database_),
      cache(*cache_),
      object_store(*object_store_),
      files(make_files(object_store)),
      cursors(config.encryption.secrets, clock),
      security_event_file(config.data.directory, config.security_events.bytes_max, clock),
      bounded_events(security_event_file, clock),
      security_events(bounded_events),
      audit(security_events),
      hash_pool(hash_pool_options(config)),
      signing_pool({.name = "sign", .threads = cores(), .queue_max = 4'096}),
      keys(clock, config.data.directory / "keys", key_settings(config.jwt.access), key_settings(config.jwt.refresh),
           [this](TokenKind kind, const std::string& fault) { tell_of_keys(security_events, kind, fault); }),
      tokens(keys, {.issuer = config.jwt.issuer,
                    .audience = config.jwt.audience,
                    .access_lifetime = config.jwt.access.lifetime,
                    .refresh_lifetime = config.jwt.refresh.lifetime,
                    .admin_lifetime = config.session.admin_lifetime}),
      users(database),
      roles(database, clock),
      api_keys(database, cache, clock, api_key_settings(config)),
      feature_flags(database, cache, clock,
                    {.cache_prefix = config.feature_flag.cache_prefix, .cache_ttl = config.feature_flag.cache_ttl}),
      activity(database, clock, {.retention = config.activity.retention, .acts_are_logged = config.consent_log.enable}),
      mails(config.encryption.secrets),
      witnesses(witnesses_of(config)),
      administration_log(open_administration_log(config, database, object_store, clock, witnesses)),
      consent_log(open_consent_log(config, database, object_store, clock, keys, signing_pool, administration_log.get(),
                                   witnesses)),
      cosigning(open_cosigning(config, consent_log ? &consent_log->published() : nullptr, clock, policy_of(witnesses))),
      administration_cosigning(open_cosigning(config, administration_log ? &administration_log->published() : nullptr,
                                              clock, administration_policy(witnesses))),
      bundles(make_bundles(config, database, object_store, clock, consent_log.get())),
      timestamps(open_timestamps(config, consent_log.get(), clock)),
      consents(database, clock, object_store, audit, consent_log.get(),
               {.paths = policy_paths(config),
                .withdrawable = config.term_policy.withdrawable,
                .controller = controller(config.consent_controller)}),
      publications(database),
      term_policies(database, object_store, clock, mails, audit,
                    {.paths = policy_paths(config), .presign_lifetime = config.storage.presign_lifetime},
                    consent_log ? &publications : nullptr),
      policy_diffs(database, term_policies, locales),
      announcements(database, object_store, clock, mails, policy_paths(config),
                    can_serve_pages(config) ? std::optional(own_url(config)) : std::nullopt),
      sessions(database, cache, clock, tokens, signing_pool, mails, audit,
               {.check = config.session.check == SessionCheckMode::cache ? SessionCheck::cache : SessionCheck::strict,
                .per_user_max = static_cast<std::int64_t>(config.session.per_user_max),
                .refresh_grace = config.jwt.refresh_grace,
                .admin_idle = config.session.admin_idle,
                .cookie_idle = config.session.cookie_idle,
                .cache_key_pattern = config.session.key_pattern,
                .copy_secrets = config.encryption.secrets}),
      session_guard(sessions, roles, consents),
      two_factor(database, clock, mails, audit,
                 {.issuer = config.two_factor.issuer,
                  .label = config.two_factor.label,
                  .encryption_keys = config.two_factor.encryption_keys,
                  .replay_protection = config.two_factor.replay_protection,
                  .set_up_lifetime = config.two_factor.setup_expired,
                  .totp = {},
                  .ladder = {}}),
      hasher(hash_pool, {.memory_kib = static_cast<std::uint32_t>(config.password.argon2_memory_kib),
                         .passes = static_cast<std::uint32_t>(config.password.argon2_passes),
                         .lanes = static_cast<std::uint32_t>(config.password.argon2_lanes),
                         .salt_bytes = config.password.salt_length}),
      passwords(database, clock, hasher, two_factor, consents, mails, audit, password_settings(config)),
      confirmation(database, clock, users, two_factor, passwords, audit),
      social_guard(clock, signing_pool, audit, social_provider(config.social.google),
                   social_provider(config.social.apple), social_ca_file(config)),
      social_accounts(database, clock, users, feature_flags, mails, consents, audit, config.account.username_prefix),
      login(database, cache, clock, users, sessions, two_factor, passwords, social_accounts, social_guard, audit,
            config.two_factor.encryption_keys),
      profiles(database, consents),
      accounts(database, clock, two_factor, passwords, consents, mails, audit,
               {.verification = link_settings(config.account.verification),
                .erase_after = config.account.erase_after,
                .acts_are_logged = config.consent_log.enable}),
      link_requests(database, cache, clock, users, mails, audit, link_request_settings(config)),
      account_export(database, clock, profiles, locales, audit, consent_log.get()),
      user_import(database, roles, clock, audit, import_settings(config)),
      administration(database, clock, users, roles, sessions, passwords, audit),
      forward_auth(consents),
      host_cookies(guarded_hosts(config), config.encryption.secrets),
      forward_auth_guard(sessions, roles, consents, host_cookies),
      hand_over(database, clock, host_cookies, own_url(config), sessions.cookie_lifetime(), config.encryption.secrets) {
}

awaitable<void> Services::open_logs() {
    // First all that the database alone can tell: it stops the start also while the object store is away.
    co_await consent_log->check();
    co_await administration_log->published().check();
    if (cosigning) cosigning->check_log();
    co_await complete_publications();
    co_await consent_log->open();
    co_await administration_log->published().open();
}

}  // namespace consentry
