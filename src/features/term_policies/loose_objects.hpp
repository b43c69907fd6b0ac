// Objects that may have no document (migrations/0010_term_policies.sql), and the sweeper that erases them.
//
// The sweeper takes a row for a while before it looks whether a document has the object. Whoever makes a document of an
// object expects the row first, by a statement that finds no row that is taken; so of the two, one gives way. Where
// clocks of several instances differ, all of it holds within the minute of `margin`.
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
    // Longer than anything that was begun in time can be late.
    static constexpr milliseconds margin = std::chrono::minutes{1};

    // All outlive this.
    LooseObjects(storage::Database& database, storage::ObjectStore& store, const Clock& clock, PolicyPaths paths)
        : database_(database), store_(store), clock_(clock), paths_(std::move(paths)) {}

    // Not to be looked at before then; `uploads_until`: an address may bring it until then. Expect::one: it is not
    // being erased.
    static void add_expected(storage::Transaction& transaction, const PolicyObject& object, TimePoint due_at,
                             std::optional<TimePoint> uploads_until, TimePoint now);
    // A document has it from now on. Expect::one: it was expected, and is not being erased.
    static void add_taken_up(storage::Transaction& transaction, const PolicyObject& object, TimePoint now);
    // The private objects of a document, or one of them, have done their duty. For transactions that hold its row.
    static void add_released(storage::Transaction& transaction, TermPolicyId id, TimePoint now);
    static void add_released(storage::Transaction& transaction, const PolicyObject& object, TimePoint now);
    // The public objects of a document that is being published belong to it for good.
    static void add_published(storage::Transaction& transaction, TermPolicyId id);

    // What was released just now: erased at once, as far as the store and others let it. The rest stays due, whatever
    // goes wrong.
    awaitable<void> sweep_released(std::vector<PolicyObject> objects);
    // Erases what is due and nobody's. Any number of instances may do so at once. An object that cannot be erased now
    // stays due; the first outage is thrown. What a newer version of the program wrote, and this one cannot read,
    // stays.
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
