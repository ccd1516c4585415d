-- Whether a recurring campaign was ever started. One that was started and paused before its first issue is not "not started".
alter table recurring add column started boolean not null default false;
update recurring r set started = true
where status = 'active'
  or exists (select from recurring_issue i where i.account_id = r.account_id and i.recurring_id = r.id and not i.by_hand);
