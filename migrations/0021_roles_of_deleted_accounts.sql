-- Deleted accounts keep no role, so that a role that no account has can be deleted.
UPDATE users SET role_id = (SELECT r.id FROM roles r WHERE r.is_built_in AND r.type = 'user') WHERE deleted_at IS NOT NULL;
