#include "features/consent_proof/bundle_check.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "features/consent_log/entry.hpp"
#include "features/consent_proof/bundle_names.hpp"
#include "features/consent_proof/description.hpp"
#include "features/consent_proof/named_documents.hpp"
#include "features/consent_proof/zip_reader.hpp"
#include "tlog/compact_range.hpp"
#include "tlog/lines.hpp"
#include "tlog/proof_file.hpp"
#include "tlog/tiles.hpp"

namespace consentry {
namespace {

using Checked = std::expected<void, std::string>;

std::unexpected<std::string> refusal(std::string_view member, std::string_view why) {
    return std::unexpected(fmt::format("{}: {}", member, why));
}

// The steps of the verification, in order. Each relies on those before it.
class BundleCheck {
public:
    BundleCheck(BytesView archive, const tlog::Policy& policy, std::optional<std::string_view> authorities,
                const BundleProgress& progress, const EarlierRecords& earlier)
        : archive_(archive),
          policy_(policy),
          authorities_(authorities),
          progress_(progress),
          has_earlier_(!earlier.empty()),
          earlier_(earlier) {}

    std::expected<VerifiedBundle, std::string> run() {
        Checked checked = open();
        if (checked) checked = check_names();
        if (checked) checked = check_sums();
        if (checked) checked = check_checkpoint();
        if (checked) checked = check_description();
        if (checked) checked = check_manifest();
        if (checked) checked = check_stamp();
        if (checked) checked = check_entries();
        if (checked) checked = check_addenda();
        if (checked) checked = check_documents();
        if (!checked) return std::unexpected(std::move(checked.error()));
        out_.doubts = std::move(doubts_).finish(out_.filter.has_publications());
        return std::move(out_);
    }

private:
    Checked open() {
        auto members = read_zip(archive_);
        if (!members) return std::unexpected(std::move(members.error()));
        members_ = std::move(*members);
        return {};
    }

    // A member that nothing below checks could claim anything.
    Checked check_names() {
        for (const std::string_view name :
             {bundle::readme, bundle::sums, bundle::checkpoint, bundle::description, bundle::manifest, bundle::policy})
            if (find_member(members_, name) == nullptr) return refusal(name, "the bundle lacks this member");
        for (const ZipEntry& member : members_) {
            if (is_known(member)) continue;
            return refusal(member.name, "a bundle has no member of this name");
        }
        return {};
    }

    bool is_known(const ZipEntry& member) {
        const std::string_view name = member.name;
        if (name.starts_with(bundle::entries)) {
            const auto id = tlog::parse_tile_path(name);
            ++bundles_;
            return id && id->level == tlog::entry_level;
        }
        if (name.starts_with(bundle::proofs)) return proofs_.push_back(&member), true;
        if (name.starts_with(bundle::documents)) return documents_.try_emplace(std::string(name), member.bytes).second;
        if (name.starts_with(bundle::timestamps)) return stamps_.push_back(&member), true;
        constexpr std::array single{bundle::readme,      bundle::sums,     bundle::addenda, bundle::checkpoint,
                                    bundle::description, bundle::manifest, bundle::policy,  bundle::verifier};
        return std::ranges::find(single, name) != single.end();
    }

    Checked check_sums() const {
        std::string_view rest = as_text(find_member(members_, bundle::sums)->bytes);
        for (const ZipEntry& member : members_) {
            if (member.name == bundle::sums || member.name == bundle::manifest) continue;
            const std::string line = bundle::sums_line(crypto::sha256(member.bytes), member.name);
            if (!rest.starts_with(line)) return refusal(member.name, "SHA256SUMS names another digest of this member");
            rest.remove_prefix(line.size());
        }
        if (!rest.empty()) return refusal(bundle::sums, "it names members that the bundle lacks");
        return {};
    }

    Checked check_checkpoint() {
        auto accepted = policy_.accept(as_text(find_member(members_, bundle::checkpoint)->bytes));
        if (!accepted) return refusal(bundle::checkpoint, accepted.error());
        out_.accepted = std::move(*accepted);
        return {};
    }

    Checked check_description() const {
        const auto read = open_description(as_text(find_member(members_, bundle::description)->bytes), policy_);
        if (!read) return refusal(bundle::description, read.error());
        if (read->origin != out_.accepted.checkpoint.origin)
            return refusal(bundle::description, "it describes a log other than that of the checkpoint");
        if (const auto parsed = tlog::Policy::parse(as_text(find_member(members_, bundle::policy)->bytes)); !parsed)
            return refusal(bundle::policy, parsed.error());
        return {};
    }

