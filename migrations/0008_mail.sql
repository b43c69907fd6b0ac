-- The language an account is written to in.
ALTER TABLE users ADD COLUMN language TEXT NOT NULL DEFAULT 'en';

-- Mails that are still to be sent, written with the change they tell about and deleted once the next server has them.
-- address: of the account when the mail was written, never what somebody typed. payload is sealed (AES-256-GCM) with
-- the iv beside it: it may hold a link that lets somebody in. Whoever sends takes a row for a while (taken_until) and
-- leaves its mark (taken_by). failed_at: given up, with what the server said.
CREATE TABLE mails (
    id UUID PRIMARY KEY,
    user_id UUID NOT NULL REFERENCES users (id),
    address TEXT NOT NULL,
    language TEXT NOT NULL,
    kind TEXT NOT NULL,
    iv BYTEA NOT NULL,
    payload BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    due_at BIGINT NOT NULL,
    attempt BIGINT NOT NULL DEFAULT 0,
    taken_by UUID,
    taken_until BIGINT,
    failed_at BIGINT,
    last_error TEXT
);
CREATE INDEX mails_due ON mails (due_at, id) WHERE failed_at IS NULL;
CREATE INDEX mails_failed ON mails (failed_at) WHERE failed_at IS NOT NULL;
CREATE INDEX mails_user ON mails (user_id);
