#include "features/consent_proof/bundle_source.hpp"

#include <algorithm>
#include <utility>

#include "base/errors.hpp"
#include "tlog/tiles.hpp"

namespace consentry {
namespace {

constexpr std::uint64_t width = tlog::tile_width;

auto differs_at(std::uint64_t index) {
    return fail(errors::term_policy_log_differs, {{"index", std::to_string(index)}});
}

}  // namespace

BundleSource::BundleSource(storage::Database& database, storage::ObjectStore& store, ConsentLog& log,
                           BundleFilter filter, std::string checkpoint)
    : repository_(database),
      store_(store),
      log_(log),
      filter_(filter),
      checkpoint_(std::move(checkpoint)),
      facts_(tlog::parse_signed_checkpoint(checkpoint_).value().checkpoint) {}

Result<BundledEntry> BundleSource::read(ProvableEntry stored) const {
    BundledEntry out{.index = static_cast<std::uint64_t>(stored.position), .bytes = {}, .entry = {}, .addendum = {}};
    auto entry = parse_log_entry(stored.entry);
    if (!entry) return differs_at(out.index);
    out.bytes = std::move(stored.entry);
    out.entry = *entry;
    const auto* consent = std::get_if<ConsentEntry>(&out.entry);
    if (!filter_.with_addenda || consent == nullptr || !stored.salt || !stored.addendum) return out;
    const auto salt = to_array<AddendumSalt>(*stored.salt);
    if (!salt) return differs_at(out.index);
    std::string text = addendum_text(*stored.addendum, *salt);
    if (!(crypto::sha256(text) == consent->addendum)) return differs_at(out.index);
    out.addendum = std::move(text);
    return out;
}

awaitable<Result<std::vector<ProvableEntry>>> BundleSource::whole_portion(std::uint64_t from, std::uint64_t to) {
    auto found = co_await repository_.list(static_cast<std::int64_t>(from), static_cast<std::int64_t>(to));
    for (std::uint64_t i = 0; i < to - from; ++i)
        if (i >= found.size() || static_cast<std::uint64_t>(found[i].position) != from + i)
            co_return differs_at(from + i);
    co_return std::move(found);
}

awaitable<Result<std::optional<BundlePortion>>> BundleSource::portion(std::uint64_t from) {
    if (from >= facts_.size) co_return std::nullopt;
    BundlePortion out{.entries = {}, .next = std::min(from + width, facts_.size)};
    std::vector<ProvableEntry> found;
    if (filter_.user) {
        found = co_await repository_.list_of(*filter_.user, static_cast<std::int64_t>(from),
                                             static_cast<std::int64_t>(facts_.size), width);
        out.next = found.size() < width ? facts_.size : static_cast<std::uint64_t>(found.back().position) + 1;
    } else {
        auto all = co_await whole_portion(from, out.next);
        if (!all) co_return fail(std::move(all.error()));
        found = std::move(*all);
    }
    for (ProvableEntry& stored : found) {
        auto entry = read(std::move(stored));
        if (!entry) co_return fail(std::move(entry.error()));
        if (filter_.takes(entry->entry)) out.entries.push_back(std::move(*entry));
    }
    co_return std::optional(std::move(out));
}

awaitable<Result<std::string>> BundleSource::entry_bundle(std::uint64_t bundle_index) {
    const std::uint64_t from = bundle_index * width;
    auto found = co_await whole_portion(from, std::min(from + width, facts_.size));
    if (!found) co_return fail(std::move(found.error()));
    std::vector<Bytes> entries;
    for (ProvableEntry& stored : *found) entries.push_back(std::move(stored.entry));
    const auto bundle = tlog::entry_bundle(entries);
    if (!bundle) co_return differs_at(from);
    co_return std::string(as_text(*bundle));
}

awaitable<Result<std::vector<std::string>>> BundleSource::proofs(std::vector<std::uint64_t> indices) {
    auto found = co_await whole_portion(indices.front(), indices.back() + 1);
    if (!found) co_return fail(std::move(found.error()));
    std::vector<PlacedEntry> entries;
    entries.reserve(indices.size());
    for (const std::uint64_t index : indices)
        entries.push_back({index, std::move((*found)[index - indices.front()].entry)});
    co_return co_await prove(std::move(entries));
}

awaitable<std::vector<std::string>> BundleSource::prove(std::vector<PlacedEntry> entries) {
    const auto proofs = co_await log_.published().prove_all(checkpoint_, std::move(entries));
    std::vector<std::string> out;
    out.reserve(proofs.size());
    for (const tlog::ProofFile& proof : proofs) out.push_back(tlog::format_proof_file(proof));
    co_return std::move(out);
}

awaitable<std::optional<std::string>> BundleSource::document(std::string key, crypto::Sha256 digest) {
    auto object = co_await store_.get(storage::Area::public_area, std::move(key), policy_bytes_max);
    if (!object || !(crypto::sha256(object->bytes) == digest)) co_return std::nullopt;
    co_return std::move(object->bytes);
}

}  // namespace consentry
