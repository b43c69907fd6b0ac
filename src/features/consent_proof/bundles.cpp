#include "features/consent_proof/bundles.hpp"

#include <map>
#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "crypto/sha256_stream.hpp"
#include "features/consent_log/verifier_page.hpp"
#include "features/consent_proof/bundle_names.hpp"
#include "features/consent_proof/bundle_stream.hpp"
#include "features/term_policies/publication_record.hpp"
#include "features/term_policies/repository.hpp"
#include "tlog/compact_range.hpp"
#include "tlog/lines.hpp"
#include "tlog/tiles.hpp"

namespace consentry {

namespace {

using Source = BundleMember::Source;

std::string readme(const BundleSource& source) {
    const BundleFilter& filter = source.filter();
    return fmt::format(
        "This is a bundle for auditors of the consent log {}.\n"
        "\n"
        "The log records each acceptance and withdrawal: which text, when, and a random tag for the account. It can\n"
        "only grow: no one can change or remove an entry without contradicting its signed checkpoint. This bundle\n"
        "holds {} {} entries that the checkpoint covers{}{}.\n"
        "\n"
        "Verify it offline, with the log's verifier key, which you should get from another source:\n"
        "\n"
        "    consentry verify bundle FILE.zip --key KEY\n"
        "\n"
        "or open verify.html in a browser. `sha256sum -c SHA256SUMS` compares the files alone.\n"
        "\n"
        "addenda.ndjson      the evidence that entries name by its SHA-256; evidence that was erased is missing\n"
        "checkpoint          size and root hash of the log, signed (c2sp.org/tlog-checkpoint)\n"
        "description.note    the keys of the log, signed by it\n"
        "documents/          the texts that entries name by their SHA-256; the records of publications, and the\n"
        "                    descriptions of processing that they name; the comparisons of versions that addenda "
        "name.\n"
        "                    Lost documents are missing\n"
        "manifest.note       which entries this bundle holds, and the digest of SHA256SUMS, signed by the log\n"
        "policy.txt          what the operator suggests trusting (c2sp.org/tlog-policy); decide for yourself\n"
        "proofs/             a proof for each entry of a part of the log (c2sp.org/tlog-proof)\n"
        "tile/entries/       the entries of a whole log (c2sp.org/tlog-tiles)\n"
        "timestamps/         a timestamp (RFC 3161, SIZE.tsr) on a former state of the log (SIZE.txt), or on this "
        "one,\n"
        "                    if an authority has stamped any, and the proof that the log continues that state\n",
        source.facts().origin, filter.is_whole() ? "all" : "a part of the", source.facts().size,
        filter.is_whole() ? "" : " (" + describe(filter) + ")",
        filter.with_addenda ? "" : ", without the evidence about them");
}

// What entries of publications name by its digest, and what that names in turn.
struct Record {
    std::string text;
    std::optional<std::string> processing;
};
using Records = std::map<std::string, Record>;  // by the names of the members

Records records_of(const std::vector<TermPolicy>& policies) {
    Records out;
    for (const TermPolicy& policy : policies) {
        if (policy.status != PolicyStatus::published) continue;
        std::string text = publication_text(policy);
        std::string name = bundle::document_name(crypto::sha256(text));
        out.emplace(std::move(name), Record{.text = std::move(text), .processing = policy.processing});
    }
    return out;
}

// Where the object store has the texts of published versions: languages and versions may have the same text.
using Copies = std::multimap<std::string, std::string>;  // keys, by the names of the members

Copies copies_of(const std::vector<TermPolicy>& policies, const PolicyPaths& paths) {
    Copies out;
    for (const TermPolicy& policy : policies)
        for (const PolicyContent& content : policy.contents)
            if (policy.status == PolicyStatus::published)
                out.emplace(std::string(bundle::documents) + content.digest,
                            paths.publication(policy.type, policy.version, content.language));
    return out;
}

// Reads everything once and notes the members.
class BundlePlan {
public:
    BundlePlan(std::shared_ptr<BundleSource> source, const PolicyPaths& paths, Records records, Copies copies,
               BundleStep step)
        : source_(std::move(source)),
          paths_(paths),
          records_(std::move(records)),
          copies_(std::move(copies)),
          step_(std::move(step)) {}

    void add_text(std::string_view name, std::string_view text) {
        members_.push_back(make_member(std::string(name), Source::text, text));
    }

    void add_lost(std::string what) { lost_.push_back(std::move(what)); }

