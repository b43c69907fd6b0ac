-- The cosignatures of witnesses (docs/decisions/0033). public_*: the checkpoint that everybody is shown; it never goes
-- back. cosigned_*: the latest one that the quorum has cosigned, and how many witnesses have. uncosigned_since: when the
-- oldest checkpoint was published that no cosigned one covers; NULL: there is none. stamped_size: the last checkpoint
-- that an authority has stamped. stamped_at: when it was last asked, or may count as asked.
ALTER TABLE logs ADD COLUMN public_size BIGINT NOT NULL DEFAULT 0;
ALTER TABLE logs ADD COLUMN public_checkpoint TEXT NOT NULL DEFAULT '';
ALTER TABLE logs ADD COLUMN cosigned_size BIGINT NOT NULL DEFAULT 0;
ALTER TABLE logs ADD COLUMN cosignatures BIGINT NOT NULL DEFAULT 0;
ALTER TABLE logs ADD COLUMN cosigned_checkpoint TEXT NOT NULL DEFAULT '';
ALTER TABLE logs ADD COLUMN uncosigned_since BIGINT;
ALTER TABLE logs ADD COLUMN stamped_size BIGINT NOT NULL DEFAULT 0;
ALTER TABLE logs ADD COLUMN stamped_at BIGINT;
UPDATE logs SET public_size = published, public_checkpoint = checkpoint;
