-- A deleted account keeps no role of its own, so that its former role can be deleted.
UPDATE users SET role_id = (SELECT r.id FROM roles r WHERE r.is_built_in AND r.type = 'user'), role = 'user'
WHERE deleted_at IS NOT NULL;
