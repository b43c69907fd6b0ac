#include "features/sessions/key_rotation.hpp"

#include <utility>

#include <boost/json/array.hpp>

#include "features/activity/audit.hpp"

namespace consentry {

storage::awaitable<void> record_key_rotation(storage::Database& database, std::vector<TokenKind> kinds, TimePoint now) {
    boost::json::array names;
    for (const TokenKind kind : kinds) names.emplace_back(name_of(kind));
    storage::Transaction transaction;
    Audit::add_act(transaction, std::nullopt, ActivityAction::admin_keys_rotate, {}, now, {{"keys", std::move(names)}});
    const auto outcome = co_await database.commit(std::move(transaction));
    if (!outcome.committed) throw Unavailable("the rotation of the keys was not recorded");
}

}  // namespace consentry
