// Erases the deleted accounts of a service through another database, such as one that counts or fails.
#pragma once

#include "app/app.hpp"
#include "tests/support/service.hpp"

namespace consentry::tests {

// The account management of the service, on this database, which must outlive it.
inline Accounts accounts_on(storage::Database& database, Service& service) {
    Services& services = service.app().services();
    return {database,
            service.clock(),
            services.two_factor,
            services.passwords,
            services.consents,
            services.mails,
            services.audit,
            {.verification = {}, .erase_after = std::chrono::days{30}, .acts_are_logged = true}};
}

}  // namespace consentry::tests
