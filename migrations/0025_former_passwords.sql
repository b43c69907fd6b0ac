-- For the deletion of the rows that bar no password any more.
CREATE INDEX password_history_expiry ON password_history (expires_at);
