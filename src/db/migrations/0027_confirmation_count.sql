-- How subscriptions were confirmed: whether one click is enough, and whether programs confirm, shows here.
create table confirmation_count (
  account_id int not null,
  list_id int not null,
  -- automatic: by the page, once a person looked at it; button: by its button; one_click: by a request without the page.
  how text not null check (how in ('automatic', 'button', 'one_click')),
  count bigint not null,
  primary key (account_id, list_id, how),
  foreign key (account_id, list_id) references list(account_id, id) on delete cascade
);
