alter table template
  -- The name by which programs send it (messageSend); null: none. In lower case.
  add column alias text check (alias ~ '^[a-z0-9][a-z0-9._-]{0,63}$'),
  -- Of single messages from it that name no subject.
  add column subject text not null default '',
  -- Who wrote the source and the subject.
  add column user_id int,
  add column key_id int;
create unique index template_by_alias on template (account_id, alias) where alias is not null;

-- Earlier sources and subjects of a template.
create table template_version (
  account_id int not null,
  template_id int not null,
  -- Counts from 1 within the template.
  no int not null,
  source text not null,
  subject text not null,
  -- What replaced it.
  replaced_by text not null check (replaced_by in ('edit', 'restore')),
  kept_at timestamptz not null default now(),
  -- Who wrote it.
  user_id int,
  key_id int,
  primary key (account_id, template_id, no),
  foreign key (account_id, template_id) references template(account_id, id) on delete cascade
);
