-- Speeds up searches for accounts by a part of their name, username or email, which otherwise scan all accounts.
-- For PostgreSQL. Run it as the owner of the tables, also while the service runs. The owner needs the right to CREATE in
-- the database (the extension is trusted).
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE INDEX CONCURRENTLY IF NOT EXISTS users_search ON users USING gin
    (lower(name) gin_trgm_ops, lower(username) gin_trgm_ops, lower(email) gin_trgm_ops);
ANALYZE users;
