-- The installation itself: ids, secrets, who may send, worker processes.
-- Every table of an account starts its keys with account_id.

-- Spreads a sequence over all public ids (see src/db/ids.ts), in blocks of 4,096: a permutation of 0 … 1342177279. The
-- factor is odd and no multiple of 5, so it shares no divisor with the 5·2^16 blocks. Within a block, ids ascend: the rows of
-- an import then touch a few neighbouring pages of each index instead of one page a row.
--
-- Each kind of thing draws from its own range of the sequence, so the id of a list is never also the id of a campaign,
-- and a mix-up is reported as unknown. The first values:
--   account 1             session 50,000,000      app_user 100,000,000     api_key 200,000,000   list 300,000,000
--   segment 400,000,000   template 500,000,000    campaign 600,000,000     sender_domain 700,000,000
--   import 750,000,000    upload 760,000,000      webhook 800,000,000      relay 850,000,000
--   contact 900,000,000 (the longest range)
create function public_id(n bigint) returns int
  language sql immutable strict parallel safe
  as $$ select ((n / 4096 * 982451653 + 362436069) % 327680 * 4096 + n % 4096)::int $$;

-- Secrets and marks of the installation by name: 'secret', 'first_run', 'base_url', 'relays_set_up' (mail no longer goes to the
-- built-in inbox when there is no relay).
create table installation (
  key text primary key,
  value jsonb not null
);

-- The timeline of the database server: promoting a replica starts another one, and the last commits may not be on it. 0 where
-- the server does not show it.
create function database_timeline() returns int language plpgsql as $$
begin
  return ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int;
exception when others then
  return 0;
end $$;

-- Guards against two copies of an installation sending the same campaigns (src/jobs/sending-guard.ts). One row.
create table heartbeat (
  single boolean primary key default true check (single),
  -- Random, replaced when an operator confirms sending; a copy that still has the old one is recognised by it.
  instance text not null,
  -- Identifies the database server and the database on it: a restored dump or a copied database has another.
  place text not null,
  beat bigint not null default 0,
  beat_at timestamptz not null default now(),
  -- Why nothing is sent until an operator confirms; '' when sending is allowed.
  held text not null default '',
  -- The timeline on which all workers have redone what the database lost (src/delivery/recovery/failover.ts).
  timeline int not null default database_timeline()
);

-- Worker processes. A worker is alive while its session holds the advisory lock (worker_lock, id).
create table worker (
  id int generated always as identity primary key,
  host text not null,
  boot_id text not null,
  -- The pid namespace: a pid identifies a process only among those that share it, and containers may share a host name.
  pid_namespace text not null default '',
  pid int not null,
  -- Path of the worker's delivery journal.
  journal text not null,
  -- Under which names it locks jobs in the queue; the jobs of a dead worker are released by them.
  job_names text[] not null default '{}',
  seen_at timestamptz not null default now(),
  ended_at timestamptz,
  -- The timeline on which this worker's journal has been redone.
  timeline int not null default database_timeline()
);
