-- What waits and what is late (docs/flows.md).

-- When the campaign was last resumed: what an autoresponder missed while it was paused is late by then.
alter table campaign add column resumed_at timestamptz;

-- The segments of a campaign that ask what contacts did, frozen at the launch: {segments, excluded}, each a list of {listId, match,
-- filter}. Each recipient is asked again before it is sent to. Null where no segment asks that.
alter table campaign add column asked_again jsonb;

-- Contacts that the date trigger did not let in, because their date was found too late.
alter table automation add column late int not null default 0;

-- Recipients whose outcome is unclear and for whom a person decides, and since when: src/delivery/control/held-recipients.ts.
create table held_recipient (
  account_id int not null,
  campaign_id int not null,
  seq int not null,
  since timestamptz not null default now(),
  primary key (account_id, campaign_id, seq),
  foreign key (account_id, campaign_id) references campaign(account_id, id) on delete cascade
);

-- When the owner was notified that a campaign holds recipients.
alter table campaign add column held_notice_at timestamptz;
