-- Whom an opening or click is of, beside the recipient's number: segments of a list of a million read all of a campaign's
-- openings in one go, and reports count people. Without it each was a look-up in delivery, seconds instead of tenths of one.
-- No index holds it: who asks about one contact comes by delivery.

alter table engagement add column contact_id int;
update engagement e
set contact_id = d.contact_id
from delivery d
where d.account_id = e.account_id
  and d.campaign_id = e.campaign_id
  and d.seq = e.seq;
-- Of recipients that are gone; no report has counted them.
delete from engagement where contact_id is null;
alter table engagement alter column contact_id set not null;

alter table link_engagement add column contact_id int;
update link_engagement e
set contact_id = d.contact_id
from delivery d
where d.account_id = e.account_id
  and d.campaign_id = e.campaign_id
  and d.seq = e.seq;
delete from link_engagement where contact_id is null;
alter table link_engagement alter column contact_id set not null;
