// One T per io_context: per-thread state of a remote dependency (connections, buffers), so that threads share nothing.
//
// A T is created at first use and destroyed with the io_context or with this object, whichever ends first. While this
// object is being destroyed, no io_context may still run work of its T. A std::shared_ptr holds T: pending operations
// may keep it alive until the io_context is gone, so T must not refer to anything that is destroyed with this object.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/query.hpp>

namespace consentry {

namespace asio = boost::asio;

namespace detail {

class ContextShelf;

// The shelves that hold a value of one PerContext.
struct ShelfList {
    std::mutex mutex;
    std::vector<ContextShelf*> shelves;
};

// All values that PerContext objects keep for one io_context. Accessed only by the context's thread, except for its
// destruction.
class ContextShelf : public asio::execution_context::service {
public:
    using key_type = ContextShelf;
    inline static asio::execution_context::id id;  // required by Asio's service lookup

    explicit ContextShelf(asio::execution_context& context) : service(context) {}

    void* find(const ShelfList* owner) const {
        for (const Entry& entry : entries_)
            if (entry.owner.get() == owner) return entry.object.get();
        return nullptr;
    }
    void add(const std::shared_ptr<ShelfList>& owner, std::shared_ptr<void> object) {
        entries_.push_back({owner, std::move(object)});
        const std::lock_guard lock(owner->mutex);
        owner->shelves.push_back(this);
    }
    // Called when the owner is destroyed; the owner holds its list's lock.
    void remove(const ShelfList* owner) {
        std::erase_if(entries_, [&](const Entry& entry) { return entry.owner.get() == owner; });
    }

private:
    struct Entry {
        std::shared_ptr<ShelfList> owner;
        std::shared_ptr<void> object;
    };
    void shutdown() override {
        for (const Entry& entry : entries_) {
            const std::lock_guard lock(entry.owner->mutex);
            std::erase(entry.owner->shelves, this);
        }
        entries_.clear();
    }

    std::vector<Entry> entries_;
};

}  // namespace detail

template <class T>
class PerContext {
public:
    using Make = std::function<std::shared_ptr<T>(asio::any_io_executor)>;

    explicit PerContext(Make make) : make_(std::move(make)), list_(std::make_shared<detail::ShelfList>()) {}
    PerContext(const PerContext&) = delete;
    PerContext& operator=(const PerContext&) = delete;
    ~PerContext() {
        const std::lock_guard lock(list_->mutex);
        for (detail::ContextShelf* shelf : list_->shelves) shelf->remove(list_.get());
    }

    // Must be called on the thread that runs the executor's io_context; only one thread may run it.
    T& of(const asio::any_io_executor& executor) {
        auto& context = asio::query(executor, asio::execution::context);
        auto& shelf = asio::use_service<detail::ContextShelf>(context);
        if (void* found = shelf.find(list_.get())) return *static_cast<T*>(found);
        std::shared_ptr<T> made = make_(executor);
        T& out = *made;
        shelf.add(list_, std::move(made));
        return out;
    }

private:
    const Make make_;
    const std::shared_ptr<detail::ShelfList> list_;
};

}  // namespace consentry
