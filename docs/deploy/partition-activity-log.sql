-- Turns the activity log into a table with a partition per month (docs/guides/capacity.md says when). The service may
-- run meanwhile. Run it as the owner of the tables, outside a transaction, with psql, for which
-- docs/deploy/postgresql-and-redis.md says how to name the server and the password:
--
--     psql -f docs/deploy/partition-activity-log.sql
--
-- If it stops, for example because it did not get a lock within two seconds, run the file again before the month ends:
-- the constraint of a run that stopped refuses the entries of the next month, and with them every login. If you give up
-- instead, remove what it left:
--
--     SET statement_timeout = 0;
--     SET lock_timeout = '2s';
--     ALTER TABLE activity_log DROP CONSTRAINT IF EXISTS activity_log_past_end;
--     DROP INDEX CONCURRENTLY IF EXISTS activity_log_past_key;
--
-- All entries until the end of this month stay where they are, in activity_log_past. Twelve partitions follow, and
-- activity_log_rest takes what comes after them: create further ones while it is empty. Set
-- ACTIVITY_LOG_RETENTION_IN_DAYS=0, and drop a partition whose time is over instead.
\set ON_ERROR_STOP on
-- The role may have timeouts, as behind PgBouncer.
SET statement_timeout = 0;
SET lock_timeout = 0;
SELECT relkind = 'p' AS is_partitioned FROM pg_class WHERE oid = CAST('activity_log' AS regclass) \gset
\if :is_partitioned
\echo 'The activity log is partitioned already.'
\quit
\endif

-- The statements that read every row come first, and do not block writes. A primary key must contain the
-- partition key.
SELECT 'DROP INDEX CONCURRENTLY activity_log_past_key' FROM pg_index
WHERE indexrelid = to_regclass('activity_log_past_key') AND NOT indisvalid \gexec
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS activity_log_past_key ON activity_log (id, created_at);
SELECT CAST(extract(epoch FROM date_trunc('month', now() AT TIME ZONE 'UTC') + INTERVAL '1 month') * 1000 AS BIGINT)
    AS end_of_past \gset
BEGIN;
SET LOCAL lock_timeout = '2s';
ALTER TABLE activity_log DROP CONSTRAINT IF EXISTS activity_log_past_end,
    ADD CONSTRAINT activity_log_past_end CHECK (created_at < :end_of_past) NOT VALID;
COMMIT;
ALTER TABLE activity_log VALIDATE CONSTRAINT activity_log_past_end;

-- Either everything of this happens or nothing.
BEGIN;
SET LOCAL lock_timeout = '2s';
ALTER TABLE activity_log RENAME TO activity_log_past;
ALTER TABLE activity_log_past DROP CONSTRAINT activity_log_pkey;
ALTER TABLE activity_log_past ADD CONSTRAINT activity_log_past_pkey PRIMARY KEY USING INDEX activity_log_past_key;
ALTER INDEX activity_log_user RENAME TO activity_log_past_user;
ALTER INDEX activity_log_age RENAME TO activity_log_past_age;
ALTER INDEX activity_log_actor RENAME TO activity_log_past_actor;
CREATE TABLE activity_log (
    LIKE activity_log_past INCLUDING DEFAULTS,
    PRIMARY KEY (id, created_at),
    FOREIGN KEY (user_id) REFERENCES users (id),
    FOREIGN KEY (created_by) REFERENCES users (id)
) PARTITION BY RANGE (created_at);
-- Default privileges may have given more rights than the former table has.
SELECT DISTINCT format('REVOKE ALL ON activity_log FROM %s',
                       CASE WHEN grantee = 0 THEN 'PUBLIC' ELSE CAST(CAST(grantee AS regrole) AS text) END)
FROM pg_class, aclexplode(relacl) WHERE pg_class.oid = CAST('activity_log' AS regclass) AND grantee <> relowner \gexec
SELECT format('GRANT %s ON activity_log TO %s', privilege_type,
              CASE WHEN grantee = 0 THEN 'PUBLIC' ELSE CAST(CAST(grantee AS regrole) AS text) END)
           || CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END
FROM pg_class, aclexplode(relacl) WHERE pg_class.oid = CAST('activity_log_past' AS regclass) \gexec
CREATE INDEX activity_log_user ON activity_log (user_id, created_at, id);
CREATE INDEX activity_log_age ON activity_log (created_at);
CREATE INDEX activity_log_actor ON activity_log (created_by);
ALTER TABLE activity_log ATTACH PARTITION activity_log_past FOR VALUES FROM (MINVALUE) TO (:end_of_past);
SELECT format('CREATE TABLE activity_log_%s PARTITION OF activity_log FOR VALUES FROM (%s) TO (%s) WITH (fillfactor = 85)',
              to_char(month, 'YYYY_MM'), CAST(extract(epoch FROM month) * 1000 AS BIGINT),
              CAST(extract(epoch FROM month + INTERVAL '1 month') * 1000 AS BIGINT))
FROM (SELECT to_timestamp(:end_of_past / 1000) AT TIME ZONE 'UTC' + n * INTERVAL '1 month' AS month
      FROM generate_series(0, 11) AS n) AS months \gexec
CREATE TABLE activity_log_rest PARTITION OF activity_log DEFAULT WITH (fillfactor = 85);
-- Only the owner needs rights on these partitions: access through activity_log asks for those on
-- activity_log.
SELECT DISTINCT format('REVOKE ALL ON %s FROM %s', CAST(pg_class.oid AS regclass),
                       CASE WHEN grantee = 0 THEN 'PUBLIC' ELSE CAST(CAST(grantee AS regrole) AS text) END)
FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid, aclexplode(relacl)
WHERE inhparent = CAST('activity_log' AS regclass) AND relname <> 'activity_log_past' AND grantee <> relowner \gexec
COMMIT;
