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

// A row that was checked.
struct StagedUser {
    std::int64_t row = 0;
    UserId id;
    std::string email;
    std::string username;
    bool username_given = false;  // rather than made up
    std::optional<std::string> name;
    RoleId role_id;
    UserStatus status = UserStatus::active;
    bool is_verified = false;
    Language language = Language::en;
    std::optional<std::string> password_hash;
    std::optional<std::string> google_subject;
    std::optional<std::string> apple_subject;
    TimePoint created_at;
};

// What all accounts of an import get alike.
struct ImportedAlike {
    SignUpFrom sign_up_from = SignUpFrom::system;
    std::optional<TimePoint> password_expires_at;
    TimePoint history_expires_at;
    TimePoint now;
};

// What its rows have, so that nothing is looked for in vain while others wait to write.
struct ImportContent {
    bool hashes = false;
    std::set<std::string> hash_kinds = {};  // crypto::password_kind; the first of many
    bool google_subjects = false;
    bool apple_subjects = false;
};

class ImportRepository {
public:
    static constexpr std::size_t portion = 512;  // a multiple of the rows that one statement stages
    explicit ImportRepository(storage::Database& database) : database_(database) {}

    // Those of `values` that are somebody's; as many as the largest portion.
    awaitable<std::vector<std::string>> taken_emails(std::vector<std::string> values);
    awaitable<std::vector<std::string>> taken_usernames(std::vector<std::string> values);
    awaitable<std::vector<std::string>> taken_subjects(std::string_view provider, std::vector<std::string> values);

    awaitable<void> stage(ImportId import, std::vector<StagedUser> users);
    // The statements that make accounts of everything staged; the first one tells how many. On commit: fails on it
    // where an address or name is taken meanwhile; with `skip_existing` such addresses are passed over.
    static void add_finish(PrivilegedTransaction& transaction, ImportId import, ImportedAlike alike,
                           ImportContent content, bool skip_existing);
    // Staged addresses that have an account which the import did not make.
    awaitable<std::vector<std::string>> staged_and_taken(ImportId import, std::int64_t limit);
    awaitable<void> erase(ImportId import);
    awaitable<void> erase_begun_before(TimePoint before);

private:
    storage::Database& database_;
};

}  // namespace consentry
