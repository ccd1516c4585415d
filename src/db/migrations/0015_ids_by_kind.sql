-- Each kind of thing draws its ids from a stretch of its own, so that the id of a list never happens to be that of a
-- campaign as well and a mix-up is told as "unknown". Accounts keep the first stretch. A hundred million of each before two stretches meet; after that
-- the ids are still unique within their kind. Things that exist keep their ids.

select setval('app_user_seq', greatest(last_value, 100000000), is_called and last_value > 100000000) from app_user_seq;
select setval('api_key_seq', greatest(last_value, 200000000), is_called and last_value > 200000000) from api_key_seq;
select setval('list_seq', greatest(last_value, 300000000), is_called and last_value > 300000000) from list_seq;
select setval('segment_seq', greatest(last_value, 400000000), is_called and last_value > 400000000) from segment_seq;
select setval('template_seq', greatest(last_value, 500000000), is_called and last_value > 500000000) from template_seq;
select setval('campaign_seq', greatest(last_value, 600000000), is_called and last_value > 600000000) from campaign_seq;
select setval('sender_domain_seq', greatest(last_value, 700000000), is_called and last_value > 700000000)
  from sender_domain_seq;
select setval('webhook_seq', greatest(last_value, 800000000), is_called and last_value > 800000000) from webhook_seq;
-- Contacts are the many: theirs is the longest stretch.
select setval('contact_seq', greatest(last_value, 900000000), is_called and last_value > 900000000) from contact_seq;
