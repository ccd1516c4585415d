-- The approval of a campaign before it is sent: what was asked, by whom, and the answer. The row is of the present state, the steps
-- are its history. docs/flows.md, Approval.
create table campaign_approval (
  account_id int not null,
  campaign_id int not null,
  state text not null check (state in ('asked', 'approved', 'changes', 'refused', 'withdrawn')),
  -- Who asked. All are null where one who may send has sent without asking; user_id and key_id also for the program itself.
  asked_at timestamptz,
  asked_user_id int,
  asked_key_id int,
  note text not null default '',
  -- When it is to be sent; null: as soon as it is approved.
  wanted_at timestamptz,
  -- The version that was asked about.
  asked_version text,
  answered_at timestamptz,
  answered_user_id int,
  answered_key_id int,
  answer text not null default '',
  -- The version that was approved last.
  approved_version text,
  -- Why it was withdrawn, as a packed message.
  reason text not null default '',
  -- What the campaign was when it was answered last, else when it was asked for first: differences are shown against it.
  compared text,
  compared_at timestamptz,
  primary key (account_id, campaign_id),
  foreign key (account_id, campaign_id) references campaign(account_id, id) on delete cascade
);
-- Home: what waits for an answer.
create index campaign_approval_asked on campaign_approval (account_id) where state = 'asked';

create table campaign_approval_step (
  account_id int not null,
  campaign_id int not null,
  no int not null,
  what text not null check (what in ('asked', 'approved', 'changes', 'refused', 'withdrawn')),
  at timestamptz not null,
  -- Both are null for the program itself.
  user_id int,
  key_id int,
  note text not null default '',
  version text not null default '',
  primary key (account_id, campaign_id, no),
  foreign key (account_id, campaign_id) references campaign(account_id, id) on delete cascade
);

create table campaign_comment (
  account_id int not null,
  campaign_id int not null,
  no int not null,
  user_id int,
  key_id int,
  text text not null,
  -- The block of the visual editor it is about, and the words of the email; '' for the whole campaign.
  block text not null default '',
  quote text not null default '',
  created_at timestamptz not null default now(),
  resolved_at timestamptz,
  resolved_user_id int,
  resolved_key_id int,
  primary key (account_id, campaign_id, no),
  foreign key (account_id, campaign_id) references campaign(account_id, id) on delete cascade
);
