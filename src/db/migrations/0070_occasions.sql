-- How far each active autoresponder is planned. planned_to: occasions due before it have rows. window_to and
-- after_contact: the look under way and the last contact it has read. changed_from: when contacts were last looked
-- through for changes.
create table occasion_plan (
  account_id int not null,
  campaign_id int not null,
  planned_to timestamptz not null,
  window_to timestamptz,
  window_kind text not null default 'due' check (window_kind in ('due', 'changed')),
  after_contact int,
  changed_from timestamptz not null,
  changed_to timestamptz,
  look_at timestamptz not null default now(),
  primary key (account_id, campaign_id),
  foreign key (account_id, campaign_id) references campaign on delete cascade
);
-- Active autoresponders among all campaigns.
create index campaign_active_auto on campaign (account_id, id) where type = 'auto' and status = 'sending';
-- Contacts changed since the last look, in a list of a million.
create index subscription_by_change on subscription (account_id, list_id, changed_at);
