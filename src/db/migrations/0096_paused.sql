-- A contact may take a break: until then campaigns leave it out. Mails it asks for itself still come.
alter table contact add column paused_until timestamptz;
