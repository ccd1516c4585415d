-- Accounts that are moving to another installation (cell), have moved there, or are arriving from one. See docs/flows.md, Moving an account.
-- Its column is not called account_id: a row stays when the account is erased, so that its links and keys still lead somewhere.
create table account_move (
  account int primary key,
  -- The same for an account and its test account, and in both installations.
  move_id uuid not null,
  -- Of the account that is moving: copying, draining, fenced, moved, done. Of one that is arriving: arriving, here.
  step text not null check (step in ('copying', 'draining', 'fenced', 'moved', 'done', 'arriving', 'here')),
  -- The public URL of the other installation.
  address text not null default '',
  -- Jobs that the fence took out of the queue.
  jobs jsonb not null default '[]',
  -- Of one that is arriving: the numbers of its people in the installation it comes from, and here.
  people jsonb not null default '{}',
  -- The last of moved_hit that has arrived here.
  hits_upto bigint not null default 0,
  started_at timestamptz not null default now(),
  step_at timestamptz not null default now(),
  -- Whether work is begun for it here: chunks, webhook requests, automations, jobs.
  works boolean generated always as (step in ('copying', 'here')) stored,
  -- Whether anything may be written for it here.
  writes boolean generated always as (step in ('copying', 'draining', 'here')) stored
);

-- What keys and links of an account that has moved are found by: the SHA-256 of an API key, of the key of a form or an archive, of a token.
create table moved_address (
  hash bytea primary key,
  account int not null
);

-- Opens and clicks that were about to be stored when the account was fenced, until they are brought to the other installation.
create table moved_hit (
  id bigint generated always as identity primary key,
  account int not null,
  hit jsonb not null
);

-- Keeps the rows of an account as they are, from the moment its move is fenced; of one that is arriving, until it is here. The lock lets
-- transactions that have written end before the fence, and makes later ones see it. Background work finds nothing to change; everyone else
-- gets an error, so that a caller never takes a lost change for a stored one. Triggers with this function exist only while an account moves.
create function account_move_guard() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(7315, tg_argv[0]::int);
  if exists (select from account_move where account = tg_argv[0]::int and not writes)
    and tg_argv[0] <> all (string_to_array(coalesce(current_setting('postrider.moves', true), ''), ','))
  then
    if starts_with(current_setting('application_name'), 'postrider work') then return null; end if;
    raise exception 'account % is moving to another installation', tg_argv[0] using errcode = 'PM001';
  end if;
  if tg_op = 'DELETE' then return old; end if;
  return new;
end;
$$;

-- Tables without a primary key are replicated by whole rows.
alter table member_tally replica identity full;
alter table sent_count replica identity full;
