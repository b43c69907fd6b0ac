-- When the owner of a session last proved who they are since its login; NULL: not since then. Some changes ask for a
-- proof that is a few minutes old at most.
ALTER TABLE sessions ADD COLUMN proven_at BIGINT;
