-- What an import from an address or an archive could not take over as it was: shown by campaignCheck, never by a sending.
alter table campaign add column import_warnings jsonb not null default '[]';
