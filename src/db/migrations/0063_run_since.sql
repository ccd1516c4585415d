-- An event of the goal, or one that a contact waits for, counts if it did not happen before what let the contact in.
-- When that happened: the time of the event, or when the cause was found. Null: entered_at.
alter table automation_run add column since timestamptz;
