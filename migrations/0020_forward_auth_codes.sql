-- Codes with which a browser got the cookie of a guarded host, so that each works once. digest: SHA-256 of the code.
CREATE TABLE spent_forward_auth_codes (
    digest BYTEA PRIMARY KEY,
    expires_at BIGINT NOT NULL
);
CREATE INDEX spent_forward_auth_codes_age ON spent_forward_auth_codes (expires_at);
