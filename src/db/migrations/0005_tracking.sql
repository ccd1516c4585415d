-- Opens and clicks. A hit is kept as it came, by a person or a machine; engagement is the sum that reports read.
-- Not tied to campaign: a deleted campaign is gone at once, its millions of rows are deleted by a task.

-- Link targets by number, frozen at launch. Click tokens hold the number, never the target.
create table link (
  account_id int not null,
  campaign_id int not null,
  no int not null,
  target text not null,
  primary key (account_id, campaign_id, no)
);

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
  primary key (account_id, campaign_id, id)
);
-- What a recipient did, in the history of a contact; the newest, to detect a machine that follows every link.
create index hit_by_recipient on hit (account_id, campaign_id, seq, id);

-- A recipient's opens and clicks. contact_id is repeated from delivery: segments of a list of a million read all opens of
-- a campaign in one scan, and reports count people; looking each up in delivery took seconds instead of tenths of one.
-- No index has it, since questions about one contact start from delivery.
create table engagement (
  account_id int not null,
  campaign_id int not null,
  seq int not null,
  contact_id int not null,
  opens int not null default 0,
  clicks int not null default 0,
  machine_opens int not null default 0,
  machine_clicks int not null default 0,
  -- By people only.
  last_open_at timestamptz,
  first_click_at timestamptz,
  last_click_at timestamptz,
  primary key (account_id, campaign_id, seq)
) with (fillfactor = 80);

-- A recipient's clicks on one link.
create table link_engagement (
  account_id int not null,
  campaign_id int not null,
  link_no int not null,
  seq int not null,
  -- As in engagement.
  contact_id int not null,
  clicks int not null default 0,
  machine_clicks int not null default 0,
  primary key (account_id, campaign_id, link_no, seq)
) with (fillfactor = 80);
