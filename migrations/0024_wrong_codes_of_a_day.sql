-- Wrong codes since `failures_since`, for a day. Unlike `attempt`, a right code does not clear this count: an owner who
-- logs in hides nothing from themselves that somebody else tried in between.
ALTER TABLE two_factors ADD COLUMN failures BIGINT NOT NULL DEFAULT 0;
ALTER TABLE two_factors ADD COLUMN failures_since BIGINT;
