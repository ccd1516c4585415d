-- The events that steps of any version of an automation wait for.
alter table automation add column waits_for text[] not null default '{}';
-- The event that the step waits for has come; the contact takes the arm yes.
alter table automation_run add column reached boolean not null default false;
-- reach: an event that a step may wait for.
alter table automation_signal drop constraint automation_signal_kind_check;
alter table automation_signal add constraint automation_signal_kind_check check (kind in ('enter', 'leave', 'reach'));
