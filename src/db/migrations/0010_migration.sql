-- Moving in from another program.

-- A migration: what was uploaded, what it contains and how far it is. For the states see docs/flows.md.
create sequence source_migration_seq start 870000000;
create table source_migration (
  account_id int not null references account on delete cascade,
  id int not null default public_id(nextval('source_migration_seq')),
  source text not null check (source in ('mailchimp', 'listmonk', 'mailtrain', 'keila', 'brevo')),
  state text not null check (state in ('reading', 'checked', 'running', 'stopped', 'failed', 'done')),
  -- Why it failed.
  reason text not null default '',
  origin text not null check (origin in ('admin', 'api')),
  -- The exported files. No foreign key: files are deleted some days after they are done with.
  uploads int[] not null,
  -- What was read from them, in files of its own: suppressed addresses, templates. Null until then.
  suppression_upload int,
  template_upload int,
  -- Everything is read and compared; only then it can run.
  checked_at timestamptz,
  -- Things read so far; while it runs, suppressed addresses done.
  position int not null default 0,
  -- Suppressed addresses and templates: how many there are, how many are new (as far as read), how many were added.
  counts jsonb not null default '{}',
  created_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz,
  primary key (account_id, id)
);

-- The lists of a migration, in the order in which they are imported.
create table source_migration_list (
  account_id int not null,
  migration_id int not null,
  position int not null,
  -- The name of the list there, and by what its contacts name it.
  key text not null,
  name text not null,
  -- Fields by key, with their tag here.
  fields jsonb not null,
  -- Its contacts as a file for the import.
  upload_id int,
  -- Contacts by their state there.
  states jsonb not null default '{}',
  -- What the import would do, and the import.
  predicted jsonb,
  import_id int,
  primary key (account_id, migration_id, position),
  foreign key (account_id, migration_id) references source_migration on delete cascade
);

-- Why something would not be taken, grouped by reason.
create table source_migration_problem (
  account_id int not null,
  migration_id int not null,
  id bigint generated always as identity,
  -- The name of the list; '' for what is on none.
  list text not null,
  value text not null,
  reason text not null,
  primary key (account_id, migration_id, id),
  foreign key (account_id, migration_id) references source_migration on delete cascade
);

-- What became of the lists and templates of a source, so that a second migration finds them under whatever name.
create table source_migration_target (
  account_id int not null references account on delete cascade,
  source text not null,
  kind text not null check (kind in ('list', 'template')),
  key text not null,
  target_id int not null,
  primary key (account_id, source, kind, key)
);
