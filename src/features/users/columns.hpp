// The columns of accounts, for the repositories that read accounts together with rows of their own.
#pragma once

#include "features/users/generations.hpp"
#include "features/users/stored.hpp"
#include "features/users/user.hpp"

namespace consentry {

// Nothing expires that an account does not have, whatever the date says that a removed password has left.
inline constexpr storage::Text password_expiry_sql =
    "CASE WHEN u.password_hash IS NOT NULL THEN u.password_expires_at END";

// Of user_tables.
inline constexpr auto user_columns = storage::columns<User>(
    storage::column<"u.id", &User::id>, storage::column<"u.email", &User::email>,
    storage::column<"u.username", &User::username>, storage::column<"u.name", &User::name>,
    storage::column<"u.role_id", &User::role_id>, storage::column<"r.type", &User::role>,
    storage::column<"u.status", &User::status>, storage::column<"u.is_verified", &User::is_verified>,
    storage::column<"u.security_version", &User::security_version>,
    storage::column<"u.password_hash", &User::password_hash>,
    storage::column<"u.password_created_at", &User::password_created_at>,
    storage::column<password_expiry_sql, &User::password_expires_at>,
    storage::column<"u.password_attempt", &User::password_attempt>,
    storage::column<"u.password_locked_until", &User::password_locked_until>,
    storage::column<"u.created_at", &User::created_at>,
    storage::column<"u.must_change_password", &User::must_change_password>,
    storage::column<"u.language", &User::language>, storage::column<"u.sign_up_from", &User::sign_up_from>,
    storage::column<"u.sign_up_with", &User::sign_up_with>, storage::column<epoch_sql, &User::epoch>);
inline constexpr auto profile_columns = storage::columns<Profile>(
    storage::part<&Profile::user, user_columns>, storage::column<"r.name", &Profile::role_name>,
    storage::column<"u.verified_at", &Profile::verified_at>, storage::column<"u.sign_up_at", &Profile::sign_up_at>,
    storage::column<"u.last_login_at", &Profile::last_login_at>,
    storage::column<"u.last_login_from", &Profile::last_login_from>,
    storage::column<"u.last_login_with", &Profile::last_login_with>,
    storage::column<"u.last_ip_address", &Profile::last_ip_address>,
    storage::column<"u.updated_at", &Profile::updated_at>, storage::column<"u.gender", &Profile::gender>);
inline constexpr storage::Text user_tables = " FROM users u JOIN roles r ON r.id = u.role_id";
// For look-ups by id. PostgreSQL takes "IS NULL" for a rare condition while it has no statistics, and would search the
// partial index of the names, all of it, instead of the primary key.
inline constexpr storage::Text exists_sql = "COALESCE(u.deleted_at, 0) = 0";

}  // namespace consentry
