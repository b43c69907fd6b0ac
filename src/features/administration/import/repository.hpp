// The SQL of imports.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "features/users/actor.hpp"
#include "storage/database.hpp"

namespace consentry {

using storage::awaitable;
using ImportId = Id<struct ImportTag>;

// A row that has passed the checks.
struct StagedUser : UserSummary {
    std::int64_t row = 0;
    bool username_given = false;  // false: the service generated it
    std::optional<std::string> password_hash;
    std::optional<std::string> google_subject;
    std::optional<std::string> apple_subject;
};

// The values that all accounts of an import share.
struct ImportedAlike {
    SignUpFrom sign_up_from = SignUpFrom::system;
    std::optional<TimePoint> password_expires_at;
    TimePoint history_expires_at;
    TimePoint now;
};

// What the rows contain, so that the final transaction skips statements that would find nothing while other writers
// wait.
struct ImportContent {
    bool hashes = false;
    std::set<std::string> hash_kinds = {};  // results of crypto::password_kind; the first ones if there are many
    bool google_subjects = false;
    bool apple_subjects = false;
};

class ImportRepository {
public:
    static constexpr std::size_t portion = 512;  // a multiple of the rows staged by one statement
    explicit ImportRepository(storage::Database& database) : database_(database) {}

    // Both return those of `values` that are in use. At most `portion` values.
    awaitable<std::vector<std::string>> taken_emails(std::vector<std::string> values);
    awaitable<std::vector<std::string>> taken_usernames(std::vector<std::string> values);
    awaitable<std::vector<std::string>> taken_subjects(std::string_view provider, std::vector<std::string> values);

    awaitable<void> stage(ImportId import, std::vector<StagedUser> users);
    // Expect::none: a staged row whose role no longer exists. Holds no role, because other requests would then wait for
    // the whole import: each new account keeps its role from being deleted.
    static void add_roles_exist(PrivilegedTransaction& transaction, ImportId import);
    // Adds the statements that create accounts from all staged rows; the result of the first one tells how many. The
    // commit fails on that statement if an address or username has been taken in the meantime. With `skip_existing`,
    // taken addresses are skipped instead.
    static void add_finish(PrivilegedTransaction& transaction, ImportId import, ImportedAlike alike,
                           ImportContent content, bool skip_existing);
    // Returns staged addresses that belong to an account which this import did not create.
    awaitable<std::vector<std::string>> staged_and_taken(ImportId import, std::int64_t limit);
    // Returns the numbers of staged rows whose role no longer exists.
    awaitable<std::vector<std::int64_t>> staged_without_role(ImportId import, std::int64_t limit);
    awaitable<void> erase(ImportId import);
    awaitable<void> erase_begun_before(TimePoint before);

private:
    storage::Database& database_;
};

}  // namespace consentry
