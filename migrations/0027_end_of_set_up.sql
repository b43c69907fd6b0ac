-- When a set-up that required_setup demands was last allowed: by the reset of an administrator, or by a mailed link
-- after it. Some days later, the first factor alone no longer permits it. NULL: it has no end, because an earlier
-- version reset the factor.
ALTER TABLE two_factors ADD COLUMN set_up_allowed_at BIGINT;
