-- What waits and what is late (docs/flows.md).

-- When the campaign was last resumed: what an autoresponder missed while it was paused is late by then.
alter table campaign add column resumed_at timestamptz;

-- Contacts that the date trigger did not let in, because their date was found too late.
alter table automation add column late int not null default 0;
