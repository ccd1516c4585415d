-- Lists and segments whose members a campaign leaves out.
create table campaign_exclusion (
  account_id int not null,
  campaign_id int not null,
  kind text not null check (kind in ('list', 'segment')),
  target_id int not null,
  primary key (account_id, campaign_id, kind, target_id),
  foreign key (account_id, campaign_id) references campaign on delete cascade
);
