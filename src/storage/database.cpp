#include "storage/database.hpp"

#include <algorithm>
#include <exception>

namespace consentry::storage {

void Database::listen(const Topic& topic, Listener listener) { listeners_[&topic] = std::move(listener); }

awaitable<Outcome> Database::commit(Transaction transaction) {
    const auto& statements = transaction.statements();
    if (std::ranges::none_of(statements, [](const Statement& statement) { return statement.topic != nullptr; }))
        return apply(std::move(transaction));
    std::vector<const Topic*> topics;
    topics.reserve(statements.size());
    for (const Statement& statement : statements) topics.push_back(statement.topic);
    return apply_and_tell(std::move(transaction), std::move(topics));
}

awaitable<Outcome> Database::apply_and_tell(Transaction transaction, std::vector<const Topic*> topics) {
    Outcome outcome = co_await apply(std::move(transaction));
    if (!outcome.committed) co_return outcome;
    for (std::size_t i = 0; i < topics.size(); ++i) {
        if (topics[i] == nullptr || outcome.results.at(i).empty()) continue;
        const auto listener = listeners_.find(topics[i]);
        if (listener == listeners_.end() || !listener->second) continue;
        try {
            co_await listener->second(outcome.results[i]);
        } catch (const std::exception&) {  // the commit stands even if a listener fails
        }
    }
    co_return outcome;
}

}  // namespace consentry::storage
