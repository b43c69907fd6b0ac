// Storage, pools and features, wired: everything of the service but its listening side. Commands use it as it is.
//
// A member may use the members above it and nothing else, so that construction and destruction order are both right.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/config/config.hpp"
#include "base/clock.hpp"
#include "base/locales.hpp"
#include "base/worker_pool.hpp"
#include "features/login/login.hpp"
#include "features/passwords/passwords.hpp"
#include "features/sessions/guard.hpp"
#include "features/sessions/key_ring.hpp"
#include "features/sessions/sessions.hpp"
#include "features/two_factor/two_factor.hpp"
#include "features/users/repository.hpp"
#include "storage/cache.hpp"
#include "storage/database.hpp"

namespace consentry {

class Services {
public:
    // Opens the storage, brings the schema up to date, loads the keys. In APP_ENV=local, keys that are missing are made
    // and kept in the data folder. Throws std::runtime_error naming what is unfit.
    Services(const Config& config, const Clock& clock);

    // Deletes what nobody can need any more: sessions long over, failures of unknown addresses.
    awaitable<void> clean_up();

    const Config config;
    const Clock& clock;
    Locales locales;

private:
    const std::unique_ptr<storage::Database> database_;
    const std::unique_ptr<storage::Cache> cache_;

public:
    storage::Database& database;
    storage::Cache& cache;
    WorkerPool hash_pool;
    WorkerPool signing_pool;
    KeyRing keys;
    Tokens tokens;
    UserRepository users;
    Sessions sessions;
    SessionGuard session_guard;
    TwoFactor two_factor;
    PasswordHasher hasher;
    Passwords passwords;
    Login login;
};

}  // namespace consentry
