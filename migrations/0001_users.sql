-- Accounts. Times are milliseconds since 1970 UTC.
-- security_version rises with every change that ends what was granted before (password, second factor, status):
-- a login, challenge or token made under an older one is worth nothing.
CREATE TABLE users (
    id UUID PRIMARY KEY,
    email TEXT NOT NULL,
    username TEXT NOT NULL,
    name TEXT,
    role TEXT NOT NULL,
    status TEXT NOT NULL,
    is_verified BOOLEAN NOT NULL,
    verified_at BIGINT,
    security_version BIGINT NOT NULL DEFAULT 1,
    password_hash TEXT,
    password_created_at BIGINT,
    password_expires_at BIGINT,
    password_attempt BIGINT NOT NULL DEFAULT 0,
    password_locked_until BIGINT,
    -- Numbers the two-factor challenges of this account, so that the open ones can be bounded.
    challenge_seq BIGINT NOT NULL DEFAULT 0,
    sign_up_at BIGINT NOT NULL,
    sign_up_from TEXT NOT NULL,
    sign_up_with TEXT NOT NULL,
    last_login_at BIGINT,
    last_login_from TEXT,
    last_login_with TEXT,
    last_ip_address TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    deleted_at BIGINT
);
-- These also give lists by email and by username the ids of a page.
-- Only for SQLite: its indexes have the id as well, and it knows so of those that are not written within the table.
CREATE UNIQUE INDEX users_email ON users (email);
-- Only for SQLite: likewise.
CREATE UNIQUE INDEX users_username ON users (username);
-- Only for PostgreSQL.
CREATE UNIQUE INDEX users_email ON users (email) INCLUDE (id);
-- Only for PostgreSQL.
CREATE UNIQUE INDEX users_username ON users (username) INCLUDE (id);

-- What a new password is compared with. The hash of the password in use is here as well.
CREATE TABLE password_history (
    id UUID PRIMARY KEY,
    user_id UUID NOT NULL REFERENCES users (id),
    password_hash TEXT NOT NULL,
    type TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX password_history_user ON password_history (user_id, expires_at);

-- Failures of addresses that belong to nobody: they lock as known ones do, so that a lock tells nothing.
-- The address is kept only as a keyed digest.
CREATE TABLE unknown_logins (
    address_digest BYTEA PRIMARY KEY,
    attempt BIGINT NOT NULL,
    locked_until BIGINT,
    updated_at BIGINT NOT NULL
);
CREATE INDEX unknown_logins_updated ON unknown_logins (updated_at);
