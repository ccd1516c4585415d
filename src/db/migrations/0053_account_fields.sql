-- Fields of the account: tags whose values are the contact's, the same on every list that has the field. Name, type and
-- choices are in the rows of field, where they are the same too; values are in subscription.fields.
create table account_field (
  account_id int not null references account(id) on delete cascade,
  tag text not null,
  -- joining: contacts may still have different values on their lists.
  state text not null check (state in ('joining', 'joined')),
  -- Which of different values stays: the newest, or that of list_id.
  rule text not null default 'newest' check (rule in ('newest', 'list')),
  list_id int,
  -- How far the join is: contacts up to this number are done.
  after_contact int not null default -1,
  -- How many contacts had different values so far.
  joined_contacts int not null default 0,
  created_at timestamptz not null default now(),
  joined_at timestamptz,
  primary key (account_id, tag)
);
