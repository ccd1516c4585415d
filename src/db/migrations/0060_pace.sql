-- What the workers share to keep the pace: quotas of the day, the last outcomes of a campaign, how the relays fare.

-- Messages taken out of a day's quota while an address is being warmed up: of an account, or (account 0) of a relay.
create table day_quota (
  account_id int not null,
  relay text not null default '',
  day int not null,
  used int not null default 0,
  primary key (account_id, relay, day)
);

-- The last final outcomes of a campaign that has met refusals by policy, oldest first: p is one of those, o another.
create table refusals (
  account_id int not null,
  campaign_id int not null,
  last text not null,
  primary key (account_id, campaign_id)
);

-- What each worker tells of itself every few seconds: counters since its start, and how its relays fare.
create table worker_figures (
  worker_id int primary key,
  at timestamptz not null default now(),
  counts jsonb not null default '{}',
  gauges jsonb not null default '{}',
  relays jsonb not null default '[]'
);
