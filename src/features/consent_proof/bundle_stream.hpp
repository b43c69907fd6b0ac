// The bytes of a bundle whose members are known.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "features/consent_proof/bundle_source.hpp"
#include "features/consent_proof/zip_format.hpp"

namespace consentry {

struct BundleMember {
    enum class Source { text, sums, manifest, addenda, document, page, proof, entries };
    ZipMember zip;
    crypto::Sha256 digest{};
    Source source = Source::text;
    std::uint64_t number = 0;  // of a proof: the index; of entries: the index of the bundle
    std::string text;          // of a document: its key in the store
    std::uint64_t offset = 0;  // in the archive
};

BundleMember make_member(std::string name, BundleMember::Source source, std::string_view bytes);

// There may be a million. Unlike a vector, this never moves all of them at once while other work of the thread waits.
using BundleMembers = std::deque<BundleMember>;

class BundleStream {
public:
    // Makes the manifest of a bundle whose SHA256SUMS has this digest.
    using MakeManifest = std::function<std::string(const crypto::Sha256& sums)>;
    explicit BundleStream(std::shared_ptr<BundleSource> source) : source_(std::move(source)) {}

    // Adds SHA256SUMS, which lists the members, and the manifest, and sorts. Await it once, before all else.
    awaitable<void> prepare(BundleMembers members, MakeManifest manifest, BundleStep step);
    std::uint64_t size() const { return size_; }
    // Throws std::runtime_error if a member is another one than was announced.
    awaitable<std::optional<std::string>> next();

private:
    awaitable<void> add_sums(MakeManifest manifest, BundleStep step);
    awaitable<void> add_offsets(BundleStep step);
    std::string sums_from(std::size_t first) const;
    std::uint64_t portion_from(std::uint64_t index) const;
    awaitable<std::optional<std::string>> content(const BundleMember& member);
    awaitable<std::string> next_proof();
    std::string directory_portion();
    void check_end(const BundleMember& member);

    const std::shared_ptr<BundleSource> source_;
    BundleMembers members_;
    std::uint64_t size_ = 0;
    std::uint64_t directory_offset_ = 0;
    std::uint64_t directory_size_ = 0;
    std::size_t at_ = 0;  // in members_, and then in their records in the directory
    bool in_directory_ = false;
    bool is_begun_ = false;     // the header of the current member is written
    std::uint64_t cursor_ = 0;  // within the current member
    std::uint64_t bytes_ = 0;   // of it
    std::uint32_t crc_ = 0;
    std::deque<std::string> proofs_;  // of the current member and those behind it
};

}  // namespace consentry
