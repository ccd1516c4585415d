-- How many recipients came to an end in the last seconds, kept with the tally: counting the rows of a campaign with a
-- million recipients takes longer than sending hundreds of mails, and every call of campaignProgress asks for it.

alter table tally
  -- The ten seconds that the two counts are about: the number of such spans since 1970, by the database's clock.
  add column span int not null default 0,
  -- Accepted, failed or skipped in this span, and in the one before it.
  add column ended int not null default 0,
  add column ended_before int not null default 0;
