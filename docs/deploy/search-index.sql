-- Speeds up searches for accounts by a part of their name, username or email, which otherwise scan all accounts.
-- For PostgreSQL. Run it as the owner of the tables, also while the service runs. The owner needs the right to CREATE in
-- the database (the extension is trusted). If it stops, run it again.
\set ON_ERROR_STOP on
-- The role may have timeouts, as behind PgBouncer.
SET statement_timeout = 0;
SET lock_timeout = 0;
CREATE EXTENSION IF NOT EXISTS pg_trgm;
-- A run that stopped left an index that no search uses.
SELECT 'DROP INDEX CONCURRENTLY users_search' FROM pg_index
WHERE indexrelid = to_regclass('users_search') AND NOT indisvalid \gexec
CREATE INDEX CONCURRENTLY IF NOT EXISTS users_search ON users USING gin
    (lower(name) gin_trgm_ops, lower(username) gin_trgm_ops, lower(email) gin_trgm_ops);
ANALYZE users;
