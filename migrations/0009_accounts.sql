-- A temporary password lets its owner in to change it, and to nothing else.
ALTER TABLE users ADD COLUMN must_change_password BOOLEAN NOT NULL DEFAULT FALSE;
-- Of a deleted account, until its personal data are erased. Its own email says "deleted" and its id from the deletion
-- on, so that the address is free at once.
ALTER TABLE users ADD COLUMN deleted_email TEXT;
ALTER TABLE users ADD COLUMN erased_at BIGINT;
CREATE INDEX users_deleted ON users (deleted_at) WHERE deleted_at IS NOT NULL AND erased_at IS NULL;
-- The orders an administrator may list accounts in. A page's ids are found in the index alone, so that the rows of
-- earlier pages are passed over unread. For that SQLite wants all columns that the statement names within: deleted_at,
-- although no entry is deleted, and name itself beside the expression.
CREATE INDEX users_name ON users (COALESCE(name, ''), id, deleted_at, name) WHERE deleted_at IS NULL;
-- These two answer counts by themselves, for the same reason.
CREATE INDEX users_created ON users (created_at, id, deleted_at, status);
CREATE INDEX users_status ON users (status, id, deleted_at);
-- All sessions of an account, for administrators; those that ended are in no index else.
CREATE INDEX sessions_user ON sessions (user_id, created_at, id);

-- What a link in a mail proves. One of a purpose per account: a newer one takes the older one's place. Spending deletes
-- it. digest: SHA-256 of the token, which is nowhere but in the mail. email: what the mail was sent to.
CREATE TABLE account_tokens (
    user_id UUID NOT NULL REFERENCES users (id),
    purpose TEXT NOT NULL,
    digest BYTEA NOT NULL UNIQUE,
    email TEXT NOT NULL,
    reference TEXT NOT NULL UNIQUE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, purpose)
);
CREATE INDEX account_tokens_expiry ON account_tokens (expires_at);

-- Requests for such a link. The request itself writes this row whoever the address belongs to, and what is behind the
-- address is looked at later, so that neither answer nor time tell strangers whether there is an account.
CREATE TABLE link_requests (
    address_digest BYTEA NOT NULL,
    purpose TEXT NOT NULL,
    email TEXT NOT NULL,
    ip_address TEXT NOT NULL,
    user_agent TEXT NOT NULL,
    requested_at BIGINT NOT NULL,
    handled_at BIGINT,
    PRIMARY KEY (address_digest, purpose)
);
CREATE INDEX link_requests_open ON link_requests (requested_at) WHERE handled_at IS NULL;
CREATE INDEX link_requests_age ON link_requests (requested_at);

-- Who an account is at an identity provider. The provider's subject is the key; its address is no more than data. At
-- each provider an account is one subject: an address that the provider gave to somebody else leads to no account.
CREATE TABLE identities (
    provider TEXT NOT NULL,
    subject TEXT NOT NULL,
    user_id UUID NOT NULL REFERENCES users (id),
    email TEXT,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT,
    PRIMARY KEY (provider, subject)
);
CREATE UNIQUE INDEX identities_user ON identities (user_id, provider);

-- Identity tokens that were used: each is good for one login. digest: SHA-256 of the token's signed part.
CREATE TABLE spent_identity_tokens (
    digest BYTEA PRIMARY KEY,
    expires_at BIGINT NOT NULL
);
CREATE INDEX spent_identity_tokens_expiry ON spent_identity_tokens (expires_at);

-- Accounts on their way in, checked, of an import that is not finished: one transaction makes accounts of them all, or
-- none. import_id tells when it began (UUID version 7); row_number counts the rows of the file from 0.
CREATE TABLE import_rows (
    import_id UUID NOT NULL,
    row_number BIGINT NOT NULL,
    user_id UUID NOT NULL,
    email TEXT NOT NULL,
    username TEXT NOT NULL,
    name TEXT,
    role_id UUID NOT NULL,
    status TEXT NOT NULL,
    is_verified BOOLEAN NOT NULL,
    language TEXT NOT NULL,
    password_hash TEXT,
    google_subject TEXT,
    apple_subject TEXT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (import_id, row_number)
);

-- Devices an account was signed in on, so that a login on another one can be told to its owner. digest: of what the
-- client calls the device, or else of its user agent without version numbers.
CREATE TABLE known_devices (
    user_id UUID NOT NULL REFERENCES users (id),
    digest BYTEA NOT NULL,
    first_seen_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, digest)
);
