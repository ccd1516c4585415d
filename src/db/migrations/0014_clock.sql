-- Contacts on a step that is due when they arrive on it. They move on within a second, so there are few, however many wait; read
-- each second for those that are due in the future since the clock was set back.
create index automation_run_at_once on automation_run (due_at) where ended_at is null and due_at = step_at;
