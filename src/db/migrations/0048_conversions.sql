-- What events with a value count for: the email whose link their contact followed last before. Of the person only the number of the
-- recipient, which leads to no one once the recipients of the campaign are deleted.
create table conversion (
  account_id int not null,
  campaign_id int not null,
  id bigint generated always as identity,
  -- delivery.seq
  seq int not null,
  -- When the event happened.
  at timestamptz not null,
  value numeric(18, 6) not null,
  primary key (account_id, campaign_id, id)
);
-- The figures of the last 30 days, on Home.
create index conversion_by_time on conversion (account_id, at);
