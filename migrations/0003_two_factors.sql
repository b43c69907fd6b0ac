-- One row per user that ever began a set-up. secret is sealed (AES-256-GCM) with the iv beside it.
-- attempt and locked_until decide; last_step is the newest time step a code was accepted for.
CREATE TABLE two_factors (
    user_id UUID PRIMARY KEY REFERENCES users (id),
    enabled BOOLEAN NOT NULL,
    required_setup BOOLEAN NOT NULL,
    iv BYTEA,
    secret BYTEA,
    last_step BIGINT NOT NULL DEFAULT 0,
    attempt BIGINT NOT NULL DEFAULT 0,
    locked_until BIGINT,
    confirmed_at BIGINT,
    last_used_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

-- Unspent backup codes, as keyed digests. A row is the permission: spending deletes it.
CREATE TABLE backup_codes (
    user_id UUID NOT NULL REFERENCES users (id),
    code_digest BYTEA NOT NULL,
    PRIMARY KEY (user_id, code_digest)
);
