-- Importing contacts from files: the files in pieces, what is to be done with them, how far that has come, what it did.

-- Stretches of the ids of their own, as in 0015.
create sequence upload_seq start 760000000;
create table upload (
  account_id int not null references account on delete cascade,
  id int not null default public_id(nextval('upload_seq')),
  name text not null default '',
  size bigint not null default 0,
  created_at timestamptz not null default now(),
  changed_at timestamptz not null default now(),
  primary key (account_id, id)
);

-- The bytes as they came, from the first (at = 0) on.
create table upload_piece (
  account_id int not null,
  upload_id int not null,
  at bigint not null,
  bytes bytea not null,
  primary key (account_id, upload_id, at),
  foreign key (account_id, upload_id) references upload on delete cascade
);
alter table upload_piece alter column bytes set storage external;

-- state: uploaded → mapped → checking → checked → running → done;  see docs/flows.md
create sequence import_seq start 730000000;
create table import (
  account_id int not null,
  id int not null default public_id(nextval('import_seq')),
  list_id int not null,
  -- Not tied to upload: the file goes some days after the import is done, its record stays.
  upload_id int not null,
  name text not null default '',
  size bigint not null,
  state text not null check (state in
    ('uploaded', 'mapped', 'checking', 'checked', 'running', 'stopped', 'failed', 'done', 'undoing', 'undone')),
  reason text not null default '',
  source text not null check (source in ('admin', 'api')),
  plan jsonb not null,
  -- The result of the dry run, and of the run so far.
  foreseen jsonb,
  counts jsonb not null default '{}',
  -- Records of the file that are settled, and the bytes of the file up to about there.
  position int not null default 0,
  read_bytes bigint not null default 0,
  -- Where and when this run (or its latest continuation) began, for rate and forecast.
  run_from int not null default 0,
  run_at timestamptz,
  seen_at timestamptz,
  undo_phase text not null default '' check (undo_phase in ('', 'changed', 'added')),
  undo_after int not null default 0,
  undo_counts jsonb not null default '{}',
  created_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz,
  primary key (account_id, id),
  foreign key (account_id, list_id) references list on delete cascade
);
create index import_by_list on import (account_id, list_id, created_at desc);

-- What an import changed, as it was before. What it added needs no row: subscription.import_id names the import.
create table import_change (
  account_id int not null,
  import_id int not null,
  contact_id int not null,
  before jsonb not null,
  at timestamptz not null,
  primary key (account_id, import_id, contact_id),
  foreign key (account_id, import_id) references import on delete cascade
);

-- One row a row of the file that was not taken.
create table import_problem (
  account_id int not null,
  import_id int not null,
  id bigint generated always as identity,
  line int not null,
  -- The column's heading, '' for the row as a whole.
  heading text not null default '',
  value text not null default '',
  reason text not null,
  primary key (account_id, import_id, id),
  foreign key (account_id, import_id) references import on delete cascade
);

-- The import that put the contact on the list; an undo finds by it what to take away.
alter table subscription add column import_id int;
