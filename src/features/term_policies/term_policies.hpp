// Legal documents for their authors: drafts, their files, publication.
//
// Files bypass this service: an author uploads a file to a presigned address, then reports it here; the file is read,
// checked and recorded with its digest. Only drafts can be changed, and not while they are being published. Independent
// of HTTP: the command line uses this class with a Cause without an actor.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "features/activity/audit.hpp"
#include "features/mail/mails.hpp"
#include "features/term_policies/loose_objects.hpp"
#include "features/term_policies/publication.hpp"
#include "features/term_policies/repository.hpp"

namespace consentry {

struct TermPolicySettings {
    PolicyPaths paths;
    seconds presign_lifetime{1'800};
};

// An uploaded file, as its author describes it.
struct ContentFile {
    Language language = Language::en;
    std::string key;  // must be PolicyPaths::draft() of this file
    std::int64_t size = 0;
};

struct NewTermPolicy {
    PolicyType type = PolicyType::terms_of_service;
    std::int64_t version = 0;           // 1 ... policy_version_max
    std::vector<ContentFile> contents;  // not empty, each language once
    std::optional<std::string> processing = {};
};

struct PresignedFile {
    std::string url;
    std::string key;
    seconds expires_in{};
};

class TermPolicies {
public:
    // All arguments must outlive this. `log` is null if publications are not recorded in one.
    TermPolicies(storage::Database& database, storage::ObjectStore& store, const Clock& clock, const Mails& mails,
                 Audit audit, TermPolicySettings settings, const PublicationLog* log = nullptr);

    const PolicyPaths& paths() const { return settings_.paths; }
    const storage::ObjectStore& store() const { return store_; }

    awaitable<ListSlice<TermPolicy>> list(ListQuery query) { return repository_.list(std::move(query)); }
    awaitable<std::vector<TermPolicy>> list_all() { return repository_.list_all(); }  // by type and version
    awaitable<Result<TermPolicy>> find(TermPolicyId id);
    awaitable<std::optional<TermPolicy>> find_version(PolicyType type, std::int64_t version);

    // Returns an address for uploading a draft's file. Errors: statusInvalid (that version is published), busy.
    awaitable<Result<PresignedFile>> presign_upload(PolicyType type, std::int64_t version, Language language,
                                                    std::int64_t size);
    // Returns an address for reading a file: a temporary one for drafts, a permanent one for published documents.
    // Errors: notFound, contentNotFound.
    awaitable<Result<PresignedFile>> presign_download(TermPolicyId id, Language language);

    // Errors of all five: contentInvalid, with the languages and what is wrong in `data`; validation if a key is not
    // the draft's place; busy while the document is being published or a file is being erased.
    awaitable<Result<TermPolicy>> create(Actor by, NewTermPolicy wanted, Cause cause);  // exist
    // Further errors of these: notFound, statusInvalid (published).
    awaitable<Result<void>> add_content(Actor by, TermPolicyId id, ContentFile file, Cause cause);  // contentExist
    awaitable<Result<void>> update_content(Actor by, TermPolicyId id, ContentFile file,
                                           Cause cause);  // contentNotFound
    awaitable<Result<void>> remove_content(Actor by, TermPolicyId id, Language language,
                                           Cause cause);                          // contentNotFound
    awaitable<Result<TermPolicy>> erase(Actor by, TermPolicyId id, Cause cause);  // what it was
    // Replaces the processing document of a draft; nullopt removes it. `processing` is what processing_text() returns.
    // Errors: notFound, statusInvalid (published), busy.
    awaitable<Result<void>> update_processing(Actor by, TermPolicyId id, std::optional<std::string> processing,
                                              Cause cause);

    // See Publication.
    awaitable<Result<TermPolicy>> publish(Actor by, TermPolicyId id, Cause cause, PublicationTerms terms = {});
    // Returns how many active users hold an acceptance that lets them pass now, be it in a grace period, and would not
    // if this were published as a material change. Of the first version of a type: all, because nothing can stop them
    // before. `step` is called before each portion of work, which takes well under a second. Error: notFound.
    awaitable<Result<PolicyImpact>> impact(TermPolicyId id, std::function<void()> step = {});

    // Stores a draft's file without a presigned address, where create() and the content functions expect it. Errors:
    // contentInvalid, statusInvalid (that version is published), busy.
    awaitable<Result<ContentFile>> upload(PolicyType type, std::int64_t version, Language language, std::string bytes);
    // Returns a file's bytes, of a draft or a published document. Errors: notFound, contentNotFound, contentInvalid
    // (the stored file of a draft is not the one that was checked). Throws Unavailable if that of a published document
    // is not the published one.
    awaitable<Result<std::string>> read(TermPolicyId id, Language language);

    // Call periodically; see LooseObjects.
    awaitable<void> sweep() { return loose_objects_.sweep(); }

private:
    // Reads and checks the files. Protects them from the sweeper meanwhile.
    awaitable<Result<std::vector<PolicyContent>>> check(PolicyType type, std::int64_t version,
                                                        std::vector<ContentFile> files);
    awaitable<Result<void>> expect(PolicyType type, std::int64_t version, std::vector<Language> languages,
                                   TimePoint due_at, std::optional<TimePoint> uploads_until);
    awaitable<Result<TermPolicy>> find_draft(TermPolicyId id);
    // Erases the files of a document that is no longer a draft.
    awaitable<void> sweep_drafts(TermPolicy policy);
    awaitable<Result<void>> change_content(Actor by, TermPolicyId id, ContentFile file, Cause cause, bool is_new);
    using AddChange = std::function<void(PrivilegedTransaction& transaction, TimePoint now)>;
    using RefusalAt = std::function<std::optional<Error>(std::size_t failed_at)>;
    // Commits what `add` adds, after a statement (number 0) that asserts that the document is a draft. Retries while
    // others change it. `refusal_at`: the error of a failed statement, or nullopt if it is for hindrance() to say.
    awaitable<Result<void>> change_draft(Actor by, TermPolicyId id, AddChange add, RefusalAt refusal_at);
    // Returns why a change of this document had no effect, or nullopt if nothing prevents it any more.
    awaitable<std::optional<Error>> hindrance(TermPolicyId id);
    Error busy() const;

    storage::Database& database_;
    storage::ObjectStore& store_;
    TermPolicyRepository repository_;
    LooseObjects loose_objects_;
    Publication publication_;
    const Clock& clock_;
    const TermPolicySettings settings_;
};

}  // namespace consentry
