-- Pictures that people put in to use in mails: the account's list of them. The bytes are an asset's; what is in this list
-- stays although no campaign names it yet.
create table picture (
  account_id int not null,
  name text not null,
  title text not null,
  alt text not null,
  width int not null,
  height int not null,
  -- Bytes; so that the sum of an account needs no look at the bytes themselves.
  size int not null,
  created_at timestamptz not null default now(),
  primary key (account_id, name),
  foreign key (account_id, name) references asset on delete cascade
);
-- The list, the latest first.
create index picture_by_time on picture (account_id, created_at desc, name);
