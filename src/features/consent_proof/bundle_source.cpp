#include "features/consent_proof/bundle_source.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/errors.hpp"
#include "tlog/tiles.hpp"

namespace consentry {
namespace {

constexpr std::uint64_t width = tlog::tile_width;

auto differs_at(std::uint64_t index) {
    return fail(errors::term_policy_log_differs, {{"index", std::to_string(index)}});
}

}  // namespace

awaitable<void> begin_step(BundleStep step) {
    if (step) step();
    co_await boost::asio::post(boost::asio::use_awaitable);
}

BundleSource::BundleSource(storage::Database& database, storage::ObjectStore& store, ConsentLog& log,
                           BundleFilter filter, std::string checkpoint)
    : repository_(database),
      store_(store),
      log_(log),
      filter_(filter),
      checkpoint_(std::move(checkpoint)),
      facts_(tlog::parse_signed_checkpoint(checkpoint_).value().checkpoint) {}

Result<std::optional<std::string>> BundleSource::evidence(const ConsentEntry& entry,
                                                          const ProvableEntry& stored) const {
    const auto index = static_cast<std::uint64_t>(stored.position);
    if (!stored.salt && !stored.addendum) return std::nullopt;
    const auto salt = stored.salt ? to_array<AddendumSalt>(*stored.salt) : std::nullopt;
    if (!salt || !stored.addendum) return differs_at(index);  // an erasure deletes both
    std::string text = addendum_text(*stored.addendum, *salt);
    if (!(crypto::sha256(text) == entry.addendum)) return differs_at(index);
    if (filter_.user && (stored.addendum->user == *filter_.user) != (entry.subject == filter_.subject))
        return differs_at(index);
    return std::optional(std::move(text));
}

Result<void> BundleSource::add_to(BundlePortion& portion, ProvableEntry stored) const {
    BundledEntry read{.index = static_cast<std::uint64_t>(stored.position),
                      .bytes = {},
                      .entry = {},
                      .addendum = {},
                      .shown_page = {}};
    auto entry = parse_log_entry(stored.entry);
    if (!entry) return differs_at(read.index);
    read.entry = *entry;
    portion.leaves.push_back(tlog::leaf_hash(stored.entry));
    const bool is_taken = filter_.takes(read.entry);
    if (const auto* erasure = std::get_if<ErasureEntry>(&read.entry))
        portion.events.push_back({.index = read.index, .subject = erasure->subject, .is_erasure = true});
    // Which entries are about an account is what the evidence about all of them says.
    const auto* consent = std::get_if<ConsentEntry>(&read.entry);
    if (consent != nullptr && (filter_.user || (filter_.with_addenda && is_taken))) {
        auto text = evidence(*consent, stored);
        if (!text) return fail(std::move(text.error()));
        if (!*text) portion.events.push_back({.index = read.index, .subject = consent->subject});
        if (filter_.with_addenda) read.addendum = std::move(*text);
        if (read.addendum) read.shown_page = stored.addendum->shown_diff_hash;
    }
    read.bytes = std::move(stored.entry);
    if (is_taken) portion.entries.push_back(std::move(read));
    return {};
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
    BundlePortion out{.entries = {}, .leaves = {}, .events = {}, .next = std::min(from + width, facts_.size)};
    auto found = co_await whole_portion(from, out.next);
    if (!found) co_return fail(std::move(found.error()));
    for (ProvableEntry& stored : *found) {
        auto added = add_to(out, std::move(stored));
        if (!added) co_return fail(std::move(added.error()));
    }
    co_return std::optional(std::move(out));
}

awaitable<Result<void>> BundleSource::explain(EvidenceGaps gaps, BundleStep step) {
    const auto note = [&gaps](const Bytes& bytes) {
        const auto entry = parse_log_entry(bytes);
        const auto* erasure = entry ? std::get_if<ErasureEntry>(&*entry) : nullptr;
        if (erasure != nullptr) gaps.note_erasure(erasure->subject);
    };
    constexpr std::int64_t at_once = width;
    // In this order, because an entry may get its position meanwhile.
    for (Uuid after; !gaps.are_none();) {
        co_await begin_step(step);
        const auto found = co_await repository_.list_pending(after, at_once);
        for (const auto& pending : found) note(pending.entry);
        if (std::ssize(found) < at_once) break;
        after = found.back().id;
    }
    for (auto from = static_cast<std::int64_t>(facts_.size); !gaps.are_none(); from += at_once) {
        co_await begin_step(step);
        const auto found = co_await repository_.list(from, from + at_once);
        for (const ProvableEntry& placed : found) note(placed.entry);
        if (found.empty()) break;
    }
    const auto unexplained = gaps.first();
    if (unexplained) co_return differs_at(*unexplained);
    co_return Result<void>{};
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
    const auto proofs = co_await log_.published().prove_all(checkpoint_, std::move(entries));
    std::vector<std::string> out;
    out.reserve(proofs.size());
    for (const tlog::ProofFile& proof : proofs) out.push_back(tlog::format_proof_file(proof));
    co_return out;
}

awaitable<std::optional<std::string>> BundleSource::document(std::string key, crypto::Sha256 digest) {
    auto object = co_await store_.get(storage::Area::public_area, std::move(key), policy_text_bytes_max);
    if (!object || !(crypto::sha256(object->bytes) == digest)) co_return std::nullopt;
    co_return std::move(object->bytes);
}

awaitable<std::optional<std::string>> BundleSource::page(crypto::Sha256 digest) {
    auto page = co_await repository_.find_page(to_hex(digest));
    if (!page || !(crypto::sha256(*page) == digest)) co_return std::nullopt;
    co_return std::move(*page);
}

}  // namespace consentry
