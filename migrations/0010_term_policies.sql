-- Legal documents: each type in versions, each version in languages. Only a draft may change; revision counts its
-- changes, so that what is published is what was looked at. publishing_until: its files are on their way to the public
-- area, and nobody changes it meanwhile. content_hashes: of what was published, JSON, SHA-256 by language.
CREATE TABLE term_policies (
    id UUID PRIMARY KEY,
    type TEXT NOT NULL,
    version BIGINT NOT NULL,
    status TEXT NOT NULL,
    revision BIGINT NOT NULL DEFAULT 0,
    publishing_until BIGINT,
    content_hashes TEXT,
    published_at BIGINT,
    published_by UUID,
    created_at BIGINT NOT NULL,
    created_by UUID,
    updated_at BIGINT NOT NULL,
    updated_by UUID,
    UNIQUE (type, version)
);
-- The latest version of a type is the highest published one.
CREATE INDEX term_policies_latest ON term_policies (type, version) WHERE status = 'published';

-- A document's files, as they were when they were checked. digest: SHA-256. Where they lie follows from type, version
-- and language.
CREATE TABLE term_policy_contents (
    term_policy_id UUID NOT NULL REFERENCES term_policies (id),
    language TEXT NOT NULL,
    size BIGINT NOT NULL,
    digest BYTEA NOT NULL,
    PRIMARY KEY (term_policy_id, language)
);

-- Objects that may have no document: uploaded and never used, left over by a publication that was cut off, or of a
-- document that is gone. From due_at on each is looked at, and erased where no document has it. uploads_until: until
-- then a presigned address may bring it back. taken_until: it is being erased, and no document may take it up.
CREATE TABLE loose_objects (
    area TEXT NOT NULL,
    type TEXT NOT NULL,
    version BIGINT NOT NULL,
    language TEXT NOT NULL,
    due_at BIGINT NOT NULL,
    uploads_until BIGINT NOT NULL DEFAULT 0,
    taken_until BIGINT,
    PRIMARY KEY (area, type, version, language)
);
CREATE INDEX loose_objects_due ON loose_objects (due_at);

-- Who agreed to what, and who took it back. Rows are added and never changed: there is no UPDATE and no DELETE of this
-- table. The newest of an account and a type (by sequence) is what holds. user_id is all that is left of the person
-- once the account's data are erased. content_hashes: of the version in all its languages; language: the one shown.
CREATE TABLE term_policy_acceptances (
    id UUID PRIMARY KEY,
    user_id UUID NOT NULL REFERENCES users (id),
    type TEXT NOT NULL,
    sequence BIGINT NOT NULL,
    action TEXT NOT NULL,
    term_policy_id UUID NOT NULL REFERENCES term_policies (id),
    version BIGINT NOT NULL,
    language TEXT NOT NULL,
    content_hashes TEXT NOT NULL,
    accepted_at BIGINT NOT NULL,
    ip_address TEXT,
    user_agent TEXT,
    session_id UUID,
    UNIQUE (user_id, type, sequence)
);
CREATE INDEX term_policy_acceptances_list ON term_policy_acceptances (user_id, accepted_at, id);
CREATE INDEX term_policy_acceptances_policy ON term_policy_acceptances (term_policy_id, user_id);

-- Publications that accounts are still to hear of by mail; after_user: all up to this one have been written to.
CREATE TABLE term_policy_announcements (
    term_policy_id UUID PRIMARY KEY REFERENCES term_policies (id),
    after_user UUID,
    created_at BIGINT NOT NULL
);
-- How many of these wait is asked once a second, however many others do.
CREATE INDEX mails_policy_published ON mails (id) WHERE kind = 'policyPublished' AND failed_at IS NULL;
