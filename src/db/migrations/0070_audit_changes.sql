-- What a call changed: [{name, before, after, before_length, after_length}], the beginning of each value and how long it is. Null where
-- nothing is recorded.
alter table audit_entry add column changes jsonb;