    Checked check_manifest() {
        std::vector<tlog::VerifierKey> keys;
        for (const tlog::PolicyLog& log : policy_.logs())
            if (log.key.name() == out_.accepted.checkpoint.origin) keys.push_back(log.key);
        auto manifest = open_manifest(as_text(find_member(members_, bundle::manifest)->bytes), keys);
        if (!manifest) return refusal(bundle::manifest, manifest.error());
        if (!(manifest->sums == crypto::sha256(find_member(members_, bundle::sums)->bytes)) ||
            !(manifest->checkpoint == crypto::sha256(find_member(members_, bundle::checkpoint)->bytes)))
            return refusal(bundle::manifest,
                           "the bundle has other members than the log has put in: some were cut out or replaced");
        if (manifest->filter.with_addenda != (find_member(members_, bundle::addenda) != nullptr))
            return refusal(bundle::manifest, "it contradicts the members about addenda");
        out_.filter = manifest->filter;
        claimed_entries_ = manifest->entries;
        return {};
    }

    Checked check_entries() {
        const std::uint64_t size = out_.accepted.checkpoint.size;
        if (has_earlier_ && !out_.is_whole())
            return refusal(bundle::manifest,
                           "this bundle contains only part of the log; earlier records can be compared only with a "
                           "bundle of the whole log");
        const Checked checked = out_.is_whole() ? check_tree(size) : check_proofs(size);
        if (checked && out_.entries != claimed_entries_)
            return refusal(bundle::manifest,
                           fmt::format("it names {} entries, but the bundle has {}", claimed_entries_, out_.entries));
        return checked;
    }

    Checked check_tree(std::uint64_t size) {
        if (!proofs_.empty()) return refusal(proofs_.front()->name, "a bundle of the whole log has no proofs");
        const std::uint64_t wanted = size / tlog::tile_width + (size % tlog::tile_width == 0 ? 0 : 1);
        if (bundles_ != wanted)
            return refusal(bundle::entries, fmt::format("the log has {} entries, which are {} members and not {}", size,
                                                        wanted, bundles_));
        tlog::CompactRange tree;
        for (std::uint64_t index = 0; index < wanted; ++index) {
            const auto entries = entries_of(index);
            if (!entries) return std::unexpected(entries.error());
            for (const BytesView entry : *entries) {
                tree.append(tlog::leaf_hash(entry));
                if (const auto noted = note_entry(tree.size() - 1, entry, &tree); !noted) return noted;
            }
        }
        if (!(tree.root() == out_.accepted.checkpoint.root))
            return refusal(bundle::checkpoint,
                           "the entries of the bundle are not those of the log: their root differs");
        out_.kept_promises = earlier_.kept();
        return earlier_.finish(out_.accepted, out_.stamp);
    }

    std::expected<std::vector<BytesView>, std::string> entries_of(std::uint64_t bundle_index) const {
        const std::uint64_t left = out_.accepted.checkpoint.size - bundle_index * tlog::tile_width;
        const tlog::TileId id{.level = tlog::entry_level,
                              .index = bundle_index,
                              .width = static_cast<unsigned>(std::min<std::uint64_t>(left, tlog::tile_width))};
        const std::string name = tlog::tile_path(id);
        const ZipEntry* member = find_member(members_, name);
        if (member == nullptr) return refusal(name, "the bundle lacks this member");
        auto entries = tlog::parse_entry_bundle(member->bytes, id.width);
        if (!entries) return refusal(name, entries.error());
        return entries;
    }

    Checked check_proofs(std::uint64_t size) {
        if (bundles_ > 0) return refusal(bundle::entries, "a bundle of a part of the log has no such members");
        const std::string_view note = as_text(find_member(members_, bundle::checkpoint)->bytes);
        for (const ZipEntry* member : proofs_) {
            const auto proof = tlog::parse_proof_file(as_text(member->bytes));
            if (!proof) return refusal(member->name, proof.error());
            if (member->name != bundle::proof_name(proof->index))
                return refusal(member->name, "the proof is that of another index");
            if (proof->checkpoint != note)
                return refusal(member->name, "the checkpoint of the proof differs from that of the bundle");
            const auto verified = tlog::verify_inclusion(tlog::leaf_hash(proof->extra), proof->index, size,
                                                         proof->hashes, out_.accepted.checkpoint.root);
            if (!verified) return refusal(member->name, verified.error());
            if (const auto noted = note_entry(proof->index, proof->extra); !noted) return noted;
        }
        return {};
    }

