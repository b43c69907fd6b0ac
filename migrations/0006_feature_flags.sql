-- Functions that can be switched off while the service runs. metadata: a JSON object whose names and kinds of values
-- are the program's; NULL where there is none. rollout_percent: how many of 100 users that are known at the time.
CREATE TABLE feature_flags (
    id UUID PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    description TEXT NOT NULL,
    is_enabled BOOLEAN NOT NULL,
    rollout_percent BIGINT NOT NULL,
    metadata TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    updated_by UUID
);
INSERT INTO feature_flags (id, key, description, is_enabled, rollout_percent, metadata, created_at, updated_at) VALUES
    ('00000000-0000-7000-8000-000000000001', 'loginWithCredential', 'Login with e-mail and password', TRUE, 100, NULL, 1767225600000, 1767225600000),
    ('00000000-0000-7000-8000-000000000002', 'loginWithGoogle', 'Login with Google', TRUE, 100, '{"signUpAllowed":true}', 1767225600000, 1767225600000),
    ('00000000-0000-7000-8000-000000000003', 'loginWithApple', 'Login with Apple', TRUE, 100, '{"signUpAllowed":true}', 1767225600000, 1767225600000),
    ('00000000-0000-7000-8000-000000000004', 'signUp', 'Making an account of one''s own', TRUE, 100, NULL, 1767225600000, 1767225600000),
    ('00000000-0000-7000-8000-000000000005', 'changePassword', 'Changing the own password, and a forgotten one', TRUE, 100, '{"forgotAllowed":true}', 1767225600000, 1767225600000);
