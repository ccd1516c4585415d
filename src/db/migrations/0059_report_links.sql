-- Links that show reports to people without an account: figures only. Opening one changes nothing here.
create sequence report_link_seq start 910000000;
create table report_link (
  account_id int not null references account(id) on delete cascade,
  id int not null default public_id(nextval('report_link_seq')),
  -- The link itself is shown once, when it is made.
  token_hash bytea not null unique,
  -- What it shows: a campaign, or the campaigns of a list; of the account if both are null.
  campaign_id int,
  list_id int,
  name text not null default '',
  user_id int,
  key_id int,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (account_id, id),
  foreign key (account_id, campaign_id) references campaign(account_id, id) on delete cascade,
  foreign key (account_id, list_id) references list(account_id, id) on delete cascade,
  check (campaign_id is null or list_id is null)
);
-- The links of a campaign or list, also when it is deleted.
create index report_link_by_campaign on report_link (account_id, campaign_id);
create index report_link_by_list on report_link (account_id, list_id);
