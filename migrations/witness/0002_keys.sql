-- The verifier keys of the witnesses that may use this database: a new database contains nothing of what another key has
-- cosigned.
CREATE TABLE witness_keys (verifier_key TEXT PRIMARY KEY);
