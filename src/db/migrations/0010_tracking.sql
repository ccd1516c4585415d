-- Openings and clicks. A hit is kept for ever as it came, machine or not; engagement is the sum a report reads.

create table hit (
  account_id int not null,
  campaign_id int not null,
  id bigint generated always as identity,
  seq int not null,
  kind text not null check (kind in ('open', 'click')),
  link_no int,
  at timestamptz not null default now(),
  ip text not null default '',
  user_agent text not null default '',
  -- Why this is held to be a machine; null for a person.
  machine text,
  primary key (account_id, campaign_id, id)
);
create index hit_by_recipient on hit (account_id, campaign_id, seq);

create table engagement (
  account_id int not null,
  campaign_id int not null,
  seq int not null,
  opens int not null default 0,
  clicks int not null default 0,
  machine_opens int not null default 0,
  machine_clicks int not null default 0,
  first_open_at timestamptz,
  last_open_at timestamptz,
  first_click_at timestamptz,
  last_click_at timestamptz,
  primary key (account_id, campaign_id, seq)
) with (fillfactor = 80);

create table link_engagement (
  account_id int not null,
  campaign_id int not null,
  link_no int not null,
  seq int not null,
  clicks int not null default 0,
  machine_clicks int not null default 0,
  primary key (account_id, campaign_id, link_no, seq)
) with (fillfactor = 80);
