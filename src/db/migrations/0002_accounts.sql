-- Accounts, people and how they sign in, API keys, sender domains.

create sequence account_seq;
create table account (
  id int primary key default public_id(nextval('account_seq')),
  name text not null,
  email text not null,
  company text not null default '',
  -- Shown in the footer of every email, as most countries require.
  postal_address text not null default '',
  phone text not null default '',
  website text not null default '',
  language text not null default 'en',
  time_zone text not null default 'UTC',
  plan text not null default 'free' check (plan in ('free', 'pro')),
  addons text[] not null default '{}',
  active boolean not null default true,
  may_send boolean not null default true,
  -- Settings by name; an absent one has the program's default.
  settings jsonb not null default '{}',
  -- Salt of the hashes in suppression, so that they are worthless outside the account.
  erasure_salt text not null default encode(uuid_send(gen_random_uuid()), 'hex'),
  created_at timestamptz not null default now()
);

create sequence app_user_seq start 100000000;
create table app_user (
  id int primary key default public_id(nextval('app_user_seq')),
  email text not null,
  -- The address in normal form: what makes it unique.
  email_key text not null unique,
  name text not null default '',
  -- Null for a person who signs in by an identity provider only.
  password_hash text,
  -- False for a user who joined by a link that was shown to the account that invited, until a link that was mailed to the
  -- address is used: a shown link proves nothing to other accounts.
  address_proven boolean not null default true,
  language text not null default 'en',
  -- Sealed with the installation's secret; set before the first code is confirmed.
  totp_secret bytea,
  totp_confirmed_at timestamptz,
  -- The 30-second step of the last accepted code: a code works once.
  totp_last_step bigint not null default 0,
  -- Read by no code: for an operator's questions, since it cannot be found out later.
  created_at timestamptz not null default now(),
  last_login_at timestamptz
);

create table membership (
  account_id int not null references account on delete cascade,
  user_id int not null references app_user on delete cascade,
  role text not null check (role in ('owner', 'editor', 'viewer')),
  -- The issuer of the identity provider whose groups gave it, and change or end it at a sign-in; null: a person decides.
  granted_by text,
  created_at timestamptz not null default now(),
  primary key (account_id, user_id)
);
-- The accounts of a person, at sign-in.
create index membership_by_user on membership (user_id);

-- An address that an account has invited. Whether it belongs to a user is looked up when it is accepted.
create sequence invitation_seq start 780000000;
create table invitation (
  account_id int not null references account on delete cascade,
  id int not null default public_id(nextval('invitation_seq')),
  email text not null,
  -- The address in normal form, as in app_user.
  email_key text not null,
  role text not null check (role in ('owner', 'editor', 'viewer')),
  -- Of a user who does not exist yet.
  name text not null default '',
  -- Of the newest link; null until one is made.
  token_hash bytea unique,
  -- The link was sent to the address; otherwise it was shown to the account.
  mailed boolean not null default false,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (account_id, id),
  unique (account_id, email_key)
);
-- The invitations of a signed-in user.
create index invitation_by_address on invitation (email_key);

create sequence session_seq start 50000000;
create table session (
  token_hash bytea primary key,
  -- Names the session in the person's list of sessions; only the browser has the token.
  id int not null default public_id(nextval('session_seq')),
  user_id int not null references app_user on delete cascade,
  account_id int not null references account on delete cascade,
  ip text not null default '',
  user_agent text not null default '',
  created_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  -- When the person last entered the password in it: what outlives the session needs that within minutes.
  confirmed_at timestamptz not null default now(),
  -- Of a sign-in by an identity provider: its issuer, and the ID token that signing out there needs, sealed.
  issuer text,
  id_token bytea,
  expires_at timestamptz not null
);
-- The sessions of a person: listed, and all ended when the password changes.
create index session_by_user on session (user_id);
create unique index session_by_id on session (user_id, id);

