-- What relays accepted and what came back for it, by day (UTC): the rates of reputation and the usage of an account. Counted in the
-- transactions that write the outcomes, so that no screen counts recipients. A task merges the rows of past days, and after some
-- weeks those of a month: then without list and provider.
create table sending_day (
  account_id int not null references account(id) on delete cascade,
  -- The first of the month once its days are merged.
  day date not null,
  -- program: emails of the program, such as confirmations. test: tests, and all of a test account.
  kind text not null check (kind in ('campaign', 'automation', 'message', 'program', 'test')),
  -- 0 for none.
  list_id int not null,
  -- The receiving provider: src/base/mail-providers.ts; '' once the days of a month are merged.
  provider text not null,
  -- Several rows for the same keep transactions from waiting for each other.
  shard smallint not null,
  accepted int not null default 0,
  -- Hard bounces: those that the relay reported at once, and those that came back for an accepted message.
  refused int not null default 0,
  returned int not null default 0,
  complaints int not null default 0,
  primary key (account_id, day, kind, list_id, provider, shard)
) with (fillfactor = 50);
-- The accounts whose rates a task looks at, every few minutes: few days have a complaint.
create index sending_day_complaints on sending_day (day, account_id) where complaints > 0;

-- The hard bounces and complaints of a campaign, because of which it may be paused while it is being sent. A campaign without any has
-- no row.
create table campaign_watch (
  account_id int not null,
  campaign_id int not null,
  refused int not null default 0,
  returned int not null default 0,
  complaints int not null default 0,
  -- What it was paused for. It is not paused for the same again unless the person who resumes it asks for that.
  paused_for text[] not null default '{}',
  -- The counts when that was asked for: only what came later is judged then.
  accepted_before int not null default 0,
  refused_before int not null default 0,
  returned_before int not null default 0,
  complaints_before int not null default 0,
  primary key (account_id, campaign_id)
);

-- Complaint rates that are too high, from when the owner was notified until they have fallen.
create table reputation_warning (
  account_id int not null references account(id) on delete cascade,
  scope text not null check (scope in ('account', 'list', 'provider')),
  -- The number of the list, or the provider; '' for the account.
  name text not null,
  since timestamptz not null default now(),
  primary key (account_id, scope, name)
);
