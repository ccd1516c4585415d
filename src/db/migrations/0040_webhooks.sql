-- How far each webhook's outbox has got, and what was tried.

-- The state of one webhook's deliveries. Apart from webhook, whose row is written with every event.
create table webhook_delivery (
  account_id int not null,
  webhook_id int not null,
  -- Not before this moment; by the database's clock, like the lease.
  next_at timestamptz not null default now(),
  -- The events under way, by webhook_event.id, and the name they travel under; the same until they are settled.
  batch bigint[] not null default '{}',
  message_id text not null default '',
  -- Failed attempts with this batch.
  failures int not null default 0,
  lease text,
  lease_until timestamptz,
  primary key (account_id, webhook_id),
  foreign key (account_id, webhook_id) references webhook on delete cascade
) with (fillfactor = 70);
create index webhook_delivery_due on webhook_delivery (next_at);

insert into webhook_delivery (account_id, webhook_id)
select account_id, id
from webhook;

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

-- One row an attempt, written before it is made.
create table webhook_attempt (
  account_id int not null,
  webhook_id int not null,
  id bigint generated always as identity,
  at timestamptz not null default clock_timestamp(),
  kind text not null check (kind in ('delivery', 'test')),
  -- 1 for the first attempt with this request's events.
  try int not null,
  event_ids text[] not null,
  url text not null,
  headers jsonb not null,
  body text not null,
  outcome text not null default 'under way'
    check (outcome in ('under way', 'delivered', 'failed', 'given up', 'gone', 'unclear')),
  reason text not null default '',
  status int,
  answer text not null default '',
  ms int,
  primary key (account_id, webhook_id, id),
  foreign key (account_id, webhook_id) references webhook on delete cascade
);
create index webhook_attempt_under_way on webhook_attempt (account_id, webhook_id) where outcome = 'under way';
create index webhook_attempt_by_time on webhook_attempt (at);