-- What a person is to an identity provider. A person has one identity of each.
create table identity (
  issuer text not null,
  subject text not null,
  user_id int not null references app_user on delete cascade,
  -- The address that the provider gave last: shown to the person, and used for nothing else.
  email text not null default '',
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  primary key (issuer, subject)
);
-- The identities of a person.
create unique index identity_by_user on identity (user_id, issuer);

-- Sign-ins on their way to an identity provider and back. Losing them in a database crash is harmless.
create unlogged table provider_attempt (
  -- Of the state that comes back, or, while a password is awaited, of a random text.
  state_hash bytea primary key,
  -- Of the token in the cookie of the browser that began it.
  browser_hash bytea not null,
  provider text not null,
  purpose text not null check (purpose in ('sign in', 'connect', 'confirm', 'password')),
  -- Who connects, confirms, or must enter the password.
  user_id int,
  -- Nonce, verifier and return path, or the identity that awaits the password.
  sealed bytea not null,
  expires_at timestamptz not null
);

-- The passkeys of a person, who signs in with one of them without a password.
create sequence passkey_seq start 790000000;
create table passkey (
  user_id int not null references app_user on delete cascade,
  id int not null default public_id(nextval('passkey_seq')),
  -- By which a sign-in finds it, before the person is known.
  credential_id bytea not null unique,
  -- COSE key.
  public_key bytea not null,
  -- Of the last signature; a lower one shows a copy of the device. 0 where passkeys are synced.
  counter bigint not null,
  transports text[] not null default '{}',
  -- A password manager keeps it on several devices.
  synced boolean not null default false,
  name text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  primary key (user_id, id)
);

-- Challenges that a passkey is to sign. Losing them in a database crash is harmless.
create unlogged table passkey_challenge (
  challenge_hash bytea primary key,
  -- Of the purpose, and the browser's cookie or the session that asked for it.
  bound_hash bytea not null,
  expires_at timestamptz not null
);

create table recovery_code (
  user_id int not null references app_user on delete cascade,
  code_hash bytea not null,
  primary key (user_id, code_hash)
);

-- Single-use links for setting a password without the old one, and for signing in without one.
create table sign_in_link (
  token_hash bytea primary key,
  purpose text not null check (purpose in ('first run', 'reset', 'sign in')),
  -- Null for the first run, which makes the person.
  user_id int references app_user on delete cascade,
  expires_at timestamptz not null
);
-- A new link replaces the older ones of the person.
create index sign_in_link_by_user on sign_in_link (user_id);

-- Sign-in attempts by caller, address and person, across all web processes. Losing them in a database crash is harmless.
create unlogged table sign_in_try (
  -- SHA-256 of what is counted: a caller, an address, a person's password or code.
  name bytea primary key,
  count int not null,
  since timestamptz not null
);

create sequence api_key_seq start 200000000;
create table api_key (
  account_id int not null references account on delete cascade,
  id int not null default public_id(nextval('api_key_seq')),
  key_hash bytea not null unique,
  -- The last four digits, to recognise the key by.
  hint text not null,
  label text not null default '',
  scope text not null default 'full' check (scope in ('full', 'write', 'read', 'limited')),
  -- Of a limited key, all that it may do: src/accounts/keys/permissions.ts.
  permissions text[],
  -- The person whose password it was exchanged for by login(): such a key never allows more than that person may do.
  user_id int references app_user on delete cascade,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  -- When it stops working; null: never.
  expires_at timestamptz,
  -- The networks it may be used from; null: any.
  networks cidr[],
  -- When it was revoked.
  expired_at timestamptz,
  primary key (account_id, id),
  check ((scope = 'limited') = (permissions is not null))
);
-- The keys of a person, which end with the person's sessions.
create index api_key_by_user on api_key (user_id) where user_id is not null;

-- The response of a call that creates something, by the idempotency key the caller sent: a repeated call gets the
-- same response and creates nothing. Kept for a day.
create table idempotency_record (
  account_id int not null references account on delete cascade,
  method text not null,
  key text not null,
  -- SHA-256 of the parameters: a key belongs to one call.
  call bytea not null,
  -- Written in the transaction that creates what it names.
  answer jsonb,
  at timestamptz not null default now(),
  primary key (account_id, method, key)
);
-- The task that deletes records older than a day.
create index idempotency_record_at on idempotency_record (at);

