-- An erased account leaves no row. Those that the former version erased still have theirs, so deleted accounts are
-- found whether they are marked as erased or not.
CREATE INDEX users_deleted_at ON users (deleted_at, id) WHERE deleted_at IS NOT NULL;
-- What an account did to others. Both databases also look here for each account that leaves.
CREATE INDEX activity_log_actor ON activity_log (created_by);
