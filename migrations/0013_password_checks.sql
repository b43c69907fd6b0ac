-- Checks of a password that are under way: begun, and neither right nor wrong yet. Those that never end count as failures
-- from `password_pending_until` on. `password_attempt` counts failures alone.
ALTER TABLE users ADD COLUMN password_pending BIGINT NOT NULL DEFAULT 0;
ALTER TABLE users ADD COLUMN password_pending_until BIGINT;
ALTER TABLE unknown_logins ADD COLUMN pending BIGINT NOT NULL DEFAULT 0;
ALTER TABLE unknown_logins ADD COLUMN pending_until BIGINT;

-- What the hashes of accounts begin with that other programs or other settings made: their format and cost. While there is
-- a row, failed logins are held back until the slowest kind would have answered.
CREATE TABLE password_kinds (
    kind TEXT PRIMARY KEY,
    seen_at BIGINT NOT NULL
);
