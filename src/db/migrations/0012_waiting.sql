-- What waits and what is late (docs/flows.md).

-- When the campaign was last resumed: what an autoresponder missed while it was paused is late by then.
alter table campaign add column resumed_at timestamptz;

-- The segments of a campaign that ask what contacts did, frozen at the launch: {segments, excluded}, each a list of {listId, match,
-- filter}. Each recipient is asked again before it is sent to. Null where no segment asks that.
alter table campaign add column asked_again jsonb;

-- Contacts that the date trigger did not let in, because their date was found too late.
alter table automation add column late int not null default 0;
