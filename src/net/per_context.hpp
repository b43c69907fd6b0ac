// One T for each io_context that asks for one: what a thread keeps of a remote part (connections, buffers), so that
// nothing of it is shared between threads.
//
// Made at the first use, gone with the io_context or with this object, whichever ends first. While this object is
// destroyed no io_context may run work of its T any more. T is held by std::shared_ptr: its own pending operations may
// keep it until the io_context is gone, so T must not refer to anything that ends with this object.
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

// The shelves that hold something of one PerContext.
struct ShelfList {
    std::mutex mutex;
    std::vector<ContextShelf*> shelves;
};

// Everything that PerContext objects keep with one io_context. Touched by the context's thread alone, but for its end.
class ContextShelf : public asio::execution_context::service {
public:
    using key_type = ContextShelf;
    inline static asio::execution_context::id id;  // how Asio finds the service

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
    // The owner ends; it holds its list's lock.
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

    // On a thread that runs the executor's io_context, which one thread alone may run.
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
