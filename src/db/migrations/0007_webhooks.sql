-- Webhooks: subscriptions to events, the outbox, attempts.

create sequence webhook_seq start 800000000;
create sequence webhook_web_seq;
create table webhook (
  account_id int not null references account on delete cascade,
  id int not null default public_id(nextval('webhook_seq')),
  web_id int not null default nextval('webhook_web_seq'),
  title text not null,
  url text not null,
  -- Only events of this list; null for all.
  list_id int,
  events text[] not null,
  -- Who caused the events: subscriber, admin, api.
  sources text[] not null default '{subscriber,admin,api}',
  format text not null default 'standard' check (format in ('standard', 'classic')),
  algorithm text not null default 'sha256' check (algorithm in ('sha1', 'sha256', 'sha384', 'sha512')),
  -- A further header that carries the signature of requests in the classic format; '' for none.
  signature_header text not null default '',
  -- Sealed for the account; null for a webhook whose requests are not signed.
  secret bytea,
  -- After a rotation, requests are signed with both for a day.
  old_secret bytea,
  old_secret_until timestamptz,
  status text not null default 'active' check (status in ('active', 'unverified', 'paused', 'off')),
  status_reason text not null default '',
  created_at timestamptz not null default now(),
  -- Since when every attempt has failed; null otherwise.
  failing_since timestamptz,
  primary key (account_id, id)
);

-- The outbox: one row for each event and each webhook that subscribes to it, written in the transaction that caused the
-- event, deleted when delivered.
create table webhook_event (
  account_id int not null,
  webhook_id int not null,
  id bigint generated always as identity,
  -- The public id, the same for every webhook.
  event_id text not null,
  type text not null,
  payload jsonb not null,
  at timestamptz not null default now(),
  -- Attempts with this event alone that failed.
  failures smallint not null default 0,
  -- Not before: after a failure alone, while the others go on, and while a click may turn out to be a machine's.
  due_at timestamptz not null default '-infinity',
  primary key (account_id, webhook_id, id)
  -- A queue: nearly every row is deleted within seconds.
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);

-- The clicks of the last seconds, to withdraw those of machines.
create index webhook_event_held on webhook_event (account_id, due_at) where due_at > '-infinity';

-- The state of one webhook's deliveries. Written by dispatchers only: an event in the making locks no row of its webhook.
create table webhook_delivery (
  account_id int not null,
  webhook_id int not null,
  -- Events in flight (webhook_event.id) and the id of their request; unchanged until delivered or given up.
  batch bigint[] not null default '{}',
  message_id text not null default '',
  -- When the last attempt began: webhook_attempt.at. Only that one can be in progress.
  attempt_at timestamptz,
  -- Attempts in a row that failed.
  failures int not null default 0,
  -- Events in a request at most: fewer while those are being isolated that the receiver rejects.
  batch_limit smallint not null default 100,
  -- The dispatcher that works on it.
  lease text,
  lease_until timestamptz,
  -- Not before this moment; by the database's clock, like the lease.
  next_at timestamptz not null default now(),
  -- Nothing was waiting when a dispatcher last looked; events since then are found by the notification of their account.
  idle boolean not null default true,
  -- Events that have left the outbox, and the time of the last one.
  ended_events bigint not null default 0,
  -- Of those, deleted because too many waited, or for too long.
  dropped_events bigint not null default 0,
  last_event_at timestamptz,
  primary key (account_id, webhook_id),
  foreign key (account_id, webhook_id) references webhook on delete cascade
) with (fillfactor = 70);
-- Every dispatcher: which webhook is due, every second.
create index webhook_delivery_due on webhook_delivery (next_at) where not idle;

-- Every webhook has a row in webhook_delivery.
create function webhook_delivery_begin() returns trigger
  language plpgsql
  as $$
  begin
    insert into webhook_delivery (account_id, webhook_id) values (new.account_id, new.id);
    return null;
  end $$;
create trigger webhook_delivery_begins
  after insert on webhook
  for each row execute function webhook_delivery_begin();

-- One row an attempt, written before it is made. By month, as in 0005_tracking.sql.
create table webhook_attempt (
  account_id int not null,
  webhook_id int not null,
  id bigint generated always as identity,
  kind text not null check (kind in ('delivery', 'test')),
  -- 1 for the first attempt with these events.
  try int not null,
  event_ids text[] not null,
  url text not null,
  headers jsonb not null,
  body text not null,
  outcome text not null default 'in_progress'
    check (outcome in ('in_progress', 'delivered', 'failed', 'given_up', 'gone', 'unclear')),
  reason text not null default '',
  -- The HTTP status and the start of the response body.
  status int,
  answer text not null default '',
  -- How long it took, in milliseconds.
  ms int,
  at timestamptz not null default clock_timestamp(),
  primary key (account_id, webhook_id, id, at),
  foreign key (account_id, webhook_id) references webhook on delete cascade
) partition by range (at);
-- Attempts whose dispatcher died: their outcome becomes unclear.
create index webhook_attempt_in_progress on webhook_attempt (account_id, webhook_id) where outcome = 'in_progress';
create table webhook_attempt_default partition of webhook_attempt default
  with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
