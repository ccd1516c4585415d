-- What a relay takes: the messages that one connection may carry, and what it has shown of its limits.

-- Null without a limit.
alter table relay add column messages_per_connection int check (messages_per_connection > 0);

-- The limits that relays have shown by their refusals, for all workers and over restarts.
create table relay_limit (
  -- The id of the relay; those of SMTP_URL have one too.
  relay text primary key,
  -- Messages a second that it takes, learned; null if none is known.
  per_second double precision check (per_second > 0::double precision),
  -- The rate at which it refused last.
  ceiling double precision,
  -- It takes no messages until then; null if it does.
  rests_until timestamptz,
  -- quota: an amount is used up. same_reply: it refused all recipients alike. Empty without a rest.
  why text not null default '' check (why in ('', 'quota', 'same_reply')),
  -- The reply that showed it.
  reply text not null default '',
  changed_at timestamptz not null default now()
);
