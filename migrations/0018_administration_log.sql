-- Acts that change rights (src/features/activity/acts.hpp), each written with the change itself: the evidence that an
-- entry of the administration log only names by digest, so that it can be deleted. code: which act. actor_id: NULL is
-- the operator on the command line. subject_id: the account concerned, if it is one. is_logged: its entry exists.
CREATE TABLE administration_acts (
    id UUID PRIMARY KEY,
    code BIGINT NOT NULL,
    actor_id UUID REFERENCES users (id),
    subject_id UUID REFERENCES users (id),
    ip_address TEXT,
    user_agent TEXT,
    metadata TEXT,
    acted_at BIGINT NOT NULL,
    is_logged BOOLEAN NOT NULL DEFAULT FALSE
);
CREATE INDEX administration_acts_pending ON administration_acts (id) WHERE is_logged = FALSE;
CREATE INDEX administration_acts_age ON administration_acts (acted_at);
CREATE INDEX administration_acts_actor ON administration_acts (actor_id);
CREATE INDEX administration_acts_subject ON administration_acts (subject_id);
