-- Of the log's key over the JWK: whoever can only write to the database cannot add a key that signs receipts.
ALTER TABLE receipt_keys ADD COLUMN signature BYTEA;
