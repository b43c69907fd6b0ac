#include "features/administration/import/user_import.hpp"

#include <algorithm>
#include <exception>
#include <expected>
#include <map>
#include <ranges>
#include <set>
#include <string_view>

#include "base/best_effort.hpp"
#include "base/both.hpp"
#include "base/errors.hpp"
#include "crypto/password_hash.hpp"
#include "features/activity/repository.hpp"
#include "features/administration/import/checks.hpp"
#include "features/passwords/failure_floor.hpp"

namespace consentry {
namespace {

// Limit of each list in a report, since every row of a file may be wrong.
constexpr std::size_t kept_max = 100'000;
// Limit of hash formats; real exports have one or two.
constexpr std::size_t hash_kinds_max = 16;
// Limit of the roles that the activity log names; it has the number of all.
constexpr std::size_t logged_roles_max = 40;
constexpr std::size_t logged_role_bytes = std::string_view(R"("00000000-0000-7000-8000-000000000000",)").size();
constexpr std::size_t other_facts_bytes = 200;  // two numbers, their names, and what the log adds
static_assert(logged_roles_max * logged_role_bytes + other_facts_bytes <= metadata_bytes_max);
// Longer than any import takes. finish() rejects an import after half of this time, before its rows could be swept.
constexpr std::chrono::hours abandoned_after{24};

void keep(std::vector<RowErrors>& list, std::int64_t& total, std::int64_t row, std::vector<Violation> errors) {
    ++total;
    if (list.size() < kept_max) list.push_back({row, std::move(errors)});
}

}  // namespace

// A single import, from its first row to its last.
class UserImport::Run {
public:
    Run(UserImport& import, ImportSource& source, ImportOptions options)
        : import_(import),
          source_(source),
          options_(std::move(options)),
          begun_(import.clock_.now()),
          id_(ImportId::make(begun_)),
          checks_(import.clock_, import.settings_.username_prefix) {}

    awaitable<Result<ImportReport>> execute() {
        std::exception_ptr failure;
        Result<void> done;
        try {
            done = co_await stage_and_finish();
        } catch (...) {
            failure = std::current_exception();
        }
        if (has_staged_ && !may_be_finishing_) co_await clear_up();
        if (failure) std::rethrow_exception(failure);
        if (!done) co_return std::unexpected(std::move(done.error()));
        co_return std::move(report_);
    }

private:
    struct Candidate {
        StagedUser user;
        Report report;
        std::vector<Violation> notes;
        bool lost_password = false;
        bool username_is_optional = false;
    };

    awaitable<Result<void>> stage_and_finish() {
        // Stages one portion while reading and checking the next.
        for (std::vector<StagedUser> good; !ended_ || !good.empty();) {
            auto [rows, next] = co_await both(stage(std::move(good)), next_portion());
            staged_ += rows;
            if (!next) co_return std::unexpected(std::move(next.error()));
            good = std::move(*next);
        }
        if (report_.refused(options_)) co_return Result<void>{};
        if (options_.dry_run)
            report_.imported = report_.rows - report_.skipped;
        else if (staged_ > 0)
            co_return co_await finish();
        co_return Result<void>{};
    }

    // Returns the valid rows of the next portion; none in a dry run or once the import has failed.
    awaitable<Result<std::vector<StagedUser>>> next_portion() {
        const std::size_t noted = report_.notes.size();
        while (!ended_ && portion_.size() < ImportRepository::portion) {
            auto row = source_.next();
            if (!row) co_return std::unexpected(std::move(row.error()));
            if (!*row) {
                ended_ = true;
                break;
            }
            if (options_.rows_max && report_.rows >= *options_.rows_max)
                co_return fail(errors::file_too_many_rows, {{"max", *options_.rows_max}});
            ++report_.rows;
            co_await take(std::move(**row));
        }
        auto good = co_await acceptable_users();
        std::ranges::sort(report_.notes | std::views::drop(noted), {}, &RowErrors::row);
        if (options_.dry_run || report_.refused(options_)) good.clear();
        co_return good;
    }

    // Returns the number of staged rows.
    awaitable<std::int64_t> stage(std::vector<StagedUser> good) {
        const auto count = std::ssize(good);
        if (count > 0) {
            has_staged_ = true;
            co_await import_.repository_.stage(id_, std::move(good));
        }
        co_return count;
    }

    awaitable<void> take(ImportRow row) {
        if (row.left_out) {
            note(row.number, std::move(row.notes));
            ++report_.skipped;
            co_return;
        }
        if (!row.broken.empty()) {
            note(row.number, std::move(row.notes));
            keep(report_.bad_rows, report_.bad_rows_total, row.number, std::move(row.broken));
            co_return;
        }
        Candidate candidate;
        candidate.user = checks_.check(row, candidate.report);
        candidate.notes = std::move(row.notes);
        candidate.lost_password = row.lost_password;
        candidate.username_is_optional = row.username_is_optional;
        if (row.role) {
            const auto role = co_await find_role(*row.role);
            if (role)
                candidate.user.role_id = *role;
            else
                candidate.report.add(role.error(), "role");
        } else {
            candidate.user.role_id = built_in_role(Role::user);
        }
        portion_.push_back(std::move(candidate));
    }

