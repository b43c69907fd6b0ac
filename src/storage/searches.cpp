#include "storage/searches.hpp"

#include <utility>

namespace consentry::storage {

Searches::~Searches() { ended_.store(true, std::memory_order_relaxed); }

awaitable<Rows> Searches::run(Search search) {
    // Low priority: a search must not delay logins.
    std::call_once(begun_, [this] {
        thread_.emplace(WorkerPool::Options{.name = "search", .threads = 1, .queue_max = 16, .nice = 10});
    });
    co_return co_await thread_->run([search = std::move(search), patience = Patience(ended_)]() mutable {
        if (patience.is_over()) throw Unavailable("search: too many at once");
        return search(patience);
    });
}

}  // namespace consentry::storage
