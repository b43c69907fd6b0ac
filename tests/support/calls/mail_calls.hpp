// Helpers for the tests of mails.
#pragma once

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "app/app.hpp"
#include "tests/support/run.hpp"
#include "tests/support/service.hpp"

namespace consentry::tests {

// Enqueues a mail as a feature does, here in its own transaction. Returns whether it was committed.
inline bool write_mail(App& app, UserId to, MailKind kind, MailFacts facts = {}) {
    auto& services = app.services();
    storage::Transaction transaction;
    services.mails.add(transaction, to, kind, std::move(facts), services.clock.now());
    return run(services.database.commit(std::move(transaction))).committed;
}
inline bool write_mail(Service& service, const Person& to, MailKind kind, MailFacts facts = {}) {
    return write_mail(service.app(), to.id, kind, std::move(facts));
}

inline std::string rows_of_mails(const Service& service, const std::string& condition = "1 = 1") {
    return service.sql("SELECT COUNT(*) FROM mails WHERE " + condition).at(0).at(0);
}

inline Answer change_password(const Service& service, const Person& person, const std::string& new_password) {
    return service.patch("/api/shared/user/change-password",
                         {{"oldPassword", person.password}, {"newPassword", new_password}},
                         bearer(service.tokens_of(person).access));
}

}  // namespace consentry::tests