    awaitable<Result<void>> scan() {
        for (std::uint64_t from = 0;;) {
            co_await begin_step(step_);
            auto portion = co_await source_->portion(from);
            if (!portion) co_return fail(std::move(portion.error()));
            if (!*portion) break;
            for (const tlog::Hash& leaf : (*portion)->leaves) tree_.append(leaf);
            gaps_.add((*portion)->events);
            for (const BundledEntry& entry : (*portion)->entries) note(entry);
            if (source_->filter().is_whole()) add_entries(from / tlog::tile_width, (*portion)->entries);
            from = (*portion)->next;
        }
        if (!(tree_.root() == source_->facts().root)) co_return fail(errors::term_policy_log_differs, {{"index", "0"}});
        auto explained = co_await source_->explain(std::move(gaps_), step_);
        if (!explained) co_return fail(std::move(explained.error()));
        if (!source_->filter().is_whole()) {
            auto proven = co_await add_proofs();
            if (!proven) co_return proven;
        }
        co_await add_documents();
        if (source_->filter().with_addenda) {
            addenda_.digest = addenda_digest_.finish();
            members_.push_back(addenda_);
        }
        co_return Result<void>{};
    }

    std::uint64_t entries() const { return entries_; }
    std::vector<std::string> lost_texts() { return std::move(lost_); }
    BundleMembers members() && { return std::move(members_); }

private:
    void note(const BundledEntry& entry) {
        ++entries_;
        if (!source_->filter().is_whole()) proven_.push_back(entry.index);
        const auto* consent = std::get_if<ConsentEntry>(&entry.entry);
        if (consent != nullptr && consent->content != crypto::Sha256{})  // it is unknown which text it was otherwise
            documents_
                .try_emplace(bundle::document_name(consent->content), Text{.keys = {}, .digest = consent->content})
                .first->second.keys.insert(paths_.publication(consent->type, consent->version, consent->language));
        if (entry.shown_page) note_page(*entry.shown_page);
        if (const auto* publication = std::get_if<PublicationEntry>(&entry.entry)) note_record(*publication);
        if (!entry.addendum) return;
        const std::string line =
            bundle::addendum_start(entry.index) + *entry.addendum + std::string(bundle::addendum_end);
        addenda_.zip.size += line.size();
        addenda_.zip.crc = zip_crc(addenda_.zip.crc, as_bytes(line));
        addenda_digest_.add(as_bytes(line));
    }

    void note_page(const std::string& hash) {
        const auto digest = to_array<crypto::Sha256>(from_hex(hash).value_or(Bytes{}));
        if (!digest) return;
        documents_.try_emplace(bundle::document_name(*digest),
                               Text{.keys = {"the comparison " + hash}, .digest = *digest, .is_page = true});
    }

    void note_record(const PublicationEntry& publication) {
        const auto record = records_.find(bundle::document_name(publication.record));
        if (record == records_.end()) {
            lost_.push_back(
                fmt::format("the record of the publication of {} {}", name_of(publication.type), publication.version));
            return;
        }
        add_text(record->first, record->second.text);
        if (const auto& processing = record->second.processing)
            processing_.try_emplace(bundle::document_name(crypto::sha256(*processing)), *processing);
        records_.erase(record);
    }

    void add_entries(std::uint64_t bundle_index, const std::vector<BundledEntry>& entries) {
        std::vector<Bytes> bytes;
        bytes.reserve(entries.size());
        for (const BundledEntry& entry : entries) bytes.push_back(entry.bytes);
        const tlog::TileId id{
            .level = tlog::entry_level, .index = bundle_index, .width = static_cast<unsigned>(entries.size())};
        add(tlog::tile_path(id), Source::entries, bundle_index, as_text(tlog::entry_bundle(bytes).value()));
    }

    // Last, because an altered entry has no proof, and the reader should learn that it was altered.
    awaitable<Result<void>> add_proofs() {
        for (std::size_t at = 0; at < proven_.size();) {
            co_await begin_step(step_);
            std::vector<std::uint64_t> neighbors;
            for (const std::uint64_t tile = proven_[at] / tlog::tile_width;
                 at < proven_.size() && proven_[at] / tlog::tile_width == tile; ++at)
                neighbors.push_back(proven_[at]);
            auto proofs = co_await source_->proofs(neighbors);
            if (!proofs) co_return fail(std::move(proofs.error()));
            for (std::size_t i = 0; i < neighbors.size(); ++i)
                add(bundle::proof_name(neighbors[i]), Source::proof, neighbors[i], (*proofs)[i]);
        }
        co_return Result<void>{};
    }

    awaitable<void> add_documents() {
        for (auto& [name, text] : documents_) {
            const bool is_found = text.is_page ? co_await add_page(name, text) : co_await add_document(name, text);
            if (is_found)
                processing_.erase(name);
            else
                lost_.insert(lost_.end(), text.keys.begin(), text.keys.end());
        }
        for (const auto& [name, text] : processing_) add_text(name, text);
    }

    struct Text;
    // These return whether there is one. The references must outlive the coroutine.
    awaitable<bool> add_page(const std::string& name, const Text& text) {
        co_await begin_step(step_);
        const auto bytes = co_await source_->page(text.digest);
        if (bytes) add(name, Source::page, 0, *bytes);
        co_return bytes.has_value();
    }
    awaitable<bool> add_document(const std::string& name, const Text& text) {
        std::set<std::string> keys = text.keys;
        const auto [begin, end] = copies_.equal_range(name);
        for (auto copy = begin; copy != end; ++copy) keys.insert(copy->second);
        for (const std::string& key : keys) {
            co_await begin_step(step_);
            const auto bytes = co_await source_->document(key, text.digest);
            if (!bytes) continue;
            add(name, Source::document, 0, *bytes);
            members_.back().text = key;
            co_return true;
        }
        co_return false;
    }

