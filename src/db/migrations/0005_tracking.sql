-- Opens and clicks. A hit is kept as it came, by a person or a machine; engagement is the sum that reports read.
-- Not tied to campaign: a deleted campaign is gone at once, its millions of rows are deleted by a task.
-- Tables with "partition by" have a partition a month, made by src/db/partitions.ts with the storage parameters of the
-- default partition, which takes rows of all other months.

-- Link targets by number, frozen at launch. Click tokens hold the number, never the target.
create table link (
  account_id int not null,
  campaign_id int not null,
  no int not null,
  target text not null,
  primary key (account_id, campaign_id, no)
);

-- By the month of the hit, so that old ones go with their partition.
create table hit (
  account_id int not null,
  campaign_id int not null,
  id bigint generated always as identity,
  -- The recipient: delivery.seq.
  seq int not null,
  kind text not null check (kind in ('open', 'click')),
  link_no int,
  ip text not null default '',
  user_agent text not null default '',
  -- Why this is taken for a machine; null for a person.
  machine text,
  at timestamptz not null default now(),
  primary key (account_id, campaign_id, id, at)
) partition by range (at);
-- What a recipient did, in the history of a contact; the newest, to detect a machine that follows every link.
create index hit_by_recipient on hit (account_id, campaign_id, seq, id);
create table hit_default partition of hit default
  with (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);

-- A recipient's opens and clicks. contact_id is repeated from delivery: segments of a list of a million read all opens of
-- a campaign in one scan, and reports count people; looking each up in delivery took seconds instead of tenths of one.
-- No index has it, since questions about one contact start from delivery. By the month of the campaign, as everything
-- that is found by campaign and recipient.
create table engagement (
  account_id int not null,
  campaign_id int not null,
  seq int not null,
  -- campaign.month
  month date not null,
  contact_id int not null,
  opens int not null default 0,
  clicks int not null default 0,
  machine_opens int not null default 0,
  machine_clicks int not null default 0,
  -- By people only.
  last_open_at timestamptz,
  first_click_at timestamptz,
  last_click_at timestamptz,
  -- The span of all rows in hit, those of machines too: which partitions have them.
  first_hit_at timestamptz,
  last_hit_at timestamptz,
  primary key (account_id, campaign_id, seq, month)
) partition by range (month);
create table engagement_default partition of engagement default
  with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
-- Of autoresponders, which run for years.
create table engagement_auto partition of engagement for values from (minvalue) to ('0001-01-01')
  with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);

-- Who got, opened and clicked in a large campaign that has ended, for segments of a million: src/tracking/summaries.ts.
create table recipient_summary (
  account_id int not null,
  campaign_id int not null,
  -- Recipients in the blocks below, -1 while there are none: they count while the tally has as many.
  accepted int not null,
  primary key (account_id, campaign_id)
);
-- A bit for each of 2,048 contact ids.
create table recipient_block (
  account_id int not null,
  campaign_id int not null,
  -- contact_id >> 11
  block int not null,
  accepted bit(2048) not null,
  -- Opens or clicks by a person.
  opened bit(2048) not null,
  clicked bit(2048) not null,
  primary key (account_id, campaign_id, block)
) with (fillfactor = 80);
-- Contacts that opened or clicked for the first time and are not in the blocks yet; a row for each transaction that stores
-- hits, which therefore waits for no other.
create table new_reaction (
  account_id int not null,
  campaign_id int not null,
  id bigint generated always as identity,
  opened int[] not null,
  clicked int[] not null,
  primary key (account_id, campaign_id, id)
);

-- The sums of a report whose recipients are no longer kept, as src/tracking/reports/kept.ts has them.
create table kept_report (
  account_id int not null,
  campaign_id int not null,
  sums jsonb not null,
  at timestamptz not null default now(),
  primary key (account_id, campaign_id)
);

-- A recipient's clicks on one link.
create table link_engagement (
  account_id int not null,
  campaign_id int not null,
  link_no int not null,
  seq int not null,
  -- Both as in engagement.
  month date not null,
  contact_id int not null,
  clicks int not null default 0,
  machine_clicks int not null default 0,
  primary key (account_id, campaign_id, link_no, seq, month)
) partition by range (month);
create table link_engagement_default partition of link_engagement default
  with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
create table link_engagement_auto partition of link_engagement for values from (minvalue) to ('0001-01-01')
  with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
