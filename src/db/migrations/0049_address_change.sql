-- A new address that a contact asked for on the preference page, until the link in the email to it is opened.
create table address_change (
  account_id int not null,
  contact_id int not null,
  email text not null,
  -- The list whose sender writes.
  list_id int not null,
  asked_at timestamptz not null default now(),
  -- Requests since the first of them, which limit how many emails a link can cause in a day.
  count smallint not null default 1,
  first_at timestamptz not null default now(),
  primary key (account_id, contact_id),
  foreign key (account_id, contact_id) references contact(account_id, id) on delete cascade
);
