// Tells users by mail that a document was published. The publication records the announcement; the mail thread writes
// the mails between others.
//
// A million mails at once would delay a password link by hours. Mails are therefore written in portions of a hundred
// accounts, and only while fewer than a hundred of them are waiting.
#pragma once

#include <optional>
#include <string>

#include "features/mail/mails.hpp"
#include "features/term_policies/announcement_repository.hpp"
#include "features/term_policies/repository.hpp"
#include "storage/object_store.hpp"

namespace consentry {

class Announcements {
public:
    // All arguments must outlive this. `pages`: the URL of the pages, without trailing slash; nullopt if they are off.
    Announcements(storage::Database& database, const storage::ObjectStore& store, const Clock& clock, Mails& mails,
                  PolicyPaths paths, std::optional<std::string> pages)
        : database_(database),
          announcements_(database),
          repository_(database),
          store_(store),
          clock_(clock),
          mails_(mails),
          paths_(std::move(paths)),
          pages_(std::move(pages)) {}

    // Writes the next portion of mails if one is due, about the version that is the latest of its type by then. Safe to
    // call on any number of instances at once: each account gets one mail.
    awaitable<void> work_off();

private:
    awaitable<AnnouncementRepository::Readers> readers(AnnouncementRepository::Open announcement);
    std::string address_of(const TermPolicy& policy, Language wanted) const;

    storage::Database& database_;
    AnnouncementRepository announcements_;
    TermPolicyRepository repository_;
    const storage::ObjectStore& store_;
    const Clock& clock_;
    Mails& mails_;
    const PolicyPaths paths_;
    const std::optional<std::string> pages_;
};

}  // namespace consentry
