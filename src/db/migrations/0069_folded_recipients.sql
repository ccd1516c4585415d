-- The sums of recipients of autoresponders and of emails of automations that were deleted by age: reports add them to
-- those of the recipients there are.
create table folded_report (
  account_id int not null,
  campaign_id int not null,
  sums jsonb not null,
  primary key (account_id, campaign_id)
);

-- Occasions for which a contact has got the message of an autoresponder whose recipients of that age are deleted: it is never sent for them
-- again. One row for each, about 60 bytes.
create table past_occasion (
  account_id int not null,
  campaign_id int not null,
  contact_id int not null,
  occasion text not null,
  primary key (account_id, campaign_id, contact_id, occasion)
);
