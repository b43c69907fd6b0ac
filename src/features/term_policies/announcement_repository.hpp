// The SQL of announcements: which published documents users are still told of, and how far that has come.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/locales.hpp"
#include "features/term_policies/policy.hpp"
#include "storage/database.hpp"

namespace consentry {

using storage::awaitable;

class AnnouncementRepository {
public:
    explicit AnnouncementRepository(storage::Database& database) : database_(database) {}

    struct Open {
        TermPolicyId policy;
        TermPolicyId latest;  // the published version that users must accept by now
        std::optional<UserId> after;
        TimePoint created_at;
    };
    struct Reader {
        UserId id;
        Language language = Language::en;
    };
    // Some of those who are written to, and where the rest begins, if there may be one.
    struct Readers {
        std::vector<Reader> found;
        std::optional<UserId> next_after;
    };

    // Replaces the announcements of lower versions. Does nothing if users need not accept the version.
    static void add_insert(storage::Transaction& transaction, TermPolicyId policy, TimePoint now);
    // nullopt also while `untried_max` mails of announcements wait for their first attempt.
    awaitable<std::optional<Open>> next(std::int64_t untried_max);
    // Looks at the next thousand accounts.
    awaitable<Readers> readers_in_portion(UserId after, TimePoint announced_at, std::int64_t limit);
    // Records that everybody up to `next_after` has been written to, or everybody at all. Expect::one: no other
    // instance has done so since, and `latest` is still the latest version.
    static void add_progress(storage::Transaction& transaction, const Open& open, const TermPolicy& latest,
                             std::optional<UserId> next_after);

private:
    storage::Database& database_;
};

}  // namespace consentry
