// Storage, pools and features, wired together: the whole service except its server. Commands use it directly.
//
// A member may use only the members declared above it, so construction and destruction order are both correct.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "app/config/config.hpp"
#include "app/cursor_seal.hpp"
#include "app/engines.hpp"
#include "app/observation/bounded_events.hpp"
#include "app/observation/counted_events.hpp"
#include "app/observation/security_event_file.hpp"
#include "app/periodic_tasks.hpp"
#include "base/clock.hpp"
#include "base/locales.hpp"
#include "base/worker_pool.hpp"
#include "crypto/password_engine.hpp"
#include "features/acceptances/acceptances.hpp"
#include "features/accounts/accounts.hpp"
#include "features/accounts/export.hpp"
#include "features/accounts/link_requests.hpp"
#include "features/accounts/profiles.hpp"
#include "features/activity/audit.hpp"
#include "features/administration/administration.hpp"
#include "features/administration/import/user_import.hpp"
#include "features/administration_log/administration_log.hpp"
#include "features/api_keys/api_keys.hpp"
#include "features/consent_log/consent_log.hpp"
#include "features/consent_log/publications.hpp"
#include "features/consent_proof/bundles.hpp"
#include "features/feature_flags/feature_flags.hpp"
#include "features/files/files.hpp"
#include "features/forward_auth/forward_auth.hpp"
#include "features/forward_auth/guard.hpp"
#include "features/forward_auth/hand_over.hpp"
#include "features/login/login.hpp"
#include "features/login/social_guard.hpp"
#include "features/mail/mails.hpp"
#include "features/passwords/confirmation.hpp"
#include "features/passwords/passwords.hpp"
#include "features/published_logs/cosigning.hpp"
#include "features/published_logs/timestamps.hpp"
#include "features/roles/roles.hpp"
#include "features/sessions/guard.hpp"
#include "features/sessions/key_ring.hpp"
#include "features/sessions/sessions.hpp"
#include "features/term_policies/announcements.hpp"
#include "features/term_policies/diffs.hpp"
#include "features/term_policies/term_policies.hpp"
#include "features/two_factor/two_factor.hpp"
#include "features/users/repository.hpp"
#include "storage/cache.hpp"
#include "storage/database.hpp"
#include "storage/object_store.hpp"
#include "storage/shared_clock.hpp"

namespace consentry {

ImportSettings import_settings(const Config& config);
crypto::PasswordEngine wanted_password_engine(const Config& config);
KeySettings key_settings(const TokenConfig& config);
// Throw WrongSettings if CONSENT_LOG_CA_FILE or AUTH_SOCIAL_CA_FILE is used and names no file; do not name the setting.
void look_at_log_ca(const Config& config);
void look_at_social_ca(const Config& config);

class Services {
public:
    // Opens the storage, brings the schema up to date and loads the keys. In APP_ENV=local, generates missing keys and
    // keeps them in the data folder. Throws std::runtime_error naming what cannot be used, or what `before_upgrade`
    // throws.
    Services(const Config& given, const Clock& the_clock, const BeforeUpgrade& before_upgrade = {});

    // The periodic tasks that delete expired data and report counters.
    std::vector<PeriodicTask> clean_up_tasks();
    // Takes in the publications that the consent log lacks, and opens both logs; see PublishedLog::open(). Requires the
    // log.
    awaitable<void> open_logs();
    // The tasks that each need a loop of their own, because none may delay another: the first loop publishes the logs,
    // the others gather what is slower, cosignatures of witnesses and timestamps. Without what the settings turn off.
    std::vector<std::vector<PeriodicTask>> task_loops();
    // Runs all tasks now, those of clean_up_tasks() first.
    awaitable<std::vector<TaskTrouble>> clean_up();

    const Config config;
    Locales locales;

private:
    const std::unique_ptr<storage::Database> database_;
    storage::SharedClock shared_clock_;

public:
    const Clock& clock;

private:
    const std::unique_ptr<storage::Cache> cache_;
    const std::unique_ptr<storage::ObjectStore> object_store_;

    awaitable<void> forget_failed_mails();
    awaitable<void> tell_counted_events();
    awaitable<void> work_on_log();
    awaitable<void> complete_log();  // publications first: an acceptance follows its version
    awaitable<void> complete_publications();

public:
    storage::Database& database;
    storage::Cache& cache;
    storage::ObjectStore& object_store;
    const std::unique_ptr<Files> files;  // null: the store has its own server
    SealedCursors cursors;
    SecurityEventFile security_event_file;
    BoundedEvents bounded_events;
    CountedEvents security_events;
    Audit audit;
    WorkerPool hash_pool;
    WorkerPool signing_pool;
    KeyRing keys;
    Tokens tokens;
    UserRepository users;
    Roles roles;
    ApiKeys api_keys;
    FeatureFlags feature_flags;
    Activity activity;
    Mails mails;
    const std::optional<WitnessPolicy> witnesses;                 // nullopt: the log has none
    const std::unique_ptr<AdministrationLog> administration_log;  // null if the consent log is
    const std::unique_ptr<ConsentLog> consent_log;                // null: turned off by the settings
    const std::unique_ptr<Cosigning> cosigning;                   // null: the log has no witnesses
    const std::unique_ptr<Cosigning> administration_cosigning;    // the same of the administration log
    const std::unique_ptr<Bundles> bundles;                       // null: no consent log
    const std::unique_ptr<Timestamps> timestamps;                 // null: it has no timestamp authority
    Acceptances consents;
    LoggedPublications publications;
    TermPolicies term_policies;
    PolicyDiffs policy_diffs;
    Announcements announcements;
    Sessions sessions;
    SessionGuard session_guard;
    TwoFactor two_factor;
    PasswordHasher hasher;
    Passwords passwords;
    Confirmation confirmation;
    SocialGuard social_guard;
    SocialAccounts social_accounts;
    Login login;
    Profiles profiles;
    Accounts accounts;
    LinkRequests link_requests;
    AccountExport account_export;
    UserImport user_import;
    Administration administration;
    ForwardAuth forward_auth;
    HostCookies host_cookies;
    ForwardAuthGuard forward_auth_guard;
    HandOver hand_over;

private:
    std::atomic<bool> publications_are_complete_ = false;   // the consent log has those from before it
    std::atomic<TimePoint> log_completed_at_{TimePoint{}};  // the beginning of time: not yet
};

}  // namespace consentry