    void note(std::int64_t row, std::vector<Violation> notes) {
        if (!notes.empty()) keep(report_.notes, report_.notes_total, row, std::move(notes));
    }

    // Returns the role's id, or the rule that it breaks.
    awaitable<std::expected<RoleId, std::string_view>> find_role(std::string name) {
        auto known = roles_by_name_.find(name);
        if (known == roles_by_name_.end()) {
            constexpr std::size_t names_max = 1'000;  // bounds the memory for a file full of unknown roles
            if (roles_by_name_.size() >= names_max) roles_by_name_.clear();
            auto found = co_await import_.roles_.find(name);
            known = roles_by_name_.emplace(std::move(name), std::move(found)).first;
        }
        const auto& role = known->second;
        if (!role) co_return std::unexpected("isRole");
        if (!options_.by.rights().include(role->rights)) co_return std::unexpected("isWithinRights");
        co_return role->id;
    }

    // Returns the values of one kind in the portion that are already in use.
    template <class ValueOf, class Ask>
    awaitable<std::set<std::string>> taken(ValueOf value_of, Ask ask) {
        std::vector<std::string> values;
        for (const Candidate& candidate : portion_)
            if (std::optional<std::string> value = value_of(candidate.user)) values.push_back(std::move(*value));
        std::vector<std::string> found;
        if (!values.empty()) found = co_await ask(std::move(values));
        co_return std::set<std::string>(found.begin(), found.end());
    }

    // Empties the portion. Returns its users against whom nothing speaks.
    awaitable<std::vector<StagedUser>> acceptable_users() {
        std::vector<StagedUser> good;
        if (portion_.empty()) co_return good;
        using Values = std::vector<std::string>;
        auto& repository = import_.repository_;
        const auto emails = co_await taken(
            [](const StagedUser& user) { return user.email.empty() ? std::nullopt : std::optional(user.email); },
            [&](Values values) { return repository.taken_emails(std::move(values)); });
        const auto usernames = co_await taken(
            [](const StagedUser& user) { return user.username_given ? std::optional(user.username) : std::nullopt; },
            [&](Values values) { return repository.taken_usernames(std::move(values)); });
        const auto at_google =
            co_await taken([](const StagedUser& user) { return user.google_subject; },
                           [&](Values values) { return repository.taken_subjects("google", std::move(values)); });
        const auto at_apple =
            co_await taken([](const StagedUser& user) { return user.apple_subject; },
                           [&](Values values) { return repository.taken_subjects("apple", std::move(values)); });

        for (auto& [user, report, notes, lost_password, username_is_optional] : portion_) {
            const bool exists = emails.contains(user.email);
            if (exists) {
                ++report_.existing_total;
                if (report_.existing.size() < kept_max) report_.existing.push_back(user.email);
            }
            // A skipped account may well be the one that holds the username and identities.
            const bool skipped = exists && options_.skip_existing;
            if (!skipped) {
                if (user.username_given && usernames.contains(user.username)) {
                    if (!username_is_optional)
                        report.add("isAvailable", "username");
                    else if (!exists)
                        checks_.replace_username(user, notes);
                }
                note(user.row, std::move(notes));
                if (user.google_subject && at_google.contains(*user.google_subject))
                    report.add("isAvailable", "googleSubject");
                if (user.apple_subject && at_apple.contains(*user.apple_subject))
                    report.add("isAvailable", "appleSubject");
            }
            if (!report.empty()) {
                keep(report_.bad_rows, report_.bad_rows_total, user.row, report.take());
            } else if (skipped) {
                ++report_.skipped;
            } else {
                if (lost_password) ++report_.passwords_lost;
                note_content(user);
                good.push_back(std::move(user));
            }
        }
        portion_.clear();
        if (options_.progress) options_.progress({.rows = report_.rows, .fraction = source_.progress()});
        co_return good;
    }

    void note_content(const StagedUser& user) {
        content_.hashes |= user.password_hash.has_value();
        if (user.password_hash && content_.hash_kinds.size() < hash_kinds_max)
            content_.hash_kinds.insert(crypto::password_kind(*user.password_hash));
        content_.google_subjects |= user.google_subject.has_value();
        content_.apple_subjects |= user.apple_subject.has_value();
        roles_.insert(user.role_id);
    }

    boost::json::object facts() const {
        boost::json::array roles;
        for (const RoleId role : roles_ | std::views::take(logged_roles_max)) roles.emplace_back(role.text());
        return {{"rows", staged_}, {"roles", roles_.size()}, {"roleIds", std::move(roles)}};
    }

