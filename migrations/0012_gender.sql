-- What the owner of an account told about themselves: 'male' or 'female'.
ALTER TABLE users ADD COLUMN gender TEXT;
