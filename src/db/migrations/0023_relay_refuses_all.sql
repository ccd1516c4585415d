-- A relay that gives all recipients the same refusal, whatever campaign they belong to, rests.

-- The refusals without what differs from message to message; they stay until the relay accepts a message.
alter table relay_limit add column signatures text[] not null default '{}';

-- The last time that a relay refused all messages with a reply: held refusals from before are about us. Kept for a day.
create table relay_refusal (
  signature text primary key,
  at timestamptz not null default now()
);
