-- A grant names its generation: the security version of its account, and the epoch of the installation, that it was made
-- under. The statement that matches or spends it compares both, so that raising a number ends whatever was granted before.
-- The defaults are the first of each: a grant that the former version of the program writes is good for as long as
-- nothing of its kind was ended.

-- One row. grants: of what lets somebody in; api_keys: of the keys of programs, which act for no account. Both only grow,
-- to the time of the raise, so that a number that an older backup brings back is never given out a second time.
-- raised_at: identity tokens that were issued before are used up; last_step: one-time codes up to this step are.
CREATE TABLE epochs (
    id BIGINT PRIMARY KEY CHECK (id = 1),
    grants BIGINT NOT NULL,
    api_keys BIGINT NOT NULL,
    raised_at BIGINT NOT NULL,
    last_step BIGINT NOT NULL
);
INSERT INTO epochs (id, grants, api_keys, raised_at, last_step) VALUES (1, 1, 1, 0, 0);

ALTER TABLE sessions ADD COLUMN security_version BIGINT NOT NULL DEFAULT 1;
ALTER TABLE sessions ADD COLUMN epoch BIGINT NOT NULL DEFAULT 1;
UPDATE sessions SET security_version = (SELECT u.security_version FROM users u WHERE u.id = sessions.user_id)
    WHERE revoked_at IS NULL AND user_id IN (SELECT u.id FROM users u WHERE u.security_version > 1);

ALTER TABLE account_tokens ADD COLUMN security_version BIGINT NOT NULL DEFAULT 1;
ALTER TABLE account_tokens ADD COLUMN epoch BIGINT NOT NULL DEFAULT 1;
UPDATE account_tokens SET security_version = (SELECT u.security_version FROM users u WHERE u.id = account_tokens.user_id)
    WHERE user_id IN (SELECT u.id FROM users u WHERE u.security_version > 1);

ALTER TABLE known_devices ADD COLUMN security_version BIGINT NOT NULL DEFAULT 1;
ALTER TABLE known_devices ADD COLUMN epoch BIGINT NOT NULL DEFAULT 1;
UPDATE known_devices SET security_version = (SELECT u.security_version FROM users u WHERE u.id = known_devices.user_id)
    WHERE user_id IN (SELECT u.id FROM users u WHERE u.security_version > 1);

-- Like a password, an identity is no secret of ours that a leak gives away: it has no epoch.
ALTER TABLE identities ADD COLUMN security_version BIGINT NOT NULL DEFAULT 1;
UPDATE identities SET security_version = (SELECT u.security_version FROM users u WHERE u.id = identities.user_id)
    WHERE user_id IN (SELECT u.id FROM users u WHERE u.security_version > 1);

-- Whatever ends a second factor deletes its backup codes: they need no security version.
ALTER TABLE backup_codes ADD COLUMN epoch BIGINT NOT NULL DEFAULT 1;

-- A key acts for no account: it has no security version.
ALTER TABLE api_keys ADD COLUMN epoch BIGINT NOT NULL DEFAULT 1;
