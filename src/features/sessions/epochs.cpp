#include "features/sessions/epochs.hpp"

#include <stdexcept>

#include "crypto/totp.hpp"
#include "features/activity/audit.hpp"
#include "storage/columns.hpp"

namespace consentry {
namespace {

using storage::column;
using storage::columns;
using storage::sql;

// Counts what was valid until then. $1 and $2 are the epochs of grants and of API keys.
constexpr auto ended_columns = columns<EndedGrants>(
    column<"(SELECT count(*) FROM sessions WHERE epoch = $1 AND revoked_at IS NULL AND expires_at > $3)",
           &EndedGrants::sessions>,
    column<"(SELECT count(*) FROM account_tokens WHERE epoch = $1 AND expires_at > $3)", &EndedGrants::links>,
    column<"(SELECT count(*) FROM backup_codes WHERE epoch = $1)", &EndedGrants::backup_codes>,
    column<"(SELECT count(*) FROM api_keys WHERE epoch = $2 AND is_active)", &EndedGrants::api_keys>);

}  // namespace

awaitable<RaisedEpoch> Epochs::raise(bool keep_api_keys, TimePoint now) {
    const crypto::TotpSettings totp;
    const std::int64_t newest_step = crypto::totp_step(now, totp) + totp.window;
    const auto before = co_await database_.query("SELECT e.grants, e.api_keys FROM epochs e");
    // Set to the current time rather than incremented: after an older backup is restored, the next number may already
    // be in use by grants made after that backup, such as a challenge still in the cache.
    storage::Transaction transaction;
    transaction.add(storage::Expect::any,
                    "UPDATE epochs SET grants = CASE WHEN grants < $1 THEN $1 ELSE grants + 1 END, "
                    "api_keys = CASE WHEN $2 THEN api_keys WHEN api_keys < $1 THEN $1 ELSE api_keys + 1 END, "
                    "raised_at = CASE WHEN raised_at < $1 THEN $1 ELSE raised_at END, "
                    "last_step = CASE WHEN last_step < $3 THEN $3 ELSE last_step END WHERE id = 1 RETURNING grants",
                    now, keep_api_keys, newest_step);
    Audit::add_act(transaction, std::nullopt, ActivityAction::admin_epoch_raise, {}, now,
                   {{"apiKeys", keep_api_keys ? "kept" : "ended"}});
    const auto outcome = co_await database_.commit(std::move(transaction));
    const storage::Rows raised = outcome.committed ? outcome.results.front() : storage::Rows();
    if (before.empty() || raised.empty())
        throw std::runtime_error("the database has no epoch; its only row is missing");
    RaisedEpoch out{.epoch = raised[0].integer(0), .former_grants = before[0].integer(0)};
    if (!keep_api_keys) out.former_api_keys = before[0].integer(1);
    co_return out;
}

awaitable<EndedGrants> Epochs::count_ended(RaisedEpoch raised, TimePoint now) {
    const auto counts = co_await database_.search_with(
        sql<"SELECT ", ended_columns>, storage::bind_all(raised.former_grants, raised.former_api_keys, now));
    co_return ended_columns.read(counts[0]);
}

}  // namespace consentry
