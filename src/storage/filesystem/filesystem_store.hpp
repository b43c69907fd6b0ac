// The object store in a local folder. This service itself serves its addresses.
//
// As durable as the disk: the file is synced before it is renamed into place, and so is every folder on its path, the
// last one after the rename. Several processes may share one folder. The object's name determines its MIME type.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/worker_pool.hpp"
#include "storage/filesystem/object_folder.hpp"
#include "storage/filesystem/presigned_addresses.hpp"
#include "storage/object_store.hpp"

namespace consentry::storage {

struct FilesystemOptions {
    std::filesystem::path folder;
    std::string public_url;            // of the service, without a trailing slash
    std::vector<std::string> secrets;  // sign addresses: the first one signs, all verify
};

class FilesystemStore final : public ObjectStore {
public:
    // Throws std::runtime_error if the folder cannot be created.
    explicit FilesystemStore(const FilesystemOptions& options);

    awaitable<std::optional<ObjectFacts>> head(Area area, std::string key) override;
    awaitable<std::optional<Object>> get(Area area, std::string key, std::size_t bytes_max) override;
    awaitable<void> put(Area area, std::string key, std::string bytes, std::string mime) override;
    awaitable<void> put_compressed(Area area, std::string key, std::string bytes, std::string mime) override;
    awaitable<void> erase(Area area, std::string key) override;

    milliseconds longest_call() const override;

    std::string address_to_get(const std::string& key, TimePoint now, TimePoint until) const override;
    std::string address_to_put(const std::string& key, const std::string& mime, std::uint64_t size, TimePoint now,
                               TimePoint until) const override;
    std::string public_address(const std::string& key) const override;
    const OwnAddresses* own_addresses() const override { return &addresses_; }
    std::string area_name(Area area) const override;

    void check() override { folder_.check(); }
    awaitable<void> ping(Area area) override;

private:
    ObjectFolder folder_;
    PresignedAddresses addresses_;
    WorkerPool pool_;  // disks may be slow: never on an I/O thread
};

}  // namespace consentry::storage