-- Who did what. Append-only; without foreign keys, so that it outlives people and keys.
create table audit_entry (
  account_id int not null,
  id bigint generated always as identity,
  user_id int,
  key_id int,
  door text not null,
  method text not null,
  -- The id of what the call was about.
  subject text not null default '',
  detail jsonb not null default '{}',
  ip text not null default '',
  at timestamptz not null default now(),
  primary key (account_id, id)
);
-- The log is read from its end, whole (by the key) or by person or method.
create index audit_entry_by_user on audit_entry (account_id, user_id, id);
create index audit_entry_by_method on audit_entry (account_id, lower(method), id);

-- Domains an account signs for. Pending until the key is published, then active; broken_at marks an active one whose
-- records went missing.
create sequence sender_domain_seq start 700000000;
create table sender_domain (
  account_id int not null references account on delete cascade,
  id int not null default public_id(nextval('sender_domain_seq')),
  domain text not null,
  active boolean not null default false,
  -- What the last check found, one object a record; see src/accounts.
  findings jsonb not null default '[]',
  created_at timestamptz not null default now(),
  checked_at timestamptz,
  -- When an active domain's record was found missing or wrong; null while pending or active.
  broken_at timestamptz,
  -- The host of the links in campaigns from the domain; '' for that of BASE_URL.
  tracking_host text not null default '',
  -- Whether the last check that got an answer found that the host leads here.
  tracking_ready boolean not null default false,
  primary key (account_id, id),
  unique (account_id, domain)
);
-- Whether a request was sent to a tracking host.
create index sender_domain_by_tracking_host on sender_domain (tracking_host) where tracking_host <> '';
-- The task that re-checks all domains, the longest unchecked first.
create index sender_domain_by_check on sender_domain (checked_at nulls first);
-- Whether another account has proven the domain of an address.
create index sender_domain_by_domain on sender_domain (domain) where active;

-- From addresses to choose from, each with its display name.
create sequence sender_seq start 840000000;
create table sender (
  account_id int not null references account on delete cascade,
  id int not null default public_id(nextval('sender_seq')),
  name text not null,
  -- ASCII, with the domain in lower case, as in sender_domain.
  email text not null,
  created_at timestamptz not null default now(),
  primary key (account_id, id),
  unique (account_id, email, name)
);

-- role: current signs; next replaces it once published; old may still be looked up by receivers.
create table sender_domain_key (
  account_id int not null,
  domain_id int not null,
  selector text not null,
  algorithm text not null check (algorithm in ('rsa-sha256', 'ed25519-sha256')),
  role text not null check (role in ('current', 'next', 'old')),
  public_key text not null,
  -- Sealed with the installation's secret.
  private_key bytea not null,
  -- Found in DNS at the last check that got an answer.
  published boolean not null default false,
  created_at timestamptz not null default now(),
  retired_at timestamptz,
  primary key (account_id, domain_id, selector),
  foreign key (account_id, domain_id) references sender_domain on delete cascade
);

-- DMARC reports that were counted; day is that of their beginning, UTC. Of the last 90 days, limited in number per domain.
create table dmarc_report (
  account_id int not null,
  domain_id int not null,
  reporter text not null,
  report_id text not null,
  day date not null,
  primary key (account_id, domain_id, reporter, report_id),
  foreign key (account_id, domain_id) references sender_domain on delete cascade
);

-- What a source sent with the From domain on a day, by the reports of one reporter.
create table dmarc_source (
  account_id int not null,
  domain_id int not null,
  day date not null,
  source inet not null,
  reporter text not null,
  messages bigint not null,
  -- By aligned DKIM or SPF.
  passed bigint not null,
  dkim bigint not null,
  spf bigint not null,
  primary key (account_id, domain_id, day, source, reporter),
  foreign key (account_id, domain_id) references sender_domain on delete cascade
);
