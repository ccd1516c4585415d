-- What the campaign methods need beside the campaign itself.

-- Test mails asked for, for the hourly limit of an account.
create table test_mail (
  account_id int not null references account on delete cascade,
  id bigint generated always as identity,
  at timestamptz not null default now(),
  recipients int not null,
  primary key (account_id, id)
);

-- Domains an account sends from with signatures of its own.
create sequence sender_domain_seq;
create table sender_domain (
  account_id int not null references account on delete cascade,
  id int not null default public_id(nextval('sender_domain_seq')),
  domain text not null,
  active boolean not null default false,
  selector text not null default '',
  created_at timestamptz not null default now(),
  primary key (account_id, id),
  unique (account_id, domain)
);
