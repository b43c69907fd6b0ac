-- Logins. jti is the identifier both tokens of the current pair carry; a refresh replaces it.
-- challenge_digest: the two-factor challenge that was spent on this login. It is unique, so that a challenge makes
-- one session at most, whatever the cache says.
CREATE TABLE sessions (
    id UUID PRIMARY KEY,
    user_id UUID NOT NULL REFERENCES users (id),
    jti TEXT NOT NULL,
    previous_jti TEXT,
    access_digest BYTEA NOT NULL,
    refresh_digest BYTEA NOT NULL,
    previous_refresh_digest BYTEA,
    challenge_digest BYTEA UNIQUE,
    login_from TEXT NOT NULL,
    login_with TEXT NOT NULL,
    login_at BIGINT NOT NULL,
    device_fingerprint TEXT,
    device_name TEXT,
    device_platform TEXT,
    ip_address TEXT NOT NULL,
    user_agent TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    issued_at BIGINT NOT NULL,
    last_active_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    revoked_at BIGINT,
    revoked_reason TEXT
);
-- The live ones of a user, in the order in which they end.
CREATE INDEX sessions_user_live ON sessions (user_id, created_at, id) WHERE revoked_at IS NULL;
CREATE INDEX sessions_expiry ON sessions (expires_at);
