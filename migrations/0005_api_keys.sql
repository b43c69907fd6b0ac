-- What programs show to be let in, beside whatever their users show. digest: the SHA-256 of key:secret; the secret, 50
-- random characters, is nowhere. A key of type system opens what is for systems, one of type default all else. start_at
-- and end_at, the first and the last millisecond of its use, are both there or neither.
CREATE TABLE api_keys (
    id UUID PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    digest BYTEA NOT NULL,
    name TEXT NOT NULL,
    type TEXT NOT NULL,
    is_active BOOLEAN NOT NULL,
    start_at BIGINT,
    end_at BIGINT,
    created_at BIGINT NOT NULL,
    created_by UUID,
    updated_at BIGINT NOT NULL,
    updated_by UUID
);
