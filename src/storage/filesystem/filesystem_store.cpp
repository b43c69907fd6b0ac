#include "storage/filesystem/filesystem_store.hpp"

#include <stdexcept>

namespace consentry::storage {
namespace {

constexpr milliseconds call_time_max{30'000};

void require_key(std::string_view key) {
    if (!is_object_key(key)) throw std::logic_error("object store: not a key");
}

// Runs from now and not from when a worker starts, because callers rely on longest_call() from here on.
ObjectFolder::Deadline deadline_of_call() { return std::chrono::steady_clock::now() + call_time_max; }

std::string mime_of(std::string_view key) { return key.ends_with(".hbs") ? "text/x-handlebars-template" : ""; }

}  // namespace

FilesystemStore::FilesystemStore(const FilesystemOptions& options)
    : folder_(options.folder),
      addresses_(options.public_url, options.secrets),
      pool_({.name = "files", .threads = 2, .queue_max = 1'024}) {}

awaitable<std::optional<ObjectFacts>> FilesystemStore::head(Area area, std::string key) {
    require_key(key);
    const auto size = co_await pool_.run([this, area, key] { return folder_.size(area, key); });
    if (!size) co_return std::nullopt;
    co_return ObjectFacts{.size = *size, .mime = mime_of(key)};
}

awaitable<std::optional<Object>> FilesystemStore::get(Area area, std::string key, std::size_t bytes_max) {
    require_key(key);
    co_return co_await pool_.run(
        [this, area, key = std::move(key), bytes_max] { return folder_.get(area, key, bytes_max); });
}

awaitable<void> FilesystemStore::put(Area area, std::string key, std::string bytes, std::string) {
    require_key(key);
    const auto deadline = deadline_of_call();
    co_await pool_.run([this, area, key = std::move(key), bytes = std::move(bytes), deadline] {
        folder_.put(area, key, bytes, deadline);
        return true;
    });
}

awaitable<void> FilesystemStore::put_compressed(Area area, std::string key, std::string bytes, std::string) {
    require_key(key);
    const auto deadline = deadline_of_call();
    co_await pool_.run([this, area, key = std::move(key), bytes = std::move(bytes), deadline] {
        folder_.put_compressed(area, key, bytes, deadline);
        return true;
    });
}

awaitable<void> FilesystemStore::erase(Area area, std::string key) {
    require_key(key);
    const auto deadline = deadline_of_call();
    co_await pool_.run([this, area, key = std::move(key), deadline] {
        folder_.erase(area, key, deadline);
        return true;
    });
}

milliseconds FilesystemStore::longest_call() const { return call_time_max; }

std::string FilesystemStore::address_to_get(const std::string& key, TimePoint, TimePoint until) const {
    require_key(key);
    return addresses_.to_get(key, until);
}

std::string FilesystemStore::address_to_put(const std::string& key, const std::string& mime, std::uint64_t size,
                                            TimePoint, TimePoint until) const {
    require_key(key);
    return addresses_.to_put(key, mime, size, until);
}

std::string FilesystemStore::public_address(const std::string& key) const {
    require_key(key);
    return addresses_.to_public(key);
}

std::string FilesystemStore::area_name(Area area) const { return area == Area::private_area ? "private" : "public"; }

awaitable<void> FilesystemStore::ping(Area area) {
    co_await pool_.run([this, area] {
        folder_.ping(area);
        return true;
    });
}

}  // namespace consentry::storage
