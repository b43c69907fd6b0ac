// Legal documents in the hands of those who write them: drafts, their files, publication.
//
// Files travel past this service: whoever writes one uploads it to a presigned address, then says so here, and what
// lies there is read, checked and written down with its digest. Only a draft changes, and not while it is published.
// Knows no HTTP: the command line uses it as it is, with a Cause that names nobody.
#pragma once

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

// A file that was uploaded, as its writer describes it.
struct ContentFile {
    Language language = Language::en;
    std::string key;  // must be the draft's place: PolicyPaths::draft()
    std::int64_t size = 0;
};

struct NewTermPolicy {
    PolicyType type = PolicyType::terms_of_service;
    std::int64_t version = 0;           // 1 ... policy_version_max
    std::vector<ContentFile> contents;  // not empty, each language once
};

struct PresignedFile {
    std::string url;
    std::string key;
    seconds expires_in{};
};

class TermPolicies {
public:
    // All outlive this.
    TermPolicies(storage::Database& database, storage::ObjectStore& store, const Clock& clock, const Mails& mails,
                 Audit audit, TermPolicySettings settings);

    const PolicyPaths& paths() const { return settings_.paths; }
    const storage::ObjectStore& store() const { return store_; }

    awaitable<ListSlice<TermPolicy>> list(ListQuery query) { return repository_.list(std::move(query)); }
    awaitable<std::vector<TermPolicy>> list_all() { return repository_.list_all(); }  // by type and version
    awaitable<Result<TermPolicy>> find(TermPolicyId id);
    awaitable<std::optional<TermPolicy>> find_version(PolicyType type, std::int64_t version);

    // An address to upload a draft's file to. Errors: statusInvalid (that version is published), busy.
    awaitable<Result<PresignedFile>> presign_upload(PolicyType type, std::int64_t version, Language language,
                                                    std::int64_t size);
    // Where a file can be read: a draft's for a while, a published one's for good. Errors: notFound, contentNotFound.
    awaitable<Result<PresignedFile>> presign_download(TermPolicyId id, Language language);

    // All of them: contentInvalid with the languages and what is wrong in `data`; validation where a key is not the
    // draft's place; busy while it is published or a file is being erased.
    awaitable<Result<TermPolicy>> create(Actor by, NewTermPolicy wanted, Cause cause);  // exist
    // Errors of these besides: notFound, statusInvalid (published).
    awaitable<Result<void>> add_content(Actor by, TermPolicyId id, ContentFile file, Cause cause);  // contentExist
    awaitable<Result<void>> update_content(Actor by, TermPolicyId id, ContentFile file,
                                           Cause cause);  // contentNotFound
    awaitable<Result<void>> remove_content(Actor by, TermPolicyId id, Language language,
                                           Cause cause);                          // contentNotFound
    awaitable<Result<TermPolicy>> erase(Actor by, TermPolicyId id, Cause cause);  // what it was

    // See Publication.
    awaitable<Result<TermPolicy>> publish(Actor by, TermPolicyId id, Cause cause);
    // How many active users hold an acceptance which is good now, and would not be if this were published.
    // Error: notFound.
    awaitable<Result<PolicyImpact>> impact(TermPolicyId id);

    // Without a presigned address: puts a draft's file where create() and the others look for it. Errors:
    // contentInvalid, statusInvalid (that version is published), busy.
    awaitable<Result<ContentFile>> upload(PolicyType type, std::int64_t version, Language language, std::string bytes);
    // A file's bytes, of drafts and of what is published. Errors: notFound, contentNotFound, contentInvalid (the store
    // has not what was checked).
    awaitable<Result<std::string>> read(TermPolicyId id, Language language);

    // For now and then; see LooseObjects.
    awaitable<void> sweep() { return loose_objects_.sweep(); }

private:
    // Reads the files, which nobody erases meanwhile.
    awaitable<Result<std::vector<PolicyContent>>> check(PolicyType type, std::int64_t version,
                                                        std::vector<ContentFile> files);
    awaitable<Result<void>> expect(PolicyType type, std::int64_t version, std::vector<Language> languages,
                                   TimePoint due_at, std::optional<TimePoint> uploads_until);
    awaitable<Result<TermPolicy>> find_draft(TermPolicyId id);
    // The files of a draft that is one no more.
    awaitable<void> sweep_drafts(TermPolicy policy);
    awaitable<Result<void>> change_content(Actor by, TermPolicyId id, ContentFile file, Cause cause, bool is_new);
    // Why a change of this document did nothing. nullopt: nothing stands in its way any more.
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