    void add(std::string name, Source source, std::uint64_t number, std::string_view bytes) {
        members_.push_back(make_member(std::move(name), source, bytes));
        members_.back().number = number;
    }

    struct Text {
        std::set<std::string> keys;  // in the store, of what entries name; of a page, what it is
        crypto::Sha256 digest;
        bool is_page = false;  // a comparison of versions
    };
    const std::shared_ptr<BundleSource> source_;
    const PolicyPaths& paths_;
    Records records_;  // without those that are members
    const Copies copies_;
    const BundleStep step_;
    BundleMembers members_;
    std::uint64_t entries_ = 0;
    tlog::CompactRange tree_;
    EvidenceGaps gaps_;
    std::vector<std::uint64_t> proven_;  // entries of a part of the log
    std::map<std::string, Text> documents_;
    std::vector<std::string> lost_;
    std::map<std::string, std::string> processing_;  // by the names of the members
    BundleMember addenda_{.zip = {.name = std::string(bundle::addenda)}, .source = Source::addenda, .text = {}};
    crypto::Sha256Stream addenda_digest_;
};

// A stamp belongs to a checkpoint as cosignatures do: the newest one that exists.
awaitable<void> add_stamp(BundlePlan& plan, const BundleSource& source, PublishedLog& log) {
    auto newest = co_await log.newest_stamp(source.facts());
    if (!newest.lost.empty()) plan.add_lost(std::move(newest.lost));
    const auto& stamp = newest.stamp;
    if (!stamp) co_return;
    plan.add_text(bundle::stamped_text_name(stamp->size), stamp->text);
    plan.add_text(bundle::stamp_name(stamp->size), stamp->answer);
    if (!stamp->consistency.empty())
        plan.add_text(bundle::consistency_name(stamp->size), tlog::hash_lines(stamp->consistency));
}

}  // namespace

awaitable<Result<Bundle>> Bundles::make(BundleFilter filter, BundleStep step) {
    const std::string description = co_await log_.description_note();
    std::string checkpoint = co_await log_.published().checkpoint();
    if (filter.user) {  // after the checkpoint, so that it covers no entry of a tag that is not there yet
        ProofRepository accounts(database_);
        const bool is_known = co_await accounts.has_account(*filter.user);
        if (!is_known) co_return fail(errors::user_not_found);
        SubjectRepository subjects(database_);
        filter.subject = (co_await subjects.find(*filter.user)).value_or(SubjectTag{});
    }
    auto source = std::make_shared<BundleSource>(database_, store_, log_, filter, std::move(checkpoint));
    TermPolicyRepository policies(database_);
    const auto published = co_await policies.list_all();
    BundlePlan plan(source, paths_, records_of(published), copies_of(published, paths_), step);
    plan.add_text(bundle::readme, readme(*source));
    plan.add_text(bundle::checkpoint, source->checkpoint());
    plan.add_text(bundle::description, description);
    plan.add_text(bundle::policy, log_.policy_text());
    plan.add_text(bundle::verifier, verifier_page());
    co_await add_stamp(plan, *source, log_.published());
    auto scanned = co_await plan.scan();
    if (!scanned) co_return fail(std::move(scanned.error()));
    const std::uint64_t entries = plan.entries();
    BundleManifest manifest{
        .filter = source->filter(), .entries = entries, .checkpoint = crypto::sha256(source->checkpoint()), .sums = {}};
    const auto signed_manifest = [&](const crypto::Sha256& sums) {
        manifest.sums = sums;
        tlog::Note note{.text = format_manifest(manifest), .signatures = {}};
        note.signatures.push_back(log_.published().signer()->sign(note.text));
        return tlog::format_note(note);
    };
    auto lost = plan.lost_texts();
    const bool is_cosigned = tlog::Policy::parse(log_.policy_text()).value().accept(source->checkpoint()).has_value();
    auto stream = std::make_shared<BundleStream>(std::move(source));
    co_await stream->prepare(std::move(plan).members(), signed_manifest, std::move(step));
    co_return Bundle{.size = stream->size(),
                     .entries = entries,
                     .lost_texts = std::move(lost),
                     .is_cosigned = is_cosigned,
                     .next = [stream] { return stream->next(); }};
}

awaitable<Result<Bundle>> Bundles::make_for(Actor by, Cause cause, BundleFilter filter, BundleStep step) {
    const TimePoint now = clock_.now();
    PrivilegedTransaction transaction(by, now);
    Audit::add_by(transaction, by, ActivityAction::admin_consent_export, cause, now);
    auto outcome = co_await std::move(transaction).commit(database_);
    if (!outcome) co_return fail(std::move(outcome.error()));
    co_return co_await make(filter, std::move(step));
}

}  // namespace consentry
