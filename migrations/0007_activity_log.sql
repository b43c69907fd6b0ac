-- What happened to an account, for its owner and for administrators. created_by is whoever did it: an administrator's
-- action on another account stands in that account's log under the administrator. metadata is a small JSON object.
CREATE TABLE activity_log (
    id UUID PRIMARY KEY,
    user_id UUID NOT NULL REFERENCES users (id),
    action TEXT NOT NULL,
    ip_address TEXT,
    user_agent TEXT,
    metadata TEXT,
    created_at BIGINT NOT NULL,
    created_by UUID NOT NULL REFERENCES users (id)
);
CREATE INDEX activity_log_user ON activity_log (user_id, created_at, id);
CREATE INDEX activity_log_age ON activity_log (created_at);
