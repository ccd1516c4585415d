-- Names that are no field and that the owner has seen.

-- Since when the name is not shown any more. It is still counted.
alter table ignored_name add column dismissed_at timestamptz;
