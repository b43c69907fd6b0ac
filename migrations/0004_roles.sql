-- What accounts may do. type decides what the program asks of them (user, admin, superAdmin); abilities, a JSON array
-- of {subject, action[]}, what an admin may do. Three roles come with the service: they keep their names and types,
-- and cannot be deleted.
CREATE TABLE roles (
    id UUID PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    description TEXT,
    type TEXT NOT NULL,
    abilities TEXT NOT NULL,
    is_built_in BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    created_by UUID,
    updated_at BIGINT NOT NULL,
    updated_by UUID
);
INSERT INTO roles (id, name, description, type, abilities, is_built_in, created_at, updated_at) VALUES
    ('00000000-0000-7000-8000-000000000001', 'user', 'Uses the service', 'user', '[]', TRUE, 1767225600000, 1767225600000),
    ('00000000-0000-7000-8000-000000000002', 'admin', 'Looks after everything but super admins', 'admin', '[{"subject":"all","action":["manage"]}]', TRUE, 1767225600000, 1767225600000),
    ('00000000-0000-7000-8000-000000000003', 'superadmin', 'May do everything', 'superAdmin', '[]', TRUE, 1767225600000, 1767225600000);

-- users.role is read no more; it is still written, for the former version of the program while it runs beside this one.
-- An account that the former version makes has no role_id, hence no role, and nobody is let in by it.
ALTER TABLE users ADD COLUMN role_id UUID REFERENCES roles (id);
UPDATE users SET role_id = (SELECT r.id FROM roles r WHERE r.is_built_in AND r.type = users.role);
CREATE INDEX users_role ON users (role_id);
