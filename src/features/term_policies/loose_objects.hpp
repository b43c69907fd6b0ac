// Stored objects that may not belong to a document (migrations/0010_term_policies.sql), and the sweeper that erases
// them.
//
// The sweeper leases a row before it checks whether a document owns the object. A transaction that makes a document own
// an object first adds an expectation, with a statement that does not match leased rows. So one of the two gives way.
// Clocks of instances may differ by up to `margin`, one minute.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "features/term_policies/policy.hpp"
#include "storage/database.hpp"
#include "storage/object_store.hpp"

namespace consentry {

using storage::awaitable;

struct PolicyObject {
    storage::Area area = storage::Area::private_area;
    PolicyType type = PolicyType::terms_of_service;
    std::int64_t version = 0;
    Language language = Language::en;
};

class LooseObjects {
public:
    // Exceeds the delay of any operation that was begun in time.
    static constexpr milliseconds margin = std::chrono::minutes{1};

    // All arguments must outlive this.
    LooseObjects(storage::Database& database, storage::ObjectStore& store, const Clock& clock, PolicyPaths paths)
        : database_(database), store_(store), clock_(clock), paths_(std::move(paths)) {}

    // Records an object that must not be swept before `due_at`. `uploads_until` is when the last presigned address for
    // it expires. Expect::one: the object is not being erased.
    static void add_expected(storage::Transaction& transaction, const PolicyObject& object, TimePoint due_at,
                             std::optional<TimePoint> uploads_until, TimePoint now);
    // A document owns the object from now on. Expect::one: the object was expected and is not being erased.
    static void add_taken_up(storage::Transaction& transaction, const PolicyObject& object, TimePoint now);
    // The document no longer needs its private objects, or one of them. For transactions that hold the document's row
    // lock.
    static void add_released(storage::Transaction& transaction, TermPolicyId id, TimePoint now);
    static void add_released(storage::Transaction& transaction, const PolicyObject& object, TimePoint now);
    // The public objects of a document that is being published belong to it permanently.
    static void add_published(storage::Transaction& transaction, TermPolicyId id);

    // Erases objects that were just released, as far as the store and concurrent leases allow. Never throws; the rest
    // stays due.
    awaitable<void> sweep_released(std::vector<PolicyObject> objects);
    // Erases all objects that are due and have no owner. Safe to call on any number of instances at once. An object
    // that cannot be erased stays due, and the first outage is thrown. Rows of a newer program version that this one
    // cannot read are left alone.
    awaitable<void> sweep();

private:
    struct Taken {
        PolicyObject object;
        TimePoint until;
        TimePoint due_at;
    };
    enum class Owner { none, document, publication };

    awaitable<std::vector<PolicyObject>> list_due(TimePoint now);
    awaitable<std::optional<Taken>> take(PolicyObject object);
    awaitable<void> sweep_one(PolicyObject object);
    awaitable<Owner> owner_of(PolicyObject object);
    awaitable<void> settle(Taken taken);
    awaitable<void> put_off(Taken taken, TimePoint due_at);
    std::string key_of(const PolicyObject& object) const;

    storage::Database& database_;
    storage::ObjectStore& store_;
    const Clock& clock_;
    const PolicyPaths paths_;
};

}  // namespace consentry

template <>
struct consentry::EnumNames<consentry::storage::Area> {
    static constexpr std::array names{std::pair{consentry::storage::Area::private_area, std::string_view{"private"}},
                                      std::pair{consentry::storage::Area::public_area, std::string_view{"public"}}};
};
