-- Signing in: sessions that can be named, single-use links, tries counted for all web processes, second factors.

create sequence session_seq;
-- The public id of a session in the list of a person's sessions; the token itself is only known to the browser.
alter table session add column id int not null default public_id(nextval('session_seq'));
create unique index session_by_id on session (user_id, id);

alter table app_user
  -- Sealed with the installation's secret; set before the first code is confirmed.
  add column totp_secret bytea,
  add column totp_confirmed_at timestamptz,
  -- The 30-second step of the last code that was taken: a code works once.
  add column totp_last_step bigint not null default 0;

create table recovery_code (
  user_id int not null references app_user on delete cascade,
  code_hash bytea not null,
  primary key (user_id, code_hash)
);

-- Links by which somebody sets a password without knowing one. The token is in the link only.
create table sign_in_link (
  token_hash bytea primary key,
  purpose text not null check (purpose in ('first run', 'reset', 'invite')),
  user_id int references app_user on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index sign_in_link_by_user on sign_in_link (user_id);

-- Tries by caller and by address, shared by all web processes. Losing them in a crash of the database costs nothing.
create unlogged table sign_in_try (
  name bytea primary key,
  count int not null,
  since timestamptz not null
);
