-- The last change of each part of a campaign that people edit, so that no one overwrites what another person has written since.
create table campaign_edit (
  account_id int not null,
  campaign_id int not null,
  -- content, languages, test, or another option of campaignUpdate.
  part text not null,
  -- Counts the changes of the part. Without a row it is 0.
  version int not null,
  -- Who made the last change. Both are null for the program itself.
  user_id int,
  key_id int,
  -- The window that made it, as it names itself; '' for programs.
  editor text not null,
  changed_at timestamptz not null,
  primary key (account_id, campaign_id, part),
  foreign key (account_id, campaign_id) references campaign on delete cascade
);

-- Who has a draft open now. A window renews its row; a row that is not renewed is deleted by the next window that asks.
create table campaign_presence (
  account_id int not null,
  campaign_id int not null,
  editor text not null,
  user_id int not null references app_user on delete cascade,
  seen_at timestamptz not null,
  primary key (account_id, campaign_id, editor),
  foreign key (account_id, campaign_id) references campaign on delete cascade
);

-- Who wrote the body of a version. Both are null for the program itself, and for versions from before this file.
alter table campaign_version
  add column user_id int,
  add column key_id int,
  drop constraint campaign_version_replaced_by_check,
  -- conflict: it was never the body of the campaign, because its author took what another person had written.
  add constraint campaign_version_replaced_by_check check (replaced_by in ('edit', 'template', 'import', 'restore', 'conflict'));
