-- Append-only logs that anybody can verify (docs/decisions/0032). A transaction that records something adds its entry
-- without a position. The sequencer gives it one, which never changes, and publishes it. id: of what the entry is
-- about. salt: of its addendum; NULL once the evidence is deleted.
CREATE TABLE log_entries (
    id UUID PRIMARY KEY,
    log TEXT NOT NULL,
    entry BYTEA NOT NULL,
    salt BYTEA,
    position BIGINT,
    UNIQUE (log, position)
);
CREATE INDEX log_entries_pending ON log_entries (log, id) WHERE position IS NULL;

-- size: how many entries have a position. published: how many of them are in the tiles. edge: the tree of that size at
-- its right edge. checkpoint: the signed note of it. partial_tiles: the paths of those that full tiles will replace.
CREATE TABLE logs (
    name TEXT PRIMARY KEY,
    verifier_key TEXT NOT NULL,
    size BIGINT NOT NULL DEFAULT 0,
    published BIGINT NOT NULL DEFAULT 0,
    edge BYTEA NOT NULL,
    checkpoint TEXT NOT NULL,
    partial_tiles TEXT NOT NULL DEFAULT ''
);

-- What entries call an account.
CREATE TABLE log_subjects (
    user_id UUID PRIMARY KEY REFERENCES users (id),
    tag BYTEA NOT NULL UNIQUE
);

-- The keys of all receipts ever signed: receipts outlive the rotation of keys.
CREATE TABLE receipt_keys (
    kid TEXT PRIMARY KEY,
    jwk TEXT NOT NULL,
    first_used_at BIGINT NOT NULL
);
