-- Lets administrators find accounts by a part of their name, username or email without a look at every account.
-- For PostgreSQL, beside a serving program. Wants the right to CREATE in the database (the extension is a trusted one).
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE INDEX CONCURRENTLY IF NOT EXISTS users_search ON users USING gin
    (lower(name) gin_trgm_ops, lower(username) gin_trgm_ops, lower(email) gin_trgm_ops);
ANALYZE users;
