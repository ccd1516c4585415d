-- Lists that the readers' preference page offers to contacts who are not on them, and how readers read them.
alter table list
  add column is_public boolean not null default false,
  -- Instead of the name, which is the owner's. The page shows a list that has neither to no one by name.
  add column public_title text not null default '',
  add column public_description text not null default '',
  -- Under which heading; '' for none.
  add column public_group text not null default '';
