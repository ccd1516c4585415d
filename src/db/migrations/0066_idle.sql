-- What is looked at every second or at each scrape must not cost more the more accounts an installation has.

-- Contacts of automations that are due next, in any automation.
create index automation_run_next on automation_run (due_at) where ended_at is null;

-- Campaigns that are neither drafts nor sent: a few, however many there have been.
create index campaign_in_progress on campaign (status) where status not in ('draft', 'sent');

-- Whether only a change of a subscription of its list can change who is in a watched segment.
alter table segment_watch add column follows_list boolean not null default false;

-- Accounts of two installations never have the same id, so that one can be moved into the other. An installation that has
-- accounts keeps its numbers.
select setval('account_seq', 1 + floor(random() * 45000000)::bigint)
where not exists (select from account);
