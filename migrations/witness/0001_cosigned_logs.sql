-- The database of `consentry witness` (docs/decisions/0033): the latest checkpoint that it has cosigned of each log. The
-- size never goes down.
CREATE TABLE cosigned_logs (
    origin TEXT PRIMARY KEY,
    size BIGINT NOT NULL,
    root BYTEA NOT NULL,
    checkpoint TEXT NOT NULL,
    cosigned_at BIGINT NOT NULL
);
