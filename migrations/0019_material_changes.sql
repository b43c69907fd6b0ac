-- is_material: FALSE when acceptances of earlier versions continue to hold. Until grace_until, acceptances from version
-- grace_version on pass as well: those that passed just before the publication. The defaults are what versions mean that
-- an earlier version of the program publishes. processing: what is done with personal data, as JSON.
ALTER TABLE term_policies ADD COLUMN is_material BOOLEAN NOT NULL DEFAULT TRUE;
ALTER TABLE term_policies ADD COLUMN material_reason TEXT;
ALTER TABLE term_policies ADD COLUMN grace_in_days BIGINT NOT NULL DEFAULT 0;
ALTER TABLE term_policies ADD COLUMN grace_until BIGINT;
ALTER TABLE term_policies ADD COLUMN grace_version BIGINT;
ALTER TABLE term_policies ADD COLUMN processing TEXT;

-- SHA-256 of the comparison with an earlier version that was shown, in hexadecimal.
ALTER TABLE term_policy_acceptances ADD COLUMN shown_diff_hash TEXT;

-- The comparisons of two versions that were shown, each as the page that it was: an acceptance may name one by its hash.
CREATE TABLE term_policy_diffs (
    hash TEXT PRIMARY KEY,
    type TEXT NOT NULL,
    from_version BIGINT NOT NULL,
    to_version BIGINT NOT NULL,
    language TEXT NOT NULL,
    page TEXT NOT NULL,
    UNIQUE (type, from_version, to_version, language)
);
