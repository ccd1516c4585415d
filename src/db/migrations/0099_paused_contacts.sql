-- Who takes a break, for the foresight of a campaign to a list of a million: a handful, found without reading all contacts.
create index contact_paused on contact (account_id, id) where paused_until is not null;
