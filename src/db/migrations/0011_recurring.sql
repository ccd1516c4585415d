-- Recurring campaigns: issues made from a feed or a web page by a schedule.

-- A recurring campaign. Each issue is a copy of its original, filled with what is new. See docs/flows.md.
create sequence recurring_seq start 880000000;
create table recurring (
  account_id int not null references account on delete cascade,
  id int not null default public_id(nextval('recurring_seq')),
  title text not null,
  status text not null default 'paused' check (status in ('active', 'paused')),
  -- The campaign that is copied, null once it was deleted.
  original_id int,
  -- src/recurring/schedule/schedule.ts, by the clocks of time_zone.
  schedule jsonb not null,
  time_zone text not null,
  source text not null check (source in ('feed', 'page')),
  source_url text not null,
  -- Items of an issue at most.
  max_items int not null,
  -- An issue waits until a user approves it.
  approve boolean not null,
  -- What the server sent with the feed when everything in it was known; '' for nothing.
  etag text not null default '',
  last_modified text not null default '',
  -- When the next issue is due, and when it is tried next: later after a failure and while a task makes it. Null while paused.
  next_at timestamptz,
  try_at timestamptz,
  created_at timestamptz not null default now(),
  changed_at timestamptz not null default now(),
  primary key (account_id, id),
  foreign key (account_id, original_id) references campaign on delete set null (original_id)
);
-- For the task that begins issues, each minute.
create index recurring_due on recurring (try_at) where status = 'active';
-- A campaign is the original of one recurring campaign. For the deletion of campaigns, too.
create unique index recurring_original on recurring (account_id, original_id);

-- One row for each time at which an issue was due, or was made by hand.
create table recurring_issue (
  account_id int not null,
  recurring_id int not null,
  occurrence_at timestamptz not null,
  state text not null check (state in ('sent', 'waiting', 'skipped', 'expired', 'failed')),
  -- Why, as a packed message; '' for sent and waiting.
  reason text not null default '',
  -- Made by hand, at a time that is not one of the schedule.
  by_hand boolean not null default false,
  -- Attempts without success.
  attempts int not null default 0,
  -- Whether the owner got an email about its failure.
  notified boolean not null default false,
  -- Null without one, or once it was deleted.
  campaign_id int,
  has_campaign boolean not null default false,
  items int not null default 0,
  changed_at timestamptz not null default now(),
  primary key (account_id, recurring_id, occurrence_at),
  foreign key (account_id, recurring_id) references recurring on delete cascade,
  foreign key (account_id, campaign_id) references campaign on delete set null (campaign_id)
);
-- For the deletion of campaigns, and to find the issue of one.
create unique index recurring_issue_campaign on recurring_issue (account_id, campaign_id);

-- What was in a feed when an issue was made: items of an issue, and those beyond its limit, which are not sent later.
create table recurring_item (
  account_id int not null,
  recurring_id int not null,
  -- FeedItem.key of src/recurring/feed/feed.ts; of a page, the hash of its text.
  key text not null,
  -- The issue that has it; null for none.
  occurrence_at timestamptz,
  seen_at timestamptz not null default now(),
  primary key (account_id, recurring_id, key),
  foreign key (account_id, recurring_id) references recurring on delete cascade
);
