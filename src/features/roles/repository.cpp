#include "features/roles/repository.hpp"

#include <stdexcept>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "features/users/stored.hpp"

namespace consentry {

boost::json::array abilities_json(const Abilities& abilities) {
    boost::json::array out;
    for (const auto& [subject, subject_name] : EnumNames<Subject>::names) {
        boost::json::array actions;
        for (const auto& [action, action_name] : EnumNames<Action>::names)
            if (abilities.name({subject, action})) actions.emplace_back(action_name);
        if (!actions.empty()) out.push_back({{"subject", subject_name}, {"action", std::move(actions)}});
    }
    return out;
}

namespace {

using storage::column;
using storage::columns;
using storage::Expect;
using storage::part;
using storage::sql;

std::string to_text(const Abilities& abilities) { return boost::json::serialize(abilities_json(abilities)); }

// Strict: abilities that this program does not know, because a newer version wrote them or they are damaged, are
// rejected rather than guessed. Throws for any other shape.
void add_abilities(Abilities& out, const boost::json::object& ability) {
    if (ability.size() != 2) throw std::runtime_error("the database holds abilities that this program does not know");
    const auto subject = stored_enum<Subject>(std::string(ability.at("subject").as_string()));
    for (const boost::json::value& action : ability.at("action").as_array())
        out.add({subject, stored_enum<Action>(std::string(action.as_string()))});
}

Abilities from_text(const std::string& text) {
    Abilities out;
    const boost::json::value stored = boost::json::parse(text);
    for (const boost::json::value& ability : stored.as_array()) add_abilities(out, ability.as_object());
    return out;
}

constexpr auto rights_columns = columns<Rights>(column<"type", &Rights::type>);
constexpr auto role_columns = columns<RoleRecord>(
    column<"id", &RoleRecord::id>, column<"name", &RoleRecord::name>, column<"description", &RoleRecord::description>,
    part<&RoleRecord::rights, rights_columns>, column<"abilities", &RoleRecord::abilities_text>,
    column<"is_built_in", &RoleRecord::is_built_in>, column<"created_at", &RoleRecord::created_at>,
    column<"created_by", &RoleRecord::created_by>, column<"updated_at", &RoleRecord::updated_at>,
    column<"updated_by", &RoleRecord::updated_by>);

RoleRecord to_role(const storage::Row& row) {
    RoleRecord out = role_columns.read(row);
    out.rights.abilities = from_text(out.abilities_text);
    return out;
}

std::optional<RoleRecord> first_of(const storage::Rows& rows) {
    if (rows.empty()) return std::nullopt;
    return to_role(rows[0]);
}

}  // namespace

awaitable<std::optional<RoleRecord>> RoleRepository::find(RoleId id) {
    co_return first_of(co_await database_.look_up(sql<"SELECT ", role_columns, " FROM roles WHERE id = $1">, id));
}

awaitable<std::optional<RoleRecord>> RoleRepository::find_by_name(std::string name) {
    co_return first_of(co_await database_.query(sql<"SELECT ", role_columns, " FROM roles WHERE name = $1">, name));
}

awaitable<ListSlice<RoleRecord>> RoleRepository::list(ListQuery query) {
    return storage::select_list(database_, {.columns = role_columns.list(), .from = "roles WHERE TRUE"},
                                std::move(query), to_role);
}

awaitable<bool> RoleRepository::is_used(RoleId id) {
    const auto rows = co_await database_.query("SELECT 1 FROM users WHERE role_id = $1 LIMIT 1", id);
    co_return !rows.empty();
}

void RoleRepository::add_insert(PrivilegedTransaction& transaction, const RoleRecord& role) {
    transaction.add(
        Expect::one,
        "INSERT INTO roles (id, name, description, type, abilities, is_built_in, created_at, created_by, updated_at, "
        "updated_by) VALUES ($1, $2, $3, $4, $5, FALSE, $6, $7, $6, $7) ON CONFLICT (name) DO NOTHING",
        role.id, role.name, role.description, name_of(role.rights.type), to_text(role.rights.abilities),
        role.created_at, role.created_by);
}

void RoleRepository::add_update(PrivilegedTransaction& transaction, const RoleRecord& role, const RoleRecord& seen) {
    transaction.add(Expect::one,
                    "UPDATE roles SET description = $2, type = $3, abilities = $4, updated_at = $5, updated_by = $6 "
                    "WHERE id = $1 AND type = $7 AND abilities = $8",
                    role.id, role.description, name_of(role.rights.type), to_text(role.rights.abilities),
                    role.updated_at, role.updated_by, name_of(seen.rights.type), seen.abilities_text);
}

void RoleRepository::add_erase(PrivilegedTransaction& transaction, const RoleRecord& seen) {
    // If PostgreSQL waited for the role in the deletion itself, that would not see who was assigned the role meanwhile.
    // Of all updates, only one that changes a unique column waits for the transactions whose accounts refer to the row.
    // Names are letters and digits, so no other role has this one.
    transaction.add(Expect::any, "UPDATE roles SET name = name || '-' WHERE id = $1", seen.id);
    transaction.add(Expect::one,
                    "DELETE FROM roles WHERE id = $1 AND type = $2 AND abilities = $3 AND NOT is_built_in "
                    "AND NOT EXISTS (SELECT 1 FROM users WHERE role_id = $1)",
                    seen.id, name_of(seen.rights.type), seen.abilities_text);
}

void RoleRepository::add_hold(storage::Transaction& transaction, RoleId id) {
    for (const auto& [type, name] : EnumNames<Role>::names)
        if (id == built_in_role(type)) return;
    transaction.add(Expect::one, "UPDATE roles SET updated_at = updated_at WHERE id = $1", id);
}

}  // namespace consentry