    // `tree`: of a whole bundle, up to this entry.
    Checked note_entry(std::uint64_t index, BytesView bytes, const tlog::CompactRange* tree = nullptr) {
        const auto entry = parse_log_entry(bytes);
        if (!entry) return refusal(fmt::format("entry {}", index), entry.error());
        if (!out_.filter.takes(*entry))
            return refusal(fmt::format("entry {}", index), "it is not one of those that the manifest names");
        ++out_.entries;
        if (progress_ && out_.entries % tlog::tile_width == 0) progress_(out_.entries, claimed_entries_);
        if (has_earlier_ && tree != nullptr) earlier_.note(*tree, bytes, *entry);
        doubts_.note(index, *entry);
        if (const auto* erasure = std::get_if<ErasureEntry>(&*entry)) erasures_[erasure->subject] = index;
        if (const auto* consent = std::get_if<ConsentEntry>(&*entry)) note_document(consent->content);
        if (const auto* publication = std::get_if<PublicationEntry>(&*entry)) {
            note_document(publication->record);
            const auto record = documents_.find(bundle::document_name(publication->record));
            if (record != documents_.end()) record->second.is_record = true;
        }
        return {};
    }

    void note_document(const crypto::Sha256& content) {
        if (content == crypto::Sha256{}) return;  // the service did not know the text
        std::string name = bundle::document_name(content);
        const auto document = documents_.find(name);
        if (document != documents_.end())
            document->second.is_named = true;
        else
            absent_.insert(std::move(name));
    }

    Checked check_addenda() {
        const ZipEntry* member = find_member(members_, bundle::addenda);
        if (member == nullptr) return {};
        tlog::LineReader lines(as_text(member->bytes));
        std::optional<std::uint64_t> former;
        while (const auto line = lines.next()) {
            const auto comma = line->find(',');
            constexpr std::string_view start = "{\"index\":";
            const auto index = line->starts_with(start) && comma != std::string_view::npos
                                   ? tlog::parse_decimal(line->substr(start.size(), comma - start.size()))
                                   : std::nullopt;
            const std::string begin = index ? bundle::addendum_start(*index) : std::string();
            if (!index || !line->starts_with(begin) || !line->ends_with('}') || (former && *index <= *former))
                return refusal(bundle::addenda, fmt::format("line {} is not in its form or order", out_.addenda + 1));
            const std::string_view text = line->substr(begin.size(), line->size() - begin.size() - 1);
            if (const auto checked = check_addendum(*index, text); !checked) return checked;
            note_without_addenda(former ? *former + 1 : 0, *index);
            former = index;
            ++out_.addenda;
        }
        if (!lines.rest().empty()) return refusal(bundle::addenda, "the last line is not terminated");
        note_without_addenda(former ? *former + 1 : 0, out_.accepted.checkpoint.size);
        return {};
    }

    // An erasure deletes the addenda of the entries before it. A part of the log may lack the erasure.
    void note_without_addenda(std::uint64_t from, std::uint64_t to) {
        for (std::uint64_t index = from; out_.is_whole() && index < to; ++index) {
            const auto bytes = entry_at(index);
            const auto entry = bytes ? parse_entry(*bytes) : std::unexpected(std::string());
            if (!entry) continue;
            const auto erased = erasures_.find(entry->subject);
            if (erased == erasures_.end() || erased->second < index) ++out_.withheld;
        }
    }

    Checked check_addendum(std::uint64_t index, std::string_view text) {
        const auto bytes = entry_at(index);
        const auto entry = bytes ? parse_entry(*bytes) : std::unexpected(std::string());
        if (!entry) return refusal(bundle::addenda, fmt::format("the bundle has no consent with the index {}", index));
        if (!(entry->addendum == crypto::sha256(text)))
            return refusal(bundle::addenda,
                           fmt::format("the addendum of entry {} is not the one that it names", index));
        for (const std::string& hash : hashes_in_addendum(text)) name_document(hash);
        return {};
    }

    // By what an entry names by its digest. That it is absent is no defect.
    void name_document(const std::string& hash) {
        const auto document = documents_.find(std::string(bundle::documents) + hash);
        if (document != documents_.end()) document->second.is_named = true;
    }

