#include "features/consent_proof/bundle_stream.hpp"

#include <algorithm>
#include <iterator>
#include <queue>
#include <stdexcept>
#include <utility>
#include <vector>

#include "crypto/sha256_stream.hpp"
#include "features/consent_proof/bundle_names.hpp"
#include "tlog/tiles.hpp"

namespace consentry {
namespace {

using Source = BundleMember::Source;

// Limits each portion to a few milliseconds of an I/O thread.
constexpr std::size_t members_at_once = 1'000;

template <class T>
T needed(Result<T> read) {
    if (!read) throw std::runtime_error("the consent log differs from the database");
    return std::move(*read);
}

// By name. The members come in few ascending runs, the longest of which are the proofs and the entries. Merging the
// runs can stop for other work, as sorting cannot.
awaitable<BundleMembers> merged(BundleMembers members, BundleStep step) {
    std::deque<BundleMembers> runs;
    for (std::size_t i = 0; !members.empty(); members.pop_front()) {
        if (i++ % members_at_once == 0) co_await begin_step(step);
        BundleMember& next = members.front();
        if (runs.empty() || next.zip.name < runs.back().back().zip.name) runs.emplace_back();
        runs.back().push_back(std::move(next));
    }
    const auto is_behind = [](const BundleMembers* one, const BundleMembers* other) {
        return other->front().zip.name < one->front().zip.name;
    };
    std::priority_queue<BundleMembers*, std::vector<BundleMembers*>, decltype(is_behind)> heads(is_behind);
    for (BundleMembers& run : runs) heads.push(&run);
    BundleMembers out;
    while (!heads.empty()) {
        if (out.size() % members_at_once == 0) co_await begin_step(step);
        BundleMembers* run = heads.top();
        heads.pop();
        out.push_back(std::move(run->front()));
        run->pop_front();
        if (!run->empty()) heads.push(run);
    }
    co_return out;
}

}  // namespace

BundleMember make_member(std::string name, Source source, std::string_view bytes) {
    return {.zip = {.name = std::move(name), .size = bytes.size(), .crc = zip_crc(0, as_bytes(bytes))},
            .digest = crypto::sha256(bytes),
            .source = source,
            .number = 0,
            .text = source == Source::text ? std::string(bytes) : std::string(),
            .offset = 0};
}

awaitable<void> BundleStream::prepare(BundleMembers members, MakeManifest manifest, BundleStep step) {
    members.push_back({.zip = {.name = std::string(bundle::sums)}, .source = Source::sums, .text = {}});
    members.push_back({.zip = {.name = std::string(bundle::manifest)}, .source = Source::manifest, .text = {}});
    members_ = co_await merged(std::move(members), step);
    co_await add_sums(std::move(manifest), step);
    co_await add_offsets(step);
}

awaitable<void> BundleStream::add_sums(MakeManifest manifest, BundleStep step) {
    crypto::Sha256Stream digest;
    ZipMember& sums = std::ranges::find(members_, Source::sums, &BundleMember::source)->zip;
    for (std::size_t first = 0; first < members_.size(); first += members_at_once) {
        co_await begin_step(step);
        const std::string lines = sums_from(first);
        sums.size += lines.size();
        sums.crc = zip_crc(sums.crc, as_bytes(lines));
        digest.add(as_bytes(lines));
    }
    BundleMember& signed_one = *std::ranges::find(members_, Source::manifest, &BundleMember::source);
    const std::string text = manifest(digest.finish());
    signed_one = make_member(std::string(bundle::manifest), Source::manifest, text);
    signed_one.text = text;
}

awaitable<void> BundleStream::add_offsets(BundleStep step) {
    for (std::size_t i = 0; i < members_.size(); ++i) {
        if (i % members_at_once == 0) co_await begin_step(step);
        BundleMember& member = members_[i];
        member.offset = directory_offset_;
        directory_offset_ += zip_local_header_size(member.zip) + member.zip.size;
        directory_size_ += zip_directory_record_size(member.zip, member.offset);
    }
    size_ = directory_offset_ + directory_size_ + zip_end(members_.size(), directory_offset_, directory_size_).size();
}

std::string BundleStream::sums_from(std::size_t first) const {
    std::string out;
    for (std::size_t i = first; i < std::min(first + members_at_once, members_.size()); ++i)
        if (members_[i].source != Source::sums && members_[i].source != Source::manifest)
            out += bundle::sums_line(members_[i].digest, members_[i].zip.name);
    return out;
}

// Where the next portion with entries of this bundle begins. Others need not be read again.
std::uint64_t BundleStream::portion_from(std::uint64_t index) const {
    if (source_->filter().is_whole()) return index;
    const auto next =
        std::ranges::lower_bound(members_, bundle::proof_name(index), {},
                                 [](const BundleMember& member) -> const std::string& { return member.zip.name; });
    if (next == members_.end() || next->source != Source::proof) return source_->facts().size;
    return next->number - next->number % tlog::tile_width;
}

awaitable<std::optional<std::string>> BundleStream::content(const BundleMember& member) {
    if (member.source == Source::addenda) {
        auto portion = co_await source_->portion(portion_from(cursor_));
        if (!portion) throw std::runtime_error("the consent log differs from the database");
        if (!*portion) co_return std::nullopt;
        std::string out;
        for (const BundledEntry& entry : (*portion)->entries)
            if (entry.addendum)
                out += bundle::addendum_start(entry.index) + *entry.addendum + std::string(bundle::addendum_end);
        cursor_ = (*portion)->next;
        co_return out;
    }
    if (member.source == Source::sums) {
        if (cursor_ >= members_.size()) co_return std::nullopt;
        co_return sums_from(std::exchange(cursor_, cursor_ + members_at_once));
    }
    if (std::exchange(cursor_, 1) != 0) co_return std::nullopt;
    switch (member.source) {
        case Source::document: {
            auto text = co_await source_->document(member.text, member.digest);
            co_return std::move(text).value_or("");
        }
        case Source::page: {
            auto page = co_await source_->page(member.digest);
            co_return std::move(page).value_or("");
        }
        case Source::proof:
            co_return co_await next_proof();
        case Source::entries:
            co_return needed(co_await source_->entry_bundle(member.number));
        default:
            co_return member.text;
    }
}

// Makes the proofs of neighbors at once, because they share most of what they are made of.
awaitable<std::string> BundleStream::next_proof() {
    if (proofs_.empty()) {
        const std::uint64_t tile = members_[at_].number / tlog::tile_width;
        std::vector<std::uint64_t> indices;
        for (std::size_t i = at_; i < members_.size(); ++i) {
            const BundleMember& member = members_[i];
            if (member.source != Source::proof || member.number / tlog::tile_width != tile) break;
            indices.push_back(member.number);
        }
        auto made = needed(co_await source_->proofs(std::move(indices)));
        std::ranges::move(made, std::back_inserter(proofs_));
    }
    std::string out = std::move(proofs_.front());
    proofs_.pop_front();
    co_return out;
}

void BundleStream::check_end(const BundleMember& member) {
    // An erasure takes addenda away at any moment.
    if (bytes_ != member.zip.size || crc_ != member.zip.crc)
        throw std::runtime_error(member.zip.name + " changed during the export; export again");
}

awaitable<std::optional<std::string>> BundleStream::next() {
    if (in_directory_) {
        if (at_ > members_.size()) co_return std::nullopt;
        co_return directory_portion();
    }
    const BundleMember& member = members_[at_];
    std::string out;
    if (!std::exchange(is_begun_, true)) out = zip_local_header(member.zip);
    const auto piece = co_await content(member);
    if (piece) {
        bytes_ += piece->size();
        crc_ = zip_crc(crc_, as_bytes(*piece));
        out += *piece;
        co_return out;
    }
    check_end(member);
    is_begun_ = false;
    cursor_ = bytes_ = 0;
    crc_ = 0;
    if (++at_ == members_.size()) {
        in_directory_ = true;
        at_ = 0;
    }
    co_return out;
}

std::string BundleStream::directory_portion() {
    std::string out;
    const std::size_t end = std::min(at_ + members_at_once, members_.size());
    for (; at_ < end; ++at_) out += zip_directory_record(members_[at_].zip, members_[at_].offset);
    if (at_ < members_.size()) return out;
    ++at_;
    return out + zip_end(members_.size(), directory_offset_, directory_size_);
}

}  // namespace consentry
