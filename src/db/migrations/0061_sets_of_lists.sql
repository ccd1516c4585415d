-- The only lists that a person or a key sees and touches; null for all, {} for none. A list that is deleted leaves the sets.
alter table membership add column lists int[];
alter table invitation add column lists int[];
alter table api_key add column lists int[];

-- Who made it, key or user with id: callers with a set of lists find their own uploads only.
alter table upload add column made_by text not null default coalesce(current_setting('postrider.caller', true), '');

-- It was sent to a list that was deleted, besides others: its reports are not of those others alone.
alter table campaign add column lost_list boolean not null default false;