    // The addenda ascend, so a bundle of entries is parsed once.
    std::optional<BytesView> entry_at(std::uint64_t index) {
        if (!out_.is_whole()) {
            const ZipEntry* member = find_member(members_, bundle::proof_name(index));
            auto proof =
                member == nullptr ? std::unexpected(std::string()) : tlog::parse_proof_file(as_text(member->bytes));
            if (!proof) return std::nullopt;
            proven_ = std::move(proof->extra);
            return proven_;
        }
        if (index >= out_.accepted.checkpoint.size) return std::nullopt;
        if (!open_bundle_ || open_bundle_->first != index / tlog::tile_width) {
            auto entries = entries_of(index / tlog::tile_width);
            if (!entries) return std::nullopt;
            open_bundle_.emplace(index / tlog::tile_width, std::move(*entries));
        }
        return open_bundle_->second[index % tlog::tile_width];
    }

    Checked check_documents() {
        for (const auto& [name, document] : documents_) {
            const crypto::Sha256 digest = crypto::sha256(document.bytes);
            if (bundle::document_name(digest) != name)
                return refusal(name, "the document is not the one that its name says");
            if (!document.is_record) continue;
            for (const std::string& hash : hashes_in_record(as_text(document.bytes))) name_document(hash);
            doubts_.note_record(digest, as_text(document.bytes));
        }
        for (const auto& [name, document] : documents_) {
            if (!document.is_named) return refusal(name, "no entry of the bundle names this document");
            ++out_.documents;
        }
        out_.absent_documents = absent_.size();
        return {};
    }

    // All members of the one stamp that a bundle has, and nothing else.
    Checked check_stamp() {
        if (stamps_.empty()) return {};
        const std::string_view first = stamps_.front()->name;
        const auto dot = std::min(first.find('.'), first.size());
        const auto size = tlog::parse_decimal(first.substr(bundle::timestamps.size(), dot - bundle::timestamps.size()));
        const std::uint64_t number = size.value_or(0);
        const ZipEntry* text = find_member(members_, bundle::stamped_text_name(number));
        const ZipEntry* answer = find_member(members_, bundle::stamp_name(number));
        const ZipEntry* consistency = find_member(members_, bundle::consistency_name(number));
        for (const ZipEntry* member : stamps_)
            if (member != text && member != answer && member != consistency)
                return refusal(member->name, "a bundle has no member of this name");
        if (text == nullptr || answer == nullptr)
            return refusal(first, "the bundle lacks the other members of this timestamp");
        const auto hashes =
            parse_consistency(consistency == nullptr ? std::string_view() : as_text(consistency->bytes));
        if (!hashes) return refusal(consistency->name, hashes.error());
        auto stamp = verify_stamp({.text = as_text(text->bytes), .answer = answer->bytes, .consistency = *hashes},
                                  out_.accepted.checkpoint, authorities_);
        if (!stamp) return refusal(answer->name, stamp.error());
        if (stamp->size != number) return refusal(text->name, "the stamped checkpoint has another size");
        doubts_.note_stamp(stamp->size, stamp->time);
        out_.stamp = std::move(*stamp);
        return {};
    }

    struct Document {
        BytesView bytes;
        bool is_named = false;   // by an entry, or by what an entry names
        bool is_record = false;  // of a publication
    };

    const BytesView archive_;
    const tlog::Policy& policy_;
    const std::optional<std::string_view> authorities_;
    const BundleProgress& progress_;
    const bool has_earlier_;
    EarlierCheck earlier_;
    EntryDoubtCheck doubts_;
    VerifiedBundle out_;
    std::vector<ZipEntry> members_;
    std::uint64_t bundles_ = 0;            // members with entries
    std::uint64_t claimed_entries_ = 0;    // by the manifest
    std::vector<const ZipEntry*> proofs_;  // in the order of their indices
    std::vector<const ZipEntry*> stamps_;
    std::map<std::string, Document, std::less<>> documents_;
    std::set<std::string> absent_;                  // documents that entries name
    std::map<SubjectTag, std::uint64_t> erasures_;  // index of the last one
    std::optional<std::pair<std::uint64_t, std::vector<BytesView>>> open_bundle_;
    Bytes proven_;
};

}  // namespace

std::expected<VerifiedBundle, std::string> verify_bundle(BytesView archive, const tlog::Policy& policy,
                                                         std::optional<std::string_view> authorities,
                                                         const BundleProgress& progress,
                                                         const EarlierRecords& earlier) {
    return BundleCheck(archive, policy, authorities, progress, earlier).run();
}

}  // namespace consentry