    awaitable<Result<void>> finish() {
        const TimePoint now = import_.clock_.now();
        if (now - begun_ > abandoned_after / 2) throw Unavailable("import: took too long and was abandoned");
        if (options_.progress) options_.progress({.rows = report_.rows, .fraction = 1.0, .finishing = true});
        const ImportSettings& settings = import_.settings_;
        co_await FailureFloor::record(import_.database_, content_.hash_kinds, now);
        PrivilegedTransaction transaction(options_.by, now);
        ImportRepository::add_roles_exist(transaction, id_);
        const std::size_t made_at = transaction.size();
        ImportRepository::add_finish(
            transaction, id_,
            {.sign_up_from = options_.sign_up_from,
             .password_expires_at =
                 settings.password_expiry.count() == 0 ? std::nullopt : std::optional(now + settings.password_expiry),
             .history_expires_at = now + settings.reuse_barred,
             .now = now},
            content_, options_.skip_existing);
        Audit::add_by(transaction, options_.by, ActivityAction::admin_user_import, options_.cause, now, facts());
        Result<storage::Outcome> outcome;
        std::exception_ptr trouble;
        try {
            outcome = co_await commit(std::move(transaction));
        } catch (const storage::OutcomeUnknown&) {
            throw;
        } catch (const Unavailable&) {
            trouble = std::current_exception();
        }
        // An account whose role was deleted after the first statement breaks a constraint.
        if (trouble) co_return co_await tell_deleted_role(std::move(trouble));
        if (!outcome) co_return fail(std::move(outcome.error()));
        if (!outcome->committed && outcome->failed_at < made_at)
            co_return co_await tell_deleted_role(
                std::make_exception_ptr(Unavailable("import: a role was deleted meanwhile; nothing was imported")));
        if (!outcome->committed) {
            // Another request took an address, username or identity between the check of a row and this statement.
            report_.existing = co_await import_.repository_.staged_and_taken(id_, kept_max);
            report_.existing_total = static_cast<std::int64_t>(report_.existing.size());
            // Users do not choose usernames here: only another import can have taken one, and the next attempt sees it.
            if (report_.existing.empty() || options_.skip_existing)
                throw Unavailable("import: a username or an identity was taken meanwhile; nothing was imported");
            co_return Result<void>{};
        }
        report_.imported = outcome->results.at(made_at).affected();
        report_.skipped += staged_ - report_.imported;
        import_.audit_.tell("account.imported", Outcome::success, std::nullopt, options_.cause,
                            {{"rows", std::to_string(report_.imported)}});
        co_return Result<void>{};
    }

    // Another request may have deleted a role since a row was checked. If none did, the trouble is another one.
    awaitable<Result<void>> tell_deleted_role(std::exception_ptr trouble) {
        const auto rows = co_await best_effort([&] { return import_.repository_.staged_without_role(id_, kept_max); });
        if (!rows || rows->empty()) std::rethrow_exception(trouble);
        for (const std::int64_t row : *rows) {
            Report report;
            report.add("isRole", "role");
            keep(report_.bad_rows, report_.bad_rows_total, row, report.take());
        }
        co_return Result<void>{};
    }

    // If the outcome is unknown, the database may still be reading the staged rows. Without them it would go on to make
    // accounts that lack identities and password histories.
    awaitable<Result<storage::Outcome>> commit(PrivilegedTransaction transaction) {
        try {
            co_return co_await std::move(transaction).commit(import_.database_);
        } catch (const storage::OutcomeUnknown& unknown) {
            may_be_finishing_ = true;
            throw storage::OutcomeUnknown(
                std::string("import: it is unknown whether the accounts were created; a dry run tells whether they "
                            "exist: ") +
                unknown.what());
        }
    }

    // If the database is down, the staged rows are swept later.
    awaitable<void> clear_up() {
        co_await best_effort([&] { return import_.repository_.erase(id_); });
    }

    UserImport& import_;
    ImportSource& source_;
    const ImportOptions options_;
    const TimePoint begun_;
    const ImportId id_;
    ImportChecks checks_;
    ImportReport report_;
    std::vector<Candidate> portion_;
    bool ended_ = false;
    std::map<std::string, std::optional<RoleRecord>, std::less<>> roles_by_name_;
    ImportContent content_;
    std::set<RoleId> roles_;   // that its rows assign
    bool has_staged_ = false;  // or tried to
    bool may_be_finishing_ = false;
    std::int64_t staged_ = 0;
};

UserImport::UserImport(storage::Database& database, Roles& roles, const Clock& clock, Audit audit,
                       ImportSettings settings)
    : database_(database),
      repository_(database),
      roles_(roles),
      clock_(clock),
      audit_(audit),
      settings_(std::move(settings)) {}

awaitable<Result<ImportReport>> UserImport::run(ImportSource& source, ImportOptions options) {
    Run run(*this, source, std::move(options));
    auto report = co_await run.execute();
    co_return report;
}

awaitable<void> UserImport::forget_abandoned() {
    return repository_.erase_begun_before(clock_.now() - abandoned_after);
}

}  // namespace consentry
