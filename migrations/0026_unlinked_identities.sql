-- Identities that the operator has unlinked from an account, so that the word of their provider does not link them to it
-- again. An account can have any number of them at a provider. created_at: when it was linked.
CREATE TABLE unlinked_identities (
    user_id UUID NOT NULL REFERENCES users (id),
    provider TEXT NOT NULL,
    subject TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    unlinked_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, provider, subject)
);
