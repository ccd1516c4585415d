-- Texts that are corrected after the launch. Each correction is a revision: frozen_content has its rows after those of the earlier
-- ones, with variant + 32 for each revision before it, and the numbers of the recipients who get it.
alter table campaign add column revision int not null default 1;
-- When a text was changed after it was frozen; null: what is frozen is current.
alter table campaign add column corrected_at timestamptz;
-- Who gets the corrected text that the launch in progress publishes: those who come, or all whom no message was sent to.
alter table campaign add column publishes text check (publishes in ('next', 'rest'));
create table campaign_revision (
  account_id int not null,
  campaign_id int not null,
  -- From 2: the first one is what was launched.
  no int not null,
  -- Who changed the text last. Both are null for the program itself.
  user_id int,
  key_id int,
  published_at timestamptz not null default now(),
  primary key (account_id, campaign_id, no),
  foreign key (account_id, campaign_id) references campaign(account_id, id) on delete cascade
);
-- The target that the author wrote, and who corrected it when; all null where it was not corrected.
alter table link add column first_target text;
alter table link add column corrected_at timestamptz;
alter table link add column user_id int;
alter table link add column key_id int;
