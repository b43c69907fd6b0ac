#include "features/term_policies/loose_objects.hpp"

#include <fmt/format.h>

#include "features/users/stored.hpp"
#include "storage/columns.hpp"

namespace consentry {
namespace {

using storage::column;
using storage::columns;
using storage::Expect;
using storage::sql;
using storage::Text;

constexpr std::int64_t objects_at_once = 100;

template <Text name>
constexpr Text later_sql = name + " = CASE WHEN loose_objects." + name + " < excluded." + name + " THEN excluded." +
                           name + " ELSE loose_objects." + name + " END";
// For a leased row, due_at becomes the end of the lease. That change tells the sweeper that the row was released
// meanwhile.
constexpr Text due_now_sql =
    " ON CONFLICT (area, type, version, language) DO UPDATE SET due_at = CASE WHEN loose_objects.taken_until > "
    "excluded.due_at THEN loose_objects.taken_until ELSE excluded.due_at END";
constexpr Text this_object_sql = "area = $1 AND type = $2 AND version = $3 AND language = $4";

constexpr auto object_columns =
    columns<PolicyObject>(column<"area", &PolicyObject::area>, column<"type", &PolicyObject::type>,
                          column<"version", &PolicyObject::version>, column<"language", &PolicyObject::language>);

template <NamedEnum Enum>
std::string known_names() {
    std::string out;
    for (const auto& [value, name] : EnumNames<Enum>::names) {
        out.append(out.empty() ? "'" : ", '");
        out.append(name).append("'");
    }
    return out;
}

// Skips rows with values that only a newer version of the program knows, so that they are left to it and do not block
// the others.
const std::string& due_sql() {
    static const std::string statement =
        std::string(sql<"SELECT ", object_columns,
                        " FROM loose_objects WHERE due_at <= $1 AND (taken_until IS NULL OR taken_until <= $1) ">) +
        fmt::format("AND area IN ({}) AND type IN ({}) AND language IN ({}) ORDER BY due_at LIMIT $2",
                    known_names<storage::Area>(), known_names<PolicyType>(), known_names<Language>());
    return statement;
}

}  // namespace

void LooseObjects::add_expected(storage::Transaction& transaction, const PolicyObject& object, TimePoint due_at,
                                std::optional<TimePoint> uploads_until, TimePoint now) {
    transaction.add(Expect::one,
                    sql<"INSERT INTO loose_objects (area, type, version, language, due_at, uploads_until) "
                        "VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (area, type, version, language) DO UPDATE SET ",
                        later_sql<"due_at">, ", ", later_sql<"uploads_until">,
                        " WHERE loose_objects.taken_until IS NULL OR loose_objects.taken_until <= $7">,
                    name_of(object.area), name_of(object.type), object.version, name_of(object.language), due_at,
                    uploads_until.value_or(TimePoint{}), now);
}

// Changes nothing, but waits for concurrent changes of the row.
void LooseObjects::add_taken_up(storage::Transaction& transaction, const PolicyObject& object, TimePoint now) {
    transaction.add(Expect::one,
                    sql<"UPDATE loose_objects SET due_at = due_at WHERE ", this_object_sql,
                        " AND (taken_until IS NULL OR taken_until <= $5)">,
                    name_of(object.area), name_of(object.type), object.version, name_of(object.language), now);
}

void LooseObjects::add_released(storage::Transaction& transaction, TermPolicyId id, TimePoint now) {
    transaction.add(Expect::any,
                    sql<"INSERT INTO loose_objects (area, type, version, language, due_at) "
                        "SELECT 'private', p.type, p.version, c.language, CAST($2 AS BIGINT) FROM term_policies p "
                        "JOIN term_policy_contents c ON c.term_policy_id = p.id WHERE p.id = $1 ORDER BY c.language",
                        due_now_sql>,
                    id, now);
}

void LooseObjects::add_released(storage::Transaction& transaction, const PolicyObject& object, TimePoint now) {
    transaction.add(Expect::any,
                    sql<"INSERT INTO loose_objects (area, type, version, language, due_at) "
                        "VALUES ($1, $2, $3, $4, $5)",
                        due_now_sql>,
                    name_of(object.area), name_of(object.type), object.version, name_of(object.language), now);
}

void LooseObjects::add_published(storage::Transaction& transaction, TermPolicyId id) {
    transaction.add(Expect::any,
                    "DELETE FROM loose_objects WHERE area = 'public' AND (type, version) IN (SELECT type, version FROM "
                    "term_policies WHERE id = $1) AND language IN (SELECT language FROM term_policy_contents WHERE "
                    "term_policy_id = $1)",
                    id);
}

awaitable<void> LooseObjects::sweep() {
    for (;;) {
        const auto due = co_await list_due(clock_.now());
        for (const PolicyObject& object : due) co_await sweep_one(object);
        if (std::ssize(due) < objects_at_once) co_return;
    }
}

awaitable<void> LooseObjects::sweep_released(std::vector<PolicyObject> objects) {
    try {
        for (const PolicyObject& object : objects) co_await sweep_one(object);
    } catch (const std::exception&) {  // the change itself has committed; sweep() retries the rest
    }
}

awaitable<std::vector<PolicyObject>> LooseObjects::list_due(TimePoint now) {
    const auto rows = co_await database_.query(due_sql(), now, objects_at_once);
    co_return object_columns.read_all(rows);
}

awaitable<std::optional<LooseObjects::Taken>> LooseObjects::take(PolicyObject object) {
    const TimePoint now = clock_.now();
    Taken out{.object = object, .until = now + store_.longest_call() + margin, .due_at = {}};
    const auto rows = co_await database_.execute(
        sql<"UPDATE loose_objects SET taken_until = $6 WHERE ", this_object_sql,
            " AND due_at <= $5 AND (taken_until IS NULL OR taken_until <= $5) RETURNING due_at">,
        name_of(object.area), name_of(object.type), object.version, name_of(object.language), now, out.until);
    if (rows.empty()) co_return std::nullopt;
    out.due_at = rows[0].time(0);
    co_return out;
}

awaitable<void> LooseObjects::sweep_one(PolicyObject object) {
    const auto taken = co_await take(object);
    if (!taken) co_return;
    const Owner owner = co_await owner_of(object);
    const TimePoint now = clock_.now();
    if (owner == Owner::publication) {
        co_await put_off(*taken, now + 2 * (store_.longest_call() + margin));
        co_return;
    }
    if (owner == Owner::none) {
        // Erase only if the call must end before the lease expires.
        if (taken->until - now < store_.longest_call()) co_return;
        co_await store_.erase(object.area, key_of(object));
    }
    co_await settle(*taken);
}

awaitable<LooseObjects::Owner> LooseObjects::owner_of(PolicyObject object) {
    const auto rows = co_await database_.query(
        "SELECT p.status, p.publishing_until FROM term_policies p JOIN term_policy_contents c "
        "ON c.term_policy_id = p.id WHERE p.type = $1 AND p.version = $2 AND c.language = $3",
        name_of(object.type), object.version, name_of(object.language));
    if (rows.empty()) co_return Owner::none;
    const auto status = find_enum<PolicyStatus>(rows[0].text(0));
    // Only the newer version of the program that wrote this status knows whether the document owns the object.
    if (!status) co_return Owner::publication;
    const bool is_published = *status == PolicyStatus::published;
    if (is_published == (object.area == storage::Area::public_area)) co_return Owner::document;
    const auto publishing_until = rows[0].time_or_null(1);
    const bool is_on_its_way = !is_published && publishing_until && *publishing_until > clock_.now();
    co_return is_on_its_way ? Owner::publication : Owner::none;
}

// A row that was released meanwhile has another due_at and remains for the next sweep.
awaitable<void> LooseObjects::settle(Taken taken) {
    const auto& [object, until, due_at] = taken;
    const TimePoint now = clock_.now();
    storage::Transaction transaction;
    transaction.add(Expect::any,
                    sql<"DELETE FROM loose_objects WHERE ", this_object_sql,
                        " AND taken_until = $5 AND due_at = $6 AND uploads_until <= $7">,
                    name_of(object.area), name_of(object.type), object.version, name_of(object.language), until, due_at,
                    now);
    transaction.add(Expect::any,
                    sql<"UPDATE loose_objects SET due_at = uploads_until, taken_until = NULL WHERE ", this_object_sql,
                        " AND taken_until = $5 AND due_at = $6">,
                    name_of(object.area), name_of(object.type), object.version, name_of(object.language), until,
                    due_at);
    co_await database_.commit(std::move(transaction));
}

awaitable<void> LooseObjects::put_off(Taken taken, TimePoint due_at) {
    const PolicyObject& object = taken.object;
    co_await database_.execute(sql<"UPDATE loose_objects SET due_at = $6, taken_until = NULL WHERE ", this_object_sql,
                                   " AND taken_until = $5">,
                               name_of(object.area), name_of(object.type), object.version, name_of(object.language),
                               taken.until, due_at);
}

std::string LooseObjects::key_of(const PolicyObject& object) const {
    const auto& [area, type, version, language] = object;
    return area == storage::Area::private_area ? paths_.draft(type, version, language)
                                               : paths_.publication(type, version, language);
}

}  // namespace consentry
