// Wrappers around a real store and a real database for provoking faults. A callback runs before each call: it may
// throw, end the process, wait, or act behind the service's back. One after each commit may lose the answer to it.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "storage/database.hpp"
#include "storage/object_store.hpp"

namespace consentry::tests {

using storage::awaitable;

// Receives the name of the call: "get", "put", "erase", "commit", "read", "write" ...
using BeforeCall = std::function<void(std::string_view call)>;

class FaultyStore : public storage::ObjectStore {
public:
    // `real` must outlive this object. before_each() may replace the callback between calls.
    FaultyStore(storage::ObjectStore& real, BeforeCall before) : real_(real), before_(std::move(before)) {}
    void before_each(BeforeCall before) { before_ = std::move(before); }

    awaitable<std::optional<storage::ObjectFacts>> head(storage::Area area, std::string key) override {
        before_("head");
        co_return co_await real_.head(area, std::move(key));
    }
    awaitable<std::optional<storage::Object>> get(storage::Area area, std::string key, std::size_t bytes_max) override {
        before_("get");
        co_return co_await real_.get(area, std::move(key), bytes_max);
    }
    awaitable<void> put(storage::Area area, std::string key, std::string bytes, std::string mime) override {
        before_("put");
        co_await real_.put(area, std::move(key), std::move(bytes), std::move(mime));
    }
    awaitable<void> put_compressed(storage::Area area, std::string key, std::string bytes, std::string mime) override {
        before_("put");
        co_await real_.put_compressed(area, std::move(key), std::move(bytes), std::move(mime));
    }
    awaitable<void> erase(storage::Area area, std::string key) override {
        before_("erase");
        co_await real_.erase(area, std::move(key));
    }
    milliseconds longest_call() const override { return real_.longest_call(); }
    std::string address_to_get(const std::string& key, TimePoint now, TimePoint until) const override {
        return real_.address_to_get(key, now, until);
    }
    std::string address_to_put(const std::string& key, const std::string& mime, std::uint64_t size, TimePoint now,
                               TimePoint until) const override {
        return real_.address_to_put(key, mime, size, now, until);
    }
    std::string public_address(const std::string& key) const override { return real_.public_address(key); }
    std::string area_name(storage::Area area) const override { return real_.area_name(area); }
    void check() override { real_.check(); }
    awaitable<void> ping(storage::Area area) override { return real_.ping(area); }

private:
    storage::ObjectStore& real_;
    BeforeCall before_;
};

class FaultyDatabase final : public storage::Database {
public:
    FaultyDatabase(
        storage::Database& real, BeforeCall before, std::function<void()> after_commit = [] {})
        : real_(real), before_(std::move(before)), after_commit_(std::move(after_commit)) {}

    awaitable<void> ping() override { return real_.ping(); }
    void migrate(const std::vector<storage::Migration>& migrations) override { real_.migrate(migrations); }
    bool upgrade_is_due(const std::vector<storage::Migration>& migrations) override {
        return real_.upgrade_is_due(migrations);
    }

protected:
    awaitable<storage::Outcome> apply(storage::Transaction transaction) override {
        before_("commit");
        auto outcome = co_await real_.commit(std::move(transaction));
        after_commit_();
        co_return outcome;
    }
    awaitable<storage::Rows> read(std::string_view sql, storage::Params params) override {
        before_("read");
        co_return co_await real_.query_with(sql, std::move(params));
    }
    awaitable<storage::Rows> search(std::string_view sql, storage::Params params) override {
        before_("search");
        co_return co_await real_.search_with(sql, std::move(params));
    }
    awaitable<storage::Rows> write(storage::Statement statement) override {
        before_("write");
        storage::Transaction alone;
        alone.add(std::move(statement));
        auto outcome = co_await real_.commit(std::move(alone));
        if (!outcome.committed) throw storage::UniqueViolation("a statement of its own");
        co_return std::move(outcome.results.front());
    }

private:
    storage::Database& real_;
    BeforeCall before_;
    std::function<void()> after_commit_;
};

}  // namespace consentry::tests
