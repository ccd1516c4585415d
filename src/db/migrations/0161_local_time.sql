-- Campaigns delivered by their recipients' clocks. match_at: when the first of a scheduled one is due, by the zones that occurred
-- when they were last asked for, match_asked_at. due_until: who is due until then was found in time, or goes because somebody
-- decided so; null where all are due at one time.
alter table campaign
  add column match_at timestamptz,
  add column match_asked_at timestamptz,
  add column due_until timestamptz;
update campaign
set match_asked_at = now()
where status = 'scheduled'
  and time_match;
update campaign
set due_until = now()
where time_match
  and schedule_at is not null
  and 'sending' in (status, paused_from);
create index campaign_matching on campaign (account_id, id) where status = 'sending' and due_until is not null;
