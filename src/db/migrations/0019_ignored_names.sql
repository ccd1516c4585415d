-- What published clients of the API family send beside the fields of a list.

-- Names among the values of contacts that are no field of the list, without the values. Up to 100 for each list; kept as long
-- after their last use as the audit log.
create table ignored_name (
  account_id int not null,
  list_id int not null,
  name text not null,
  -- How many contacts were sent with it.
  count bigint not null,
  first_at timestamptz not null default now(),
  last_at timestamptz not null default now(),
  primary key (account_id, list_id, name),
  foreign key (account_id, list_id) references list(account_id, id) on delete cascade
);
