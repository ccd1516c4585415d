create sequence label_seq start 710000000;

-- What people sort campaigns, lists, templates and automations by.
create table label (
  account_id int not null references account(id) on delete cascade,
  id int not null default public_id(nextval('label_seq')),
  name text not null,
  -- The name without regard to case: two labels never differ in case alone.
  name_key text not null,
  -- One of the names in src/accounts/labels/colours.ts.
  colour text not null,
  created_at timestamptz not null default now(),
  primary key (account_id, id)
);
create unique index label_by_name on label (account_id, name_key);

-- The labels of an object. The index is for the filter, and for deleting the label.
create table list_label (
  account_id int not null,
  list_id int not null,
  label_id int not null,
  primary key (account_id, list_id, label_id),
  foreign key (account_id, list_id) references list(account_id, id) on delete cascade,
  foreign key (account_id, label_id) references label(account_id, id) on delete cascade
);
create index list_label_by_label on list_label (account_id, label_id);
create table campaign_label (
  account_id int not null,
  campaign_id int not null,
  label_id int not null,
  primary key (account_id, campaign_id, label_id),
  foreign key (account_id, campaign_id) references campaign(account_id, id) on delete cascade,
  foreign key (account_id, label_id) references label(account_id, id) on delete cascade
);
create index campaign_label_by_label on campaign_label (account_id, label_id);
create table template_label (
  account_id int not null,
  template_id int not null,
  label_id int not null,
  primary key (account_id, template_id, label_id),
  foreign key (account_id, template_id) references template(account_id, id) on delete cascade,
  foreign key (account_id, label_id) references label(account_id, id) on delete cascade
);
create index template_label_by_label on template_label (account_id, label_id);
create table automation_label (
  account_id int not null,
  automation_id int not null,
  label_id int not null,
  primary key (account_id, automation_id, label_id),
  foreign key (account_id, automation_id) references automation(account_id, id) on delete cascade,
  foreign key (account_id, label_id) references label(account_id, id) on delete cascade
);
create index automation_label_by_label on automation_label (account_id, label_id);

-- Hidden from the screens: not offered, not listed unless asked for. Everything goes on as before.
alter table list add column is_hidden boolean not null default false;
alter table template add column is_hidden boolean not null default false;
-- What is being sent, or waits to be, is always shown.
alter table campaign add column is_hidden boolean not null default false
  check (not is_hidden or status in ('draft', 'sent'));
alter table automation add column is_hidden boolean not null default false
  check (not is_hidden or status <> 'active');
