-- So that a person who bought after two emails of an automation counts once. Null once the recipients of the campaign are deleted.
alter table conversion add column contact_id int;
-- That of the event's data, such as EUR; '' if it names none. Sums are never added across currencies.
alter table conversion add column currency text not null default '';

update conversion c
set contact_id = d.contact_id
from delivery d
where d.account_id = c.account_id
  and d.campaign_id = c.campaign_id
  and d.seq = c.seq;
