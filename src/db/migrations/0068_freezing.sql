-- Campaigns whose audience is being frozen in portions of contacts, in the order of their ids, while the first messages leave. A row
-- is deleted with the last portion.
create table freezing (
  account_id int not null,
  campaign_id int not null,
  -- The launch: a contact that joins a list after it is not in the audience.
  started_at timestamptz not null default now(),
  -- Contacts up to this id are decided on.
  upto int not null,
  -- The recipients of the portions so far: the last of their numbers.
  recipients int not null,
  -- The segments as they were at the launch.
  audience jsonb not null,
  -- Whether the event campaign.started comes with the last portion.
  announces boolean not null,
  -- After a fail-over or a restore: messages to the rest may have been sent, so they are unclear from the start.
  doubted boolean not null default false,
  primary key (account_id, campaign_id),
  foreign key (account_id, campaign_id) references campaign(account_id, id) on delete cascade
);
