-- From here on the database knows the contents of each migration that was applied (migration.hash, see src/db/applied). The
-- migrator fills the column; a version that does not compare it refuses the database, because it does not know this file.
alter table migration add column if not exists hash text;
