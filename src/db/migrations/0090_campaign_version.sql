-- What the body of a campaign was before it was changed, so that it can be gone back to. no counts from 1 within the
-- campaign; the oldest go when there are too many.
create table campaign_version (
  account_id int not null,
  campaign_id int not null,
  no int not null,
  html text not null,
  plain text not null,
  plain_generated boolean not null,
  -- What replaced it: typing, or a whole new body.
  replaced_by text not null check (replaced_by in ('edit', 'template', 'import', 'restore')),
  kept_at timestamptz not null default now(),
  primary key (account_id, campaign_id, no),
  foreign key (account_id, campaign_id) references campaign on delete cascade
);
