-- One row: which installation this database belongs to, on which server, and when its workers were last here. held: why nothing is sent
-- until a person confirms it; '' otherwise.
create table heartbeat (
  single boolean primary key default true check (single),
  instance text not null,
  place text not null,
  beat bigint not null default 0,
  beat_at timestamptz not null default now(),
  held text not null default '',
  held_at timestamptz
);
