-- Domains an account signs for: pending until the key is published, active, or broken when it no longer is.
alter table sender_domain drop column selector;
alter table sender_domain
  -- When an active domain's record was found missing or wrong; null while pending or active.
  add column broken_at timestamptz,
  add column checked_at timestamptz,
  -- What the last check found, one object a record; see accounts/dns-check.ts.
  add column findings jsonb not null default '[]';
-- The task that looks at all domains again, the longest unseen first.
create index sender_domain_by_check on sender_domain (checked_at nulls first);

-- role: current signs; next takes its place once it is published; old may still be asked for by receivers.
create table sender_domain_key (
  account_id int not null,
  domain_id int not null,
  selector text not null,
  algorithm text not null check (algorithm in ('rsa-sha256', 'ed25519-sha256')),
  role text not null check (role in ('current', 'next', 'old')),
  public_key text not null,
  -- Sealed; see accounts/sealed.ts.
  private_key bytea not null,
  -- Found in DNS at the last check that had an answer.
  published boolean not null default false,
  created_at timestamptz not null default now(),
  retired_at timestamptz,
  primary key (account_id, domain_id, selector),
  foreign key (account_id, domain_id) references sender_domain on delete cascade
);
