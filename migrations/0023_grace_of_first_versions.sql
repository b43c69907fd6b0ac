-- A version that was published while the first one of its type was in its grace period lacks its grace_version, as the
-- first one does: what it lets pass is the first one. That one gets its own version, which means the same, so that the
-- former version of the program reads it from there as well.
UPDATE term_policies SET grace_version = (SELECT f.version FROM term_policies f WHERE f.type = term_policies.type
AND f.status = 'published' ORDER BY f.published_at, f.version LIMIT 1)
WHERE status = 'published' AND grace_until IS NOT NULL AND grace_version IS NULL;
