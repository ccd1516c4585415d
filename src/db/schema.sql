-- The present schema: what src/db/migrations adds up to. Written by "npm run docs:schema", for reading only. A test
-- compares it with a freshly migrated database.

-- 0001_base -----------------------------------------------------------------------------------------------------------

-- Spreads a sequence over all public ids (see src/db/ids.ts), in blocks of 4,096: a permutation of 0 … 1342177279. The
-- factor is odd and no multiple of 5, so it shares no divisor with the 5·2^16 blocks. Within a block, ids ascend: the rows of
-- an import then touch a few neighbouring pages of each index instead of one page a row.
--
-- Each kind of thing draws from its own range of the sequence, so the id of a list is never also the id of a campaign,
-- and a mix-up is reported as unknown. The first values:
--   account 1             session 50,000,000      app_user 100,000,000     api_key 200,000,000   list 300,000,000
--   segment 400,000,000   template 500,000,000    campaign 600,000,000     sender_domain 700,000,000
--   import 750,000,000    upload 760,000,000      webhook 800,000,000      relay 850,000,000
--   contact 900,000,000 (the longest range)
create function public_id(n bigint) returns int
  language sql immutable strict parallel safe
  as $$ select ((n / 4096 * 982451653 + 362436069) % 327680 * 4096 + n % 4096)::int $$;

-- Secrets and marks of the installation by name: 'secret', 'first_run', 'base_url', 'relays_set_up' (mail no longer goes to the
-- built-in inbox when there is no relay).
create table installation (
  key text primary key,
  value jsonb not null
);

-- The timeline of the database server: promoting a replica starts another one, and the last commits may not be on it. 0 where
-- the server does not show it.
create function database_timeline() returns int language plpgsql as $$
begin
  return ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int;
exception when others then
  return 0;
end $$;

-- Guards against two copies of an installation sending the same campaigns (src/jobs/sending-guard.ts). One row.
create table heartbeat (
  single boolean default true primary key check (single),
  -- Random, replaced when an operator confirms sending; a copy that still has the old one is recognised by it.
  instance text not null,
  -- Identifies the database server and the database on it: a restored dump or a copied database has another.
  place text not null,
  beat bigint not null default 0,
  beat_at timestamptz not null default now(),
  -- Why nothing is sent until an operator confirms; '' when sending is allowed.
  held text not null default '',
  -- The timeline on which all workers have redone what the database lost (src/delivery/recovery/failover.ts).
  timeline int not null default database_timeline()
);

-- Worker processes. A worker is alive while its session holds the advisory lock (worker_lock, id).
create table worker (
  id int generated always as identity primary key,
  host text not null,
  boot_id text not null,
  -- The pid namespace: a pid identifies a process only among those that share it, and containers may share a host name.
  pid_namespace text not null default '',
  pid int not null,
  -- Path of the worker's delivery journal.
  journal text not null,
  -- Under which names it locks jobs in the queue; the jobs of a dead worker are released by them.
  job_names text[] not null default '{}',
  seen_at timestamptz not null default now(),
  ended_at timestamptz,
  -- The timeline on which this worker's journal has been redone.
  timeline int not null default database_timeline()
);

-- 0002_accounts -------------------------------------------------------------------------------------------------------

create sequence account_seq;
create table account (
  id int default public_id(nextval('account_seq')) primary key,
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
  created_at timestamptz not null default now(),
  test_of int references account(id) on delete cascade,
  monthly_quota int check (monthly_quota > 0),
  max_rate double precision check (max_rate > 0::double precision),
  delete_at timestamptz,
  quota_noticed_month date,
  quota_noticed_percent smallint not null default 0
);
create unique index account_tests on account (test_of) where test_of is not null;

create sequence app_user_seq start 100000000;
create table app_user (
  id int default public_id(nextval('app_user_seq')) primary key,
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
  account_id int not null references account(id) on delete cascade,
  user_id int not null references app_user(id) on delete cascade,
  role text not null check (role in ('owner', 'editor', 'author', 'viewer', 'analyst', 'custom')),
  -- The issuer of the identity provider whose groups gave it, and change or end it at a sign-in; null: a person decides.
  granted_by text,
  created_at timestamptz not null default now(),
  -- Of the role custom, all that the person may do: src/base/permissions.ts.
  permissions text[],
  lists int[],
  primary key (account_id, user_id),
  check ((role = 'custom') = (permissions is not null))
);
-- The accounts of a person, at sign-in.
create index membership_by_user on membership (user_id);

-- An address that an account has invited. Whether it belongs to a user is looked up when it is accepted.
create sequence invitation_seq start 780000000;
create table invitation (
  account_id int not null references account(id) on delete cascade,
  id int not null default public_id(nextval('invitation_seq')),
  email text not null,
  -- The address in normal form, as in app_user.
  email_key text not null,
  role text not null check (role in ('owner', 'editor', 'author', 'viewer', 'analyst', 'custom')),
  -- Of a user who does not exist yet.
  name text not null default '',
  -- Of the newest link; null until one is made.
  token_hash bytea unique,
  -- The link was sent to the address; otherwise it was shown to the account.
  mailed boolean not null default false,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  -- Of the role custom.
  permissions text[],
  lists int[],
  invited_by text not null default '',
  primary key (account_id, id),
  unique (account_id, email_key),
  check ((role = 'custom') = (permissions is not null))
);
-- The invitations of a signed-in user.
create index invitation_by_address on invitation (email_key);

create sequence session_seq start 50000000;
create table session (
  token_hash bytea primary key,
  -- Names the session in the person's list of sessions; only the browser has the token.
  id int not null default public_id(nextval('session_seq')),
  user_id int not null references app_user(id) on delete cascade,
  account_id int not null references account(id) on delete cascade,
  ip text not null default '',
  user_agent text not null default '',
  created_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  -- When the person last entered the password in it: what outlives the session needs that within minutes.
  confirmed_at timestamptz not null default now(),
  -- Of a sign-in by an identity provider: its issuer, and the ID token that signing out there needs, sealed.
  issuer text,
  id_token bytea,
  expires_at timestamptz not null,
  acting_until timestamptz
);
-- The sessions of a person: listed, and all ended when the password changes.
create index session_by_user on session (user_id);
create unique index session_by_id on session (user_id, id);

-- What a person is to an identity provider. A person has one identity of each.
create table identity (
  issuer text not null,
  subject text not null,
  user_id int not null references app_user(id) on delete cascade,
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
  user_id int not null references app_user(id) on delete cascade,
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
  user_id int not null references app_user(id) on delete cascade,
  code_hash bytea not null,
  primary key (user_id, code_hash)
);

-- Single-use links for setting a password without the old one, and for signing in without one.
create table sign_in_link (
  token_hash bytea primary key,
  purpose text not null check (purpose in ('first run', 'reset', 'sign in')),
  -- Null for the first run, which makes the person.
  user_id int references app_user(id) on delete cascade,
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
  account_id int not null references account(id) on delete cascade,
  id int not null default public_id(nextval('api_key_seq')),
  key_hash bytea not null unique,
  -- The last four digits, to recognise the key by.
  hint text not null,
  label text not null default '',
  scope text not null default 'full' check (scope in ('full', 'write', 'read', 'limited')),
  -- Of a limited key, all that it may do: src/accounts/keys/permissions.ts.
  permissions text[],
  -- The person whose password it was exchanged for by login(): such a key never allows more than that person may do.
  user_id int references app_user(id) on delete cascade,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  -- When it stops working; null: never.
  expires_at timestamptz,
  -- The networks it may be used from; null: any.
  networks cidr[],
  -- When it was revoked.
  expired_at timestamptz,
  -- Calls a minute and calls at once that the key has; null: as the installation allows each key (API_RATE, API_PARALLEL).
  calls_per_minute int check (calls_per_minute >= 1 and calls_per_minute <= 1000000),
  calls_at_once int check (calls_at_once >= 1 and calls_at_once <= 10000),
  test boolean not null default false,
  lists int[],
  made_by int references app_user(id) on delete set null,
  primary key (account_id, id),
  check ((scope = 'limited') = (permissions is not null))
);
-- The keys of a person, which end with the person's sessions.
create index api_key_by_user on api_key (user_id) where user_id is not null;

-- The response of a call that creates something, by the idempotency key the caller sent: a repeated call gets the
-- same response and creates nothing. Kept for a day.
create table idempotency_record (
  account_id int not null references account(id) on delete cascade,
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
  changes jsonb,
  primary key (account_id, id)
);
-- The log is read from its end, whole (by the key) or by person or method.
create index audit_entry_by_user on audit_entry (account_id, user_id, id);
create index audit_entry_by_method on audit_entry (account_id, lower(method), id);

-- Domains an account signs for. Pending until the key is published, then active; broken_at marks an active one whose
-- records went missing.
create sequence sender_domain_seq start 700000000;
create table sender_domain (
  account_id int not null references account(id) on delete cascade,
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
  account_id int not null references account(id) on delete cascade,
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
  foreign key (account_id, domain_id) references sender_domain(account_id, id) on delete cascade
);

-- DMARC reports that were counted; day is that of their beginning, UTC. Of the last 90 days, limited in number per domain.
create table dmarc_report (
  account_id int not null,
  domain_id int not null,
  reporter text not null,
  report_id text not null,
  day date not null,
  primary key (account_id, domain_id, reporter, report_id, day),
  foreign key (account_id, domain_id) references sender_domain(account_id, id) on delete cascade
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
  foreign key (account_id, domain_id) references sender_domain(account_id, id) on delete cascade
);

-- 0003_audience -------------------------------------------------------------------------------------------------------

create sequence list_seq start 300000000;
create sequence list_web_seq;
create table list (
  account_id int not null references account(id) on delete cascade,
  id int not null default public_id(nextval('list_seq')),
  -- A plain number, for clients that expect one beside the id.
  web_id int not null default nextval('list_web_seq'),
  name text not null,
  default_from_name text not null default '',
  default_from_email text not null default '',
  default_subject text not null default '',
  -- The From address of its confirmation, welcome and goodbye; null for the account's.
  sender_id int,
  default_language text not null default 'en',
  -- Whether contacts may choose between HTML and plain text.
  email_type_option boolean not null default false,
  -- Who the list's emails are from, for footers and dates; what is '' comes from the account.
  company text not null default '',
  postal_address text not null default '',
  website text not null default '',
  time_zone text not null default '',
  -- Part of the address of the hosted sign-up form, so that the form of an unpublished list cannot be guessed.
  form_key text not null default replace(gen_random_uuid()::text, '-', ''),
  -- Settings of the sign-up form by name.
  form jsonb not null default '{}',
  created_at timestamptz not null default now(),
  in_archive boolean not null default false,
  -- Who is notified, separated by commas; '' for the main address of the account.
  notify_to text not null default '',
  subscription_notify boolean not null default false,
  unsubscription_notify boolean not null default false,
  -- Why a contact gets its emails, in place of the sentence of the program.
  permission_reminder text not null default '',
  -- When the last notice was sent.
  notified_at timestamptz,
  is_public boolean not null default false,
  -- Instead of the name, which is the owner's. The page shows a list that has neither to no one by name.
  public_title text not null default '',
  public_description text not null default '',
  -- Under which heading; '' for none.
  public_group text not null default '',
  is_hidden boolean not null default false,
  primary key (account_id, id),
  foreign key (account_id, sender_id) references sender(account_id, id) on delete set null (sender_id)
);
-- A visit to a sign-up form.
create unique index list_by_form_key on list (form_key);

-- Wording of a list's emails and pages that differs from the program's.
create table list_text (
  account_id int not null,
  list_id int not null,
  name text not null,
  -- '' for every language without a wording of its own.
  language text not null default '',
  value text not null,
  primary key (account_id, list_id, name, language),
  foreign key (account_id, list_id) references list(account_id, id) on delete cascade
);

-- The merge fields of a list. Values are in subscription.fields by tag.
create table field (
  account_id int not null,
  list_id int not null,
  tag text not null,
  -- The N of the tag MERGEN; 0 for EMAIL.
  merge_no int not null,
  name text not null,
  field_type text not null
    check (field_type in ('text', 'number', 'email', 'date', 'phone', 'website', 'address', 'dropdown', 'image', 'yes_no', 'multiple_choice')),
  required boolean not null default false,
  shown boolean not null default true,
  position int not null,
  default_value text not null default '',
  choices text[] not null default '{}',
  primary key (account_id, list_id, tag),
  foreign key (account_id, list_id) references list(account_id, id) on delete cascade
);

-- The mailbox behind an address: without +tag, and without dots where the provider ignores them. Mirrors mailboxOf in
-- src/audience.
create function mailbox_of(email_key text) returns text
language sql immutable parallel safe
return case
  when split_part(email_key, '@', 2) in ('gmail.com', 'googlemail.com')
    then replace(regexp_replace(split_part(email_key, '@', 1), '^([^+]+)[+].*$', '\1'), '.', '') || '@gmail.com'
  else regexp_replace(split_part(email_key, '@', 1), '^([^+]+)[+].*$', '\1') || '@' || split_part(email_key, '@', 2)
end;

-- A person of an account, once.
create sequence contact_seq start 900000000;
create table contact (
  account_id int not null,
  id int not null default public_id(nextval('contact_seq')),
  -- As the person spells it.
  email text not null,
  -- The address in normal form: two spellings of one address have the same key.
  email_key text not null,
  domain text not null,
  language text not null default '',
  time_zone text not null default '',
  -- Campaigns leave the contact out until then. Emails it asks for itself are still sent.
  paused_until timestamptz,
  -- The contact's opens and clicks are not recorded: its messages have no pixel, and their links are the addresses themselves.
  untracked boolean not null default false,
  -- What the account calls the contact, in lower case and in order.
  tags text[] not null default '{}',
  created_at timestamptz not null default now(),
  changed_at timestamptz not null default now(),
  primary key (account_id, id),
  unique (account_id, email_key)
);
-- The pages of contacts over all lists, newest first. An import appends to it.
create index contact_by_age on contact (account_id, created_at, id);
-- Contacts whose own facts changed (their time zone) since an autoresponder last looked, every five seconds, among a
-- million. Rows are written in the order of time, so a few numbers for every 32 pages do, and cost an import nothing.
create index contact_by_change on contact using brin (changed_at) with (pages_per_range = 32, autosummarize = on);
-- A second spelling of a mailbox at sign-up, on lists of a million; all other addresses are their own mailbox.
create index contact_by_mailbox on contact (account_id, mailbox_of(email_key))
  where (domain in ('gmail.com', 'googlemail.com')) or email_key like '%+%';
-- Paused contacts, for the forecast of a campaign to a list of a million: a handful.
create index contact_paused on contact (account_id, id) where paused_until is not null;
-- The tags in use, where few of a million contacts have one.
create index contact_tagged on contact (account_id, id) where tags <> '{}';
-- Opens and clicks of contacts who opted out, among those of a million who did not.
create index contact_untracked on contact (account_id, id) where untracked;
-- Several words of addresses, such as ada.lovelace@example.com, among a million. Domains are in no query for names.
create index contact_by_word on contact using gin (words_in(split_part(email_key, '@', 1)));

-- How many contacts have a language or zone, compared as segments compare them. Without, the planner takes each for one
-- in two hundred and looks up the members among a quarter of a million contacts one by one.
create statistics contact_language on (lower(language collate "C")) from contact;

create statistics contact_time_zone on (lower(time_zone collate "C")) from contact;

-- A contact on a list. The key starts with the contact, so that it also finds the lists of a contact: an import writes
-- one index less.
-- No foreign keys: they look up parents row by row, a third of what a row of an import costs. The triggers below keep
-- the same rule with one statement for all rows.
create table subscription (
  account_id int not null,
  contact_id int not null,
  list_id int not null,
  status text not null check (status in ('pending', 'subscribed', 'unsubscribed', 'inactive', 'bounced')),
  email_type text not null default 'html' check (email_type in ('html', 'text')),
  -- Values of merge fields by tag.
  fields jsonb not null default '{}',
  source text not null default 'api',
  -- The import that put the contact on the list; an undo finds by it what to remove.
  import_id int,
  -- Evidence of the sign-up: asked for, opted in, confirmed.
  signup_ip text not null default '',
  signup_at timestamptz not null default now(),
  optin_ip text not null default '',
  optin_at timestamptz,
  confirm_ip text not null default '',
  confirm_at timestamptz,
  unsubscribe_ip text not null default '',
  unsubscribe_at timestamptz,
  unsubscribe_campaign_id int,
  unsubscribe_reason text not null default '',
  -- When the contact was reminded to confirm, once after each sign-up.
  reminded_at timestamptz,
  -- When status last changed.
  status_at timestamptz not null default now(),
  changed_at timestamptz not null default now(),
  primary key (account_id, contact_id, list_id)
) with (fillfactor = 85);
-- listMembers (newest first within a status) and counts by status, of lists of a million.
create index subscription_by_status on subscription (account_id, list_id, status, status_at);
-- Members changed since an autoresponder last looked, in a list of a million.
create index subscription_by_change on subscription (account_id, list_id, changed_at);
-- People by name, among a million.
create index subscription_by_word on subscription using gin (words_of(fields));

-- Shows the planner that a million moments fall on some hundred days: months of growth are then summed in small hash
-- tables instead of being sorted.
create statistics subscription_days on
  (date_bin('1 day', confirm_at, '2000-01-01Z')), (date_bin('1 day', status_at, '2000-01-01Z')),
  (date_bin('1 day', unsubscribe_at, '2000-01-01Z'))
from subscription;

-- In place of foreign keys: list and contact of a new subscription exist and stay until the transaction ends. An import,
-- which has locked the parents of its batch itself, sets postrider.parents_held.
create function subscription_needs_parents() returns trigger language plpgsql as $$
declare
  missing record;
begin
  -- By their indexes, however many rows come at once: a transition table has no statistics.
  perform
  from list l
  where (l.account_id, l.id) in (select distinct account_id, list_id from written)
  for key share;
  select distinct w.account_id, w.list_id
  into missing
  from written w
  where not exists (select from list l where l.account_id = w.account_id and l.id = w.list_id)
  limit 1;
  if found then
    raise foreign_key_violation using message = format('there is no list %s', missing.list_id);
  end if;
  perform
  from written w
  join contact c on c.account_id = w.account_id and c.id = w.contact_id
  for key share of c;
  select w.contact_id
  into missing
  from written w
  where not exists (select from contact c where c.account_id = w.account_id and c.id = w.contact_id)
  limit 1;
  if found then
    raise foreign_key_violation using message = format('there is no contact %s', missing.contact_id);
  end if;
  return null;
end
$$;

create trigger subscription_needs_parents after insert on subscription
  referencing new table as written
  for each statement
  when (current_setting('postrider.parents_held', true) is distinct from 'yes')
  execute function subscription_needs_parents();

-- In place of "on delete cascade".
create function subscription_goes_with_contact() returns trigger language plpgsql as $$
begin
  delete from subscription s
  using gone
  where s.account_id = gone.account_id
    and s.contact_id = gone.id;
  return null;
end
$$;

create trigger subscription_goes_with_contact after delete on contact
  referencing old table as gone
  for each statement execute function subscription_goes_with_contact();

-- In place of "on delete cascade".
create function subscription_goes_with_list() returns trigger language plpgsql as $$
begin
  delete from subscription s
  using gone
  where s.account_id = gone.account_id
    and s.list_id = gone.id;
  return null;
end
$$;

create trigger subscription_goes_with_list after delete on list
  referencing old table as gone
  for each statement execute function subscription_goes_with_list();

-- How many members each list has in each status, and how many joined, left and unsubscribed in each month: counting the
-- rows of a list of millions takes seconds, and every other screen shows it. Every statement that changes subscriptions
-- adds rows with its differences and touches no row of others, so none waits for another; the sum of the rows is always
-- the count. The task foldMemberTally merges rows of the same fact.
create table member_tally (
  account_id int not null,
  list_id int not null,
  -- A status, or 'joined' (confirmed), 'gone' (a confirmed member that left, by status_at) or 'left' (unsubscribed).
  fact text not null,
  -- The first day of the month, UTC; '-infinity' for a status.
  month date not null,
  count int not null
);
-- The counts of a list, and the rows to merge.
create index member_tally_of_list on member_tally (account_id, list_id, fact, month);

-- The facts a group of equal subscriptions counts for.
create function member_facts(status text, joined timestamptz, gone timestamptz, unsubscribed timestamptz)
returns table (fact text, month date) language sql stable as $$
  select f.fact, date_trunc('month', f.day at time zone 'UTC')::date
  from (
    values (status, '-infinity'::timestamptz), ('joined', joined), ('gone', gone), ('left', unsubscribed)
  ) f (fact, day)
  where f.day is not null
$$;

-- Groups by day first, which is plain arithmetic; the calendar is then asked for days, not for every member.
create function tally_members() returns trigger language plpgsql as $$
begin
  if tg_op <> 'UPDATE' then
    insert into member_tally (account_id, list_id, fact, month, count)
    select d.account_id, d.list_id, f.fact, f.month, case tg_op when 'DELETE' then -sum(d.count) else sum(d.count) end
    from (
      select account_id, list_id, status, date_bin('1 day', confirm_at, '2000-01-01Z') as joined,
        case
          when status in ('unsubscribed', 'bounced', 'inactive') and confirm_at is not null
          then date_bin('1 day', status_at, '2000-01-01Z')
        end as gone,
        date_bin('1 day', unsubscribe_at, '2000-01-01Z') as unsubscribed, count(*) as count
      from changed
      group by 1, 2, 3, 4, 5, 6
    ) d
    cross join lateral member_facts(d.status, d.joined, d.gone, d.unsubscribed) f
    group by 1, 2, 3, 4;
  else
    insert into member_tally (account_id, list_id, fact, month, count)
    select d.account_id, d.list_id, f.fact, f.month, sum(d.count)
    from (
      select account_id, list_id, status, date_bin('1 day', confirm_at, '2000-01-01Z') as joined,
        case
          when status in ('unsubscribed', 'bounced', 'inactive') and confirm_at is not null
          then date_bin('1 day', status_at, '2000-01-01Z')
        end as gone,
        date_bin('1 day', unsubscribe_at, '2000-01-01Z') as unsubscribed, sum(sign) as count
      from (
        select account_id, list_id, status, confirm_at, status_at, unsubscribe_at, 1 as sign
        from changed
        union all
        select account_id, list_id, status, confirm_at, status_at, unsubscribe_at, -1
        from before
      ) s
      group by 1, 2, 3, 4, 5, 6
      having sum(sign) <> 0
    ) d
    cross join lateral member_facts(d.status, d.joined, d.gone, d.unsubscribed) f
    group by 1, 2, 3, 4
    having sum(d.count) <> 0;
  end if;
  return null;
end
$$;

create trigger subscription_tallied_in after insert on subscription
  referencing new table as changed
  for each statement execute function tally_members();

create trigger subscription_tallied_out after delete on subscription
  referencing old table as changed
  for each statement execute function tally_members();

-- An import that changes only fields sets postrider.counts_stay.
create trigger subscription_tallied_again after update on subscription
  referencing old table as before new table as changed
  for each statement
  when (current_setting('postrider.counts_stay', true) is distinct from 'yes')
  execute function tally_members();

-- What a contact agreed to, and when: append-only evidence. It stays when the contact subscribes again or is deleted.
-- Always asked for by contact, so the key starts with it and needs no second index.
create table consent (
  account_id int not null,
  contact_id int not null,
  id bigint generated always as identity,
  list_id int,
  -- signup, subscribe, confirm, update, address, pause, resume, untrack, track, unsubscribe, delete; see
  -- src/audience/contacts/consent-log.ts.
  kind text not null,
  source text not null default '',
  ip text not null default '',
  detail jsonb not null default '{}',
  at timestamptz not null default now(),
  primary key (account_id, contact_id, id)
);
-- Reports: who left because of a campaign.
create index consent_by_campaign on consent (account_id, (detail ->> 'campaign')) where detail ? 'campaign';
-- Records that were written since the chain last looked, among millions: appended in the order of their ids.
create index consent_by_id on consent using brin (id) with (pages_per_range = 32, autosummarize = on);

-- The chain of the consent log of an account: a link for each record, made some minutes later by the task chainConsent.
-- See src/audience/consent/digest.ts for what is hashed.
create table consent_link (
  account_id int not null,
  -- From 1, without gaps.
  position bigint not null,
  consent_id bigint not null,
  contact_id int not null,
  -- Random, so that no one can try out what was erased; null when the contact is erased.
  salt bytea,
  -- Of the personal data, with the salt.
  personal bytea not null,
  -- Of the record, the digest above and the hash of the link before.
  hash bytea not null,
  primary key (account_id, "position")
);
-- Erasing a contact; records that have no link.
create index consent_link_of_contact on consent_link (account_id, contact_id, consent_id);

-- How far the chain is, for the whole installation: one row, or none before the first run.
create table consent_chain (
  only_row boolean default true primary key check (only_row),
  -- All records up to this id are linked.
  last_id bigint not null default 0,
  -- All records up to this id exist as soon as no transaction before this one is in progress.
  pending_id bigint,
  pending_before text,
  -- The newest id one run ago.
  candidate_id bigint
);

-- Addresses and domains that get no email from this account, whatever list they are on.
create table suppression (
  account_id int not null references account(id) on delete cascade,
  -- hash: of the address of an erased person, salted with account.erasure_salt; the address itself is kept nowhere.
  kind text not null check (kind in ('address', 'domain', 'hash')),
  value text not null,
  reason text not null check (reason in ('manual', 'bounce', 'complaint', 'unsubscribe', 'erased', 'api')),
  campaign_id int,
  detail text not null default '',
  created_at timestamptz not null default now(),
  primary key (account_id, kind, value)
);
-- The pages of suppressedListMembers, newest first.
create index suppression_by_age on suppression (account_id, created_at desc);

-- Rules by which contacts are removed or tagged every night; see docs/flows.md. Only the last four columns change.
create sequence clean_up_rule_seq start 770000000;
create table clean_up_rule (
  account_id int not null references account(id) on delete cascade,
  id int not null default public_id(nextval('clean_up_rule_seq')),
  -- Null for all lists.
  list_id int,
  kind text not null check (kind in ('unconfirmed', 'inactive')),
  -- Signed up, or subscribed, at least so long ago.
  days int not null,
  -- Of inactive: campaigns received without a reaction; 0 otherwise.
  campaigns int not null default 0,
  action text not null check (action in ('remove', 'unsubscribe', 'tag')),
  tag text not null default '',
  created_at timestamptz not null default now(),
  -- Set by a person who has seen the preview; null while the rule is off.
  enabled_at timestamptz,
  last_run_at timestamptz,
  last_count int not null default 0,
  total_count int not null default 0,
  primary key (account_id, id),
  foreign key (account_id, list_id) references list(account_id, id) on delete cascade
);

create sequence segment_seq start 400000000;
create sequence segment_web_seq;
create table segment (
  account_id int not null,
  id int not null default public_id(nextval('segment_seq')),
  web_id int not null default nextval('segment_web_seq'),
  list_id int not null,
  title text not null,
  match text not null check (match in ('all', 'any', 'none')),
  -- The conditions.
  filter jsonb not null,
  auto_update boolean not null default true,
  created_at timestamptz not null default now(),
  changed_at timestamptz not null default now(),
  primary key (account_id, id),
  foreign key (account_id, list_id) references list(account_id, id) on delete cascade
);

-- Segments whose joining and leaving contacts are events, because a webhook wants them.
create table segment_watch (
  account_id int not null,
  segment_id int not null,
  look_at timestamptz not null default now(),
  -- Null until the members of the segment are recorded.
  looked_at timestamptz,
  follows_list boolean not null default false,
  primary key (account_id, segment_id),
  foreign key (account_id, segment_id) references segment(account_id, id) on delete cascade
);
create index segment_watch_due on segment_watch (look_at);

-- The members of watched segments at the last look.
create table segment_member (
  account_id int not null,
  segment_id int not null,
  contact_id int not null,
  primary key (account_id, segment_id, contact_id),
  foreign key (account_id, segment_id) references segment_watch(account_id, segment_id) on delete cascade
);

-- A file on its way to an import.
create sequence upload_seq start 760000000;
create table upload (
  account_id int not null references account(id) on delete cascade,
  id int not null default public_id(nextval('upload_seq')),
  name text not null default '',
  -- Bytes received so far.
  size bigint not null default 0,
  changed_at timestamptz not null default now(),
  made_by text not null default coalesce(current_setting('postrider.caller', true), ''),
  primary key (account_id, id)
);

-- The bytes of a file in pieces; at is the offset of the first.
create table upload_piece (
  account_id int not null,
  upload_id int not null,
  at bigint not null,
  bytes bytea storage external not null,
  primary key (account_id, upload_id, at),
  foreign key (account_id, upload_id) references upload(account_id, id) on delete cascade
);

-- An import of contacts into a list. For the states see docs/flows.md.
create sequence import_seq start 750000000;
create table import (
  account_id int not null,
  id int not null default public_id(nextval('import_seq')),
  list_id int not null,
  -- No foreign key: the file is deleted some days after the import is done, the record stays.
  upload_id int not null,
  name text not null default '',
  size bigint not null,
  state text not null
    check (state in ('uploaded', 'mapped', 'checking', 'checked', 'running', 'stopped', 'failed', 'done', 'undoing', 'undone')),
  -- Why it failed or stopped.
  reason text not null default '',
  source text not null check (source in ('admin', 'api')),
  -- Which column goes where, and what happens to known contacts.
  plan jsonb not null,
  -- What the dry run found.
  predicted jsonb,
  -- What the run has done so far.
  counts jsonb not null default '{}',
  -- Records of the file that are done, and roughly the bytes of the file up to there.
  position int not null default 0,
  read_bytes bigint not null default 0,
  -- Position and time at which the current run began or continued: for rate and forecast.
  run_from int not null default 0,
  run_at timestamptz,
  -- The last sign of life of the worker on it.
  seen_at timestamptz,
  -- An undo first restores changed contacts, then removes added ones; undo_after is the last contact done.
  undo_phase text not null default '' check (undo_phase in ('', 'changed', 'added')),
  undo_after int not null default 0,
  undo_counts jsonb not null default '{}',
  created_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz,
  primary key (account_id, id),
  foreign key (account_id, list_id) references list(account_id, id) on delete cascade
);
-- The imports of a list, newest first.
create index import_by_list on import (account_id, list_id, created_at desc);

-- Contacts an import changed, as they were before. What it added needs no row: subscription.import_id names the import.
-- No foreign key, for the reason given at subscription.
create table import_change (
  account_id int not null,
  import_id int not null,
  contact_id int not null,
  before jsonb not null,
  at timestamptz not null,
  primary key (account_id, import_id, contact_id)
);

-- In place of "on delete cascade".
create function import_change_goes_with_import() returns trigger language plpgsql as $$
begin
  delete from import_change h
  using gone
  where h.account_id = gone.account_id
    and h.import_id = gone.id;
  return null;
end
$$;

create trigger import_change_goes_with_import after delete on import
  referencing old table as gone
  for each statement execute function import_change_goes_with_import();

-- Rows of the file that were not imported.
create table import_problem (
  account_id int not null,
  import_id int not null,
  id bigint generated always as identity,
  line int not null,
  -- The column's heading; '' for the row as a whole.
  heading text not null default '',
  value text not null default '',
  reason text not null,
  primary key (account_id, import_id, id),
  foreign key (account_id, import_id) references import(account_id, id) on delete cascade
);

-- Each confirmation email, by the lists that it asks about (the rows of one email have the same time), so that no one can flood a
-- mailbox through sign-up forms. Across all accounts; kept two days.
create table confirmation_asked (
  -- Keyed hash of mailbox_of the address.
  mailbox text not null,
  account_id int not null,
  list_id int not null,
  asked_at timestamptz not null default clock_timestamp()
);
-- How often a mailbox was asked in the last day.
create index confirmation_asked_by_mailbox on confirmation_asked (mailbox, asked_at);

-- Submissions of public forms by network, and confirmation messages by form ("form ACCOUNT.LIST"), by hour. Kept a day; losing it in a database crash is harmless.
create unlogged table signup_count (
  counter text not null,
  hour timestamptz not null,
  count int not null,
  primary key (counter, hour)
);

-- Proofs of work of sign-ups from other sites, so that each is accepted once. Kept two days, twice as long as a form stays
-- open; after a crash of the database one of them could be used again.
create unlogged table signup_proof (
  digest bytea primary key,
  at timestamptz not null default now()
);
create index signup_proof_by_age on signup_proof (at);

-- Refused sign-ups of public forms, with a shortened address. Kept 30 days.
create table signup_refusal (
  account_id int not null,
  list_id int not null,
  id bigint generated always as identity,
  reason text not null,
  email text not null,
  network text not null,
  -- Of the page that sent it; '' for the hosted form.
  origin text not null,
  at timestamptz not null default now(),
  primary key (account_id, list_id, id),
  foreign key (account_id, list_id) references list(account_id, id) on delete cascade
);
create index signup_refusal_by_age on signup_refusal (at);

-- 0004_campaigns ------------------------------------------------------------------------------------------------------

create sequence template_seq start 500000000;
create table template (
  account_id int not null references account(id) on delete cascade,
  id int not null default public_id(nextval('template_seq')),
  name text not null,
  layout text not null check (layout in ('basic', 'left column', 'right column', 'postcard')),
  source text not null,
  -- A picture of the template; null until one is made.
  preview bytea,
  preview_type text not null default '',
  created_at timestamptz not null default now(),
  changed_at timestamptz not null default now(),
  -- The name by which programs send it (messageSend); null: none. In lower case.
  alias text check (alias ~ '^[a-z0-9][a-z0-9._-]{0,63}$'),
  -- Of single messages from it that name no subject.
  subject text not null default '',
  -- Who wrote the source and the subject.
  user_id int,
  key_id int,
  is_hidden boolean not null default false,
  primary key (account_id, id)
);
create unique index template_by_alias on template (account_id, alias) where alias is not null;

-- Rows of an email, kept in the visual editor under a name.
create table saved_block (
  account_id int not null references account(id) on delete cascade,
  name text not null,
  html text not null,
  primary key (account_id, name)
);

-- status:  draft → scheduled → launching → sending → sent;  paused from launching or sending, and back;
--          scheduled → draft.  An autoresponder stays in sending while it is active. See docs/flows.md.
create sequence campaign_seq start 600000000;
create sequence campaign_web_seq;
create table campaign (
  account_id int not null references account(id) on delete cascade,
  id int not null default public_id(nextval('campaign_seq')),
  -- A plain number, part of public archive addresses.
  web_id int not null default nextval('campaign_web_seq'),
  -- Also part of them: 128 random bits, so that an unsent campaign cannot be guessed.
  archive_key text not null default encode(uuid_send(gen_random_uuid()), 'hex') unique,
  -- message: no campaign of a person, but the owner of the single messages of one day (0008_messages.sql).
  type text not null check (type in ('html', 'plain', 'auto', 'message')),
  status text not null default 'draft'
    check (status in ('draft', 'scheduled', 'launching', 'sending', 'paused', 'sent')),
  -- The status in which a paused campaign continues.
  paused_from text check (paused_from in ('scheduled', 'launching', 'sending')),
  -- Ended by campaignStop, while a task marks the remaining recipients.
  stopping boolean not null default false,
  -- Why it is paused.
  status_reason text not null default '',
  title text not null,
  subject text not null,
  from_name text not null,
  reply_to text not null,
  -- The From address; '' for the account's.
  sender text not null default '',
  to_name text not null default '',
  language text not null default '',
  html text not null default '',
  plain text not null default '',
  -- What an inbox shows after the subject; '' for what the HTML has.
  preview_text text not null default '',
  -- True while plain was made from html; a new html then regenerates it.
  plain_generated boolean not null default false,
  generate_text boolean not null default false,
  template_id int,
  -- The address the content was imported from.
  source_url text not null default '',
  -- What the HTML was made from, and its format; '' and html where the HTML is the source.
  source text not null default '',
  source_format text not null default 'html' check (source_format in ('html', 'markdown', 'mjml')),
  -- The format of the next archive given to campaignUpdate.
  archive_type text not null default 'zip',
  -- What an import from an address or an archive could not keep as it was: shown by campaignCheck, never by a launch.
  import_warnings jsonb not null default '[]',
  track_opens boolean not null default true,
  track_html_clicks boolean not null default true,
  track_text_clicks boolean not null default false,
  -- Campaign names for web analytics by service.
  analytics jsonb not null default '{}',
  auto_footer boolean not null default false,
  -- Whether it pauses rather than go out without a signature of the sender domain.
  authenticate boolean not null default false,
  -- Whether pictures are sent inside the message.
  inline_img boolean not null default false,
  -- Whether the rules of style elements are copied into style attributes.
  inline_css boolean not null default false,
  -- Addresses of pictures that could not be sent inside the message at the last launch.
  pictures_left_out jsonb not null default '[]',
  -- Whether it is delivered by the recipients' clocks.
  time_match boolean not null default false,
  -- Whether each recipient gets it in the hour in which it usually opens. Not together with time_match.
  best_hour boolean not null default false,
  -- Whether it is sent outside the send window of the account too.
  any_time boolean not null default false,
  -- The occasions of an autoresponder; null for the other types.
  auto jsonb,
  created_at timestamptz not null default now(),
  changed_at timestamptz not null default now(),
  schedule_at timestamptz,
  -- With time_match: when the first recipients are due, by the zones that were in use at match_asked_at.
  match_at timestamptz,
  match_asked_at timestamptz,
  -- With time_match and best_hour: recipients due until then were in time or were released by a decision; null when all are due at one
  -- time.
  due_until timestamptz,
  -- How late a scheduled campaign started; 0 within a minute.
  late_seconds int not null default 0,
  -- While launching: until then campaignUnschedule takes the campaign back, and its launch waits.
  undo_until timestamptz,
  -- When sending began.
  send_at timestamptz,
  finished_at timestamptz,
  -- The month (UTC) that names the partition of what is kept for each recipient: that in which sending began. The recipients
  -- of an autoresponder come over years and are in a partition of their own.
  month date not null
    generated always as (case when type = 'auto' then '-infinity' else date_trunc('month', (coalesce(send_at, created_at) at time zone 'UTC'))::date end) stored,
  resumed_at timestamptz,
  asked_again jsonb,
  held_notice_at timestamptz,
  in_archive boolean,
  revision int not null default 1,
  corrected_at timestamptz,
  publishes text check (publishes in ('next', 'rest')),
  is_hidden boolean not null default false,
  lost_list boolean not null default false,
  primary key (account_id, id),
  check ((status = 'scheduled') <= (schedule_at is not null)),
  check ((status = 'paused') = (paused_from is not null)),
  check (not (time_match and best_hour)),
  check (not is_hidden or (status in ('draft', 'sent')))
);
-- campaigns(): pages of up to 1,000 out of 100,000, newest first.
create index campaign_by_age on campaign (account_id, created_at desc, id);
-- The start page and the status filter.
create index campaign_by_status on campaign (account_id, status);
-- What is due, among 100,000 campaigns.
create index campaign_due on campaign (schedule_at) where status = 'scheduled';
-- Active autoresponders among all campaigns, for the planner.
create index campaign_active_auto on campaign (account_id, id) where type = 'auto' and status = 'sending';
-- Campaigns in delivery by their recipients' clocks.
create index campaign_matching on campaign (account_id, id) where status = 'sending' and due_until is not null;
-- The campaigns sent last, for the start page, among 100,000.
create index campaign_last_sent on campaign (account_id, send_at desc nulls last, id)
  where status = 'sent' and type <> 'auto';
-- The owner of a day, for each new message.
create unique index campaign_messages_of_day on campaign (account_id, title) where type = 'message';
-- The owners that may have something to send, for the send loops that serve messages only.
create index campaign_messages_sending on campaign (account_id, id) where type = 'message' and status = 'sending';
-- Campaigns that are neither drafts nor sent: a few, however many there have been.
create index campaign_in_progress on campaign (status) where status <> all (array['draft', 'sent']);

-- Lists a campaign goes to.
create table campaign_list (
  account_id int not null,
  campaign_id int not null,
  list_id int not null,
  position int not null default 0,
  primary key (account_id, campaign_id, list_id),
  foreign key (account_id, campaign_id) references campaign(account_id, id) on delete cascade
);
-- The campaigns of a list: shown with it, and changed when a field is renamed.
create index campaign_list_by_list on campaign_list (account_id, list_id);

-- Segments that narrow those lists.
create table campaign_segment (
  account_id int not null,
  campaign_id int not null,
  segment_id int not null,
  primary key (account_id, campaign_id, segment_id),
  foreign key (account_id, campaign_id) references campaign(account_id, id) on delete cascade
);

-- Lists and segments whose members a campaign leaves out.
create table campaign_exclusion (
  account_id int not null,
  campaign_id int not null,
  kind text not null check (kind in ('list', 'segment')),
  target_id int not null,
  primary key (account_id, campaign_id, kind, target_id),
  foreign key (account_id, campaign_id) references campaign(account_id, id) on delete cascade
);

-- The A/B test of a campaign: part of its recipients get one variant each, the others later the better one.
create table campaign_test (
  account_id int not null,
  campaign_id int not null,
  -- Percent of the recipients that the variants are divided among.
  share smallint not null check (share >= 1 and share <= 100),
  -- What people do more often in the better variant; manual: a person chooses.
  winner text not null check (winner in ('clicks', 'opens', 'manual')),
  -- How long the opens and clicks are waited for after the test group was sent to.
  wait_minutes int not null check (wait_minutes > 0),
  -- Recipients 1 to test_size are the test group, since the launch.
  test_size int,
  -- When the winner is determined; null while recipients of the test group have not been sent to.
  due_at timestamptz,
  -- The variant that the other recipients get.
  chosen smallint,
  decided_at timestamptz,
  decided_by text check (decided_by in ('clicks', 'opens', 'person')),
  primary key (account_id, campaign_id),
  foreign key (account_id, campaign_id) references campaign(account_id, id) on delete cascade,
  check ((chosen is null) = (decided_at is null) and (chosen is null) = (decided_by is null))
);
-- What every worker looks for each second: tests in progress that end automatically.
create index campaign_test_open on campaign_test (due_at)
  where test_size is not null and chosen is null and winner <> 'manual';

-- The further variants of an A/B test, or the versions of a campaign for other languages; variant 0 is the campaign itself.
create table campaign_variant (
  account_id int not null,
  campaign_id int not null,
  no smallint not null,
  -- '' for a variant of an A/B test, else whose contacts get this version: de, pt-br.
  language text not null default '',
  -- Null: as in the campaign.
  subject text,
  preview_text text,
  from_name text,
  html text,
  plain text,
  primary key (account_id, campaign_id, no),
  foreign key (account_id, campaign_id) references campaign(account_id, id) on delete cascade
);
create unique index campaign_variant_by_language on campaign_variant (account_id, campaign_id, language)
  where language <> '';

-- Earlier bodies of a campaign, to go back to. The oldest are deleted when there are too many.
create table campaign_version (
  account_id int not null,
  campaign_id int not null,
  -- Counts from 1 within the campaign.
  no int not null,
  html text not null,
  plain text not null,
  plain_generated boolean not null,
  source text not null,
  source_format text not null,
  -- What replaced it: typing, or a whole new body.
  replaced_by text not null check (replaced_by in ('edit', 'template', 'import', 'restore', 'conflict')),
  kept_at timestamptz not null default now(),
  user_id int,
  key_id int,
  primary key (account_id, campaign_id, no),
  foreign key (account_id, campaign_id) references campaign(account_id, id) on delete cascade
);

-- Pictures and fonts, named by their content and served at addresses that the HTML of campaigns refers to. Deleted when no
-- campaign, template or picture refers to them.
create table asset (
  account_id int not null references account(id) on delete cascade,
  name text not null,
  content_type text not null,
  -- May contain script (SVG): served so that it cannot run.
  sandbox boolean not null,
  bytes bytea storage external not null,
  primary key (account_id, name)
);

-- The assets a campaign refers to. Not tied to campaign: the task that cleans up after a deleted one reads it.
create table campaign_asset (
  account_id int not null,
  campaign_id int not null,
  name text not null,
  primary key (account_id, campaign_id, name),
  foreign key (account_id, name) references asset(account_id, name) on delete cascade
);
-- Whether an asset is still in use.
create index campaign_asset_by_name on campaign_asset (account_id, name);

-- The account's picture library. A picture in it stays although no campaign uses it.
create table picture (
  account_id int not null,
  name text not null,
  title text not null,
  alt text not null,
  width int not null,
  height int not null,
  -- Bytes, so that the total of an account needs no look at the pictures themselves.
  size int not null,
  created_at timestamptz not null default now(),
  primary key (account_id, name),
  foreign key (account_id, name) references asset(account_id, name) on delete cascade
);
-- The library, newest first.
create index picture_by_time on picture (account_id, created_at desc, name);

-- Pictures sent inside the messages of a campaign (inline_img), frozen at launch.
create table inline_image (
  account_id int not null,
  campaign_id int not null,
  cid text not null,
  content_type text not null,
  -- Where web pages find the picture; '' for one embedded in the HTML.
  address text not null,
  bytes bytea storage external not null,
  primary key (account_id, campaign_id, cid)
);

-- The content of files attached to campaigns, once per account: an issue or a copy has the same file.
create table attachment_content (
  account_id int not null references account(id) on delete cascade,
  -- SHA-256 of the bytes
  hash text not null,
  size int not null,
  bytes bytea storage external not null,
  primary key (account_id, hash)
);

-- The files attached to a campaign. Not tied to campaign: the task that cleans up after a deleted one reads it.
create table campaign_attachment (
  account_id int not null,
  campaign_id int not null,
  -- The order in the message.
  no int not null,
  name text not null,
  content_type text not null,
  size int not null,
  hash text not null,
  primary key (account_id, campaign_id, no),
  foreign key (account_id, hash) references attachment_content(account_id, hash) on delete cascade
);
-- Whether a content is still in use.
create index campaign_attachment_by_hash on campaign_attachment (account_id, hash);

-- Test messages, for the hourly limit of an account.
create table test_mail (
  account_id int not null references account(id) on delete cascade,
  id bigint generated always as identity,
  recipients int not null,
  at timestamptz not null default now(),
  primary key (account_id, id)
);

-- 0005_tracking -------------------------------------------------------------------------------------------------------

-- Link targets by number, frozen at launch. Click tokens hold the number, never the target.
create table link (
  account_id int not null,
  campaign_id int not null,
  no int not null,
  target text not null,
  first_target text,
  corrected_at timestamptz,
  user_id int,
  key_id int,
  primary key (account_id, campaign_id, no)
);

-- By the month of the hit, so that old ones go with their partition.
create table hit (
  account_id int not null,
  campaign_id int not null,
  id bigint generated always as identity,
  -- The recipient: delivery.seq.
  seq int not null,
  kind text not null check (kind in ('open', 'click')),
  link_no int,
  ip text not null default '',
  user_agent text not null default '',
  -- Why this is taken for a machine; null for a person.
  machine text,
  at timestamptz not null default now(),
  primary key (account_id, campaign_id, id, at)
) partition by range (at);
-- What a recipient did, in the history of a contact; the newest, to detect a machine that follows every link.
create index hit_by_recipient on hit (account_id, campaign_id, seq, id);

-- A recipient's opens and clicks. contact_id is repeated from delivery: segments of a list of a million read all opens of
-- a campaign in one scan, and reports count people; looking each up in delivery took seconds instead of tenths of one.
-- No index has it, since questions about one contact start from delivery. By the month of the campaign, as everything
-- that is found by campaign and recipient.
create table engagement (
  account_id int not null,
  campaign_id int not null,
  seq int not null,
  -- campaign.month
  month date not null,
  contact_id int not null,
  opens int not null default 0,
  clicks int not null default 0,
  machine_opens int not null default 0,
  machine_clicks int not null default 0,
  -- By people only.
  last_open_at timestamptz,
  first_click_at timestamptz,
  last_click_at timestamptz,
  -- The span of all rows in hit, those of machines too: which partitions have them.
  first_hit_at timestamptz,
  last_hit_at timestamptz,
  primary key (account_id, campaign_id, seq, month)
) partition by range (month);

-- Who got, opened and clicked in a large campaign that has ended, for segments of a million: src/tracking/summaries.ts.
create table recipient_summary (
  account_id int not null,
  campaign_id int not null,
  -- Recipients in the blocks below, -1 while there are none: they count while the tally has as many.
  accepted int not null,
  primary key (account_id, campaign_id)
);

-- A bit for each of 2,048 contact ids.
create table recipient_block (
  account_id int not null,
  campaign_id int not null,
  -- contact_id >> 11
  block int not null,
  accepted bit(2048) not null,
  -- Opens or clicks by a person.
  opened bit(2048) not null,
  clicked bit(2048) not null,
  primary key (account_id, campaign_id, block)
) with (fillfactor = 80);

-- Contacts that opened or clicked for the first time and are not in the blocks yet; a row for each transaction that stores
-- hits, which therefore waits for no other.
create table new_reaction (
  account_id int not null,
  campaign_id int not null,
  id bigint generated always as identity,
  opened int[] not null,
  clicked int[] not null,
  primary key (account_id, campaign_id, id)
);

-- The sums of a report whose recipients are no longer kept, as src/tracking/reports/kept.ts has them.
create table kept_report (
  account_id int not null,
  campaign_id int not null,
  sums jsonb not null,
  at timestamptz not null default now(),
  primary key (account_id, campaign_id)
);

-- A recipient's clicks on one link.
create table link_engagement (
  account_id int not null,
  campaign_id int not null,
  link_no int not null,
  seq int not null,
  -- Both as in engagement.
  month date not null,
  contact_id int not null,
  clicks int not null default 0,
  machine_clicks int not null default 0,
  primary key (account_id, campaign_id, link_no, seq, month)
) partition by range (month);

-- 0006_delivery -------------------------------------------------------------------------------------------------------

-- The compiled message, frozen at launch; for an A/B test one row a variant.
create table frozen_content (
  account_id int not null,
  campaign_id int not null,
  variant smallint not null default 0,
  -- The numbers of the recipients who get this variant; null: all of them, without a test.
  recipients int4multirange,
  compiled jsonb not null,
  content_hash text not null,
  frozen_at timestamptz not null default now(),
  language text not null default '',
  primary key (account_id, campaign_id, variant)
);

-- One row a recipient; for an autoresponder, a recipient and occasion. By the month of the campaign (0005_tracking.sql).
-- No index has state or times, so that the updates of a delivery stay within the page (HOT).
create table delivery (
  account_id int not null,
  campaign_id int not null,
  -- Counts from 1 within the campaign.
  seq int not null,
  -- campaign.month: a contact gets a campaign in one month only, so the keys exclude what they would without it.
  month date not null,
  contact_id int not null,
  list_id int not null,
  -- The day or event an autoresponder is sent for; '' otherwise.
  occasion text not null default '',
  email text not null,
  domain text not null,
  -- 0 queued, 1 trying, 2 accepted, 3 later, 4 failed, 5 skipped, 6 unclear: src/db/states.ts. A queued recipient in
  -- chunk.marked is trying.
  state smallint not null default 0 check (state >= 0 and state <= 6),
  -- The chunk in which it was last attempted, or is now.
  chunk_no bigint,
  attempts smallint not null default 0,
  -- Copies sent after an unclear outcome.
  resent smallint not null default 0,
  -- Workers that died while sending to it.
  crashes smallint not null default 0,
  reply_code smallint,
  reply text,
  -- Why skipped, or the class of a bounce (hard, soft, blocked, temporary, generic).
  reason text,
  due_at timestamptz not null,
  first_at timestamptz,
  next_at timestamptz,
  done_at timestamptz,
  language text,
  primary key (account_id, campaign_id, seq, month)
) partition by range (month);
-- What a contact was sent: its history, its erasure, segments by campaign. A contact gets a campaign, or an
-- occasion, once.
create unique index delivery_by_contact on delivery (account_id, contact_id, campaign_id, occasion, month);

-- Messages that a journal still has although a fail-over has lost the row of their recipient, with its launch or occasion.
-- Taken up when the row is made again.
create table lost_attempt (
  account_id int not null,
  campaign_id int not null,
  contact_id int not null,
  attempts smallint not null,
  resent smallint not null,
  -- Otherwise the outcome is unclear.
  accepted boolean not null,
  at timestamptz not null default now(),
  primary key (account_id, campaign_id, contact_id)
);

-- A portion of a campaign's recipients: a range of seq (first attempts) or a set (later attempts, and copies after an
-- unclear outcome).
create sequence chunk_seq;
create table chunk (
  account_id int not null,
  campaign_id int not null,
  no bigint not null default nextval('chunk_seq'),
  kind text not null check (kind in ('first', 'retry', 'resend')),
  from_seq int,
  to_seq int,
  seqs int[],
  -- All recipients were deferred because this domain is paused: the chunk waits again, as a whole, while that lasts.
  domain text,
  state text not null default 'waiting' check (state in ('waiting', 'leased', 'done')),
  -- The worker that leases it.
  worker_id int,
  -- Grows with every lease, so that a late writer is recognised.
  lease int not null default 0,
  -- Recipients of a range that are in flight under this lease: their rows are written with the outcome.
  marked int4multirange not null default '{}'::int4multirange,
  -- The last lease that was taken over without a trace of its outcomes: what its worker still reports counts.
  untraced_lease int,
  -- Workers that died while they leased it.
  crashes smallint not null default 0,
  due_at timestamptz not null,
  -- The zone of its contacts, for the send window; '' for that of the account.
  zone text not null default '',
  -- Equal to due_at while the chunk waits for the send window.
  opens_at timestamptz,
  -- By the database's clock.
  leased_until timestamptz,
  marked_at timestamptz,
  primary key (account_id, campaign_id, no),
  check ((seqs is null) = (from_seq is not null and to_seq is not null)),
  check (marked = '{}'::int4multirange or state = 'leased' and seqs is null)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);
-- Which campaigns have something due, then the chunk of one that is due next: each reads one place of this index,
-- however many chunks a campaign has.
create index chunk_turn on chunk (account_id, campaign_id, due_at, no) where state = 'waiting';
-- What is due now, however many campaigns have chunks that wait for later.
create index chunk_due on chunk (due_at) where state = 'waiting';
-- Expired leases, and whether a campaign has chunks left: together with chunk_turn, however many are done.
create index chunk_leased on chunk (account_id, campaign_id) where state = 'leased';
-- The open ranges that recipients of a chunk are in; a campaign to a million has two thousand of them at its launch.
create index chunk_range on chunk (account_id, campaign_id, from_seq) where seqs is null and state <> 'done';

-- The accounting: recipients of a campaign by state, moved in the transaction that moves the rows. Several shards, so
-- that workers do not wait for one another; the sum over the shards is the number.
create table tally (
  account_id int not null,
  campaign_id int not null,
  shard smallint not null,
  recipients int not null default 0,
  queued int not null default 0,
  trying int not null default 0,
  accepted int not null default 0,
  later int not null default 0,
  failed int not null default 0,
  skipped int not null default 0,
  unclear int not null default 0,
  resent int not null default 0,
  -- The pace: recipients accepted, failed or skipped in one span of ten seconds (span: its number since 1970, by the
  -- database's clock) and in the span before. Kept here because counting the rows of a campaign to a million takes longer
  -- than sending hundreds of messages, and every call of campaignProgress asks for it.
  span int not null default 0,
  ended int not null default 0,
  ended_before int not null default 0,
  primary key (account_id, campaign_id, shard),
  check (recipients = (queued + trying + accepted + later + failed + skipped + unclear))
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);

-- How many contacts were left out at launch, by reason (suppressed, unsubscribed, duplicate …).
create table exclusion (
  account_id int not null,
  campaign_id int not null,
  reason text not null,
  count int not null,
  primary key (account_id, campaign_id, reason)
);

-- How far each active autoresponder is planned.
create table occasion_plan (
  account_id int not null,
  campaign_id int not null,
  -- The last seq given in delivery, rows removed since included.
  last_seq int not null default 0,
  -- The time zones of account and lists that planning last used; '' before its first run.
  zones text not null default '',
  -- The scan in progress: what it looks for, up to when, and the last contact it has read.
  window_kind text not null default 'due' check (window_kind in ('due', 'changed')),
  window_to timestamptz,
  after_contact int,
  -- Occasions due before this have rows.
  planned_to timestamptz not null,
  -- Contacts changed before changed_from have been scanned; changed_to is where the scan in progress ends.
  changed_from timestamptz not null,
  changed_to timestamptz,
  -- When to scan next.
  look_at timestamptz not null default now(),
  primary key (account_id, campaign_id),
  foreign key (account_id, campaign_id) references campaign(account_id, id) on delete cascade
);

-- What came back for messages that a relay had accepted. The recipient's row keeps its outcome; of each kind, one notice
-- a message counts, however often it comes. Only a hard bounce replaces another one.
create table notice (
  account_id int not null,
  campaign_id int not null,
  seq int not null,
  kind text not null check (kind in ('bounce', 'complaint', 'unsubscribe')),
  contact_id int not null,
  list_id int not null,
  email text not null,
  -- hard, soft, blocked, temporary, generic; for a complaint the type of feedback; '' for an unsubscribe.
  class text not null,
  code int not null default 0,
  reply text not null default '',
  at timestamptz not null default now(),
  primary key (account_id, campaign_id, seq, kind)
);
-- The soft bounces of a contact over some weeks, counted at each new one.
create index notice_soft on notice (account_id, contact_id, at) where kind = 'bounce' and class = 'soft';

-- Where notices come from, besides the return path: sending services, which post them to a URL.
create sequence notice_source_seq start 820000000;
create table notice_source (
  account_id int not null references account(id) on delete cascade,
  id int not null default public_id(nextval('notice_source_seq')),
  -- ses, sendgrid …: src/delivery/notices/services.
  service text not null,
  title text not null default '',
  -- SHA-256 of the token in the URL.
  token_hash bytea not null unique,
  -- The last four characters of the token, to recognise the URL by.
  hint text not null,
  -- What the service signs with, sealed with the installation's secret; null without one.
  key bytea,
  -- The SNS topic of the first genuine message (SES): others are refused.
  topic text not null default '',
  created_at timestamptz not null default now(),
  -- The last genuine request.
  heard_at timestamptz,
  -- Notices: received; with an effect or seen before; about no message of ours.
  received bigint not null default 0,
  matched bigint not null default 0,
  unknown bigint not null default 0,
  -- Requests that were not genuine, when the last one came, and why.
  refused bigint not null default 0,
  refused_at timestamptz,
  problem text not null default '',
  -- What the last notice about no message of ours named.
  last_unknown text not null default '',
  primary key (account_id, id)
);

-- Mailboxes that bounces come to, read every minute.
create sequence bounce_mailbox_seq start 830000000;
create table bounce_mailbox (
  account_id int not null references account(id) on delete cascade,
  id int not null default public_id(nextval('bounce_mailbox_seq')),
  title text not null default '',
  protocol text not null check (protocol in ('imap', 'pop3')),
  host text not null,
  port int not null check (port >= 1 and port <= 65535),
  -- tls from the first byte, starttls, or none.
  security text not null check (security in ('tls', 'starttls', 'none')),
  user_name text not null,
  -- Sealed with the installation's secret.
  password bytea not null,
  -- Of IMAP.
  folder text not null default 'INBOX',
  -- Whether a notice is deleted from the mailbox after it was counted.
  remove boolean not null default true,
  -- How far it is read: IMAP { validity, uid }, POP3 { seen }, the messages that stay.
  position jsonb not null default '{}',
  created_at timestamptz not null default now(),
  read_at timestamptz,
  -- The last notice about a message of the account.
  heard_at timestamptz,
  -- Messages read; notices about messages of the account; bounces and complaints about no message of the account.
  messages bigint not null default 0,
  matched bigint not null default 0,
  unknown bigint not null default 0,
  -- Why the last reading failed; '' when it did not.
  problem text not null default '',
  auth text not null default 'password' check (auth in ('password', 'oauth')),
  primary key (account_id, id)
);

-- Notices that were received and have had no effect yet, oldest first for each account.
create table incoming_notice (
  account_id int not null,
  id bigint generated always as identity,
  source_id int not null,
  notice jsonb not null,
  received_at timestamptz not null default now(),
  -- Later than received_at when the message was not found: the reply with its id may not be written yet.
  due_at timestamptz not null default now(),
  primary key (account_id, id)
);

-- The last final outcomes of a campaign that has been refused by policy: enough such refusals pause it.
create table refusals (
  account_id int not null,
  campaign_id int not null,
  -- Oldest first; p is a refusal by policy, o any other outcome.
  last text not null,
  primary key (account_id, campaign_id)
);

-- Messages taken from the quota of a day while the sending addresses of an account or a relay are being warmed up.
create table day_quota (
  -- 0 for a relay.
  account_id int not null,
  -- '' for an account.
  relay text not null default '',
  day int not null,
  used int not null default 0,
  primary key (account_id, relay, day)
);

-- Relays that the operator has set up in the application, for all accounts. Those of SMTP_URL have no row.
create sequence relay_seq start 850000000;
create table relay (
  id int default public_id(nextval('relay_seq')) primary key,
  -- The order in which they are shown and in which reserves are used.
  position int not null,
  name text not null,
  -- The service whose preset it began with; '' for none.
  preset text not null default '',
  host text not null,
  port int not null check (port >= 1 and port <= 65535),
  tls text not null check (tls in ('none', 'opportunistic', 'require', 'implicit')),
  -- Of the password's use; '' for the best one that the server offers.
  auth_method text not null default ''
    check (auth_method in ('', 'plain', 'login', 'cram-md5', 'xoauth2', 'oauthbearer', 'oauth')),
  -- User name and password as JSON, sealed with the installation's secret: some services use one token for both. Null without.
  credentials bytea,
  connections int not null,
  -- Messages a second; null without a limit.
  per_second double precision check (per_second > 0::double precision),
  weight double precision not null check (weight >= 0::double precision),
  -- The ramp of a new relay, first:growth:max:date; '' for none.
  warm_up text not null default '',
  -- The accounts and the domains in From that it is limited to; empty for all. An account that is deleted stays here: the
  -- relay must not become everyone's.
  accounts int[] not null default '{}'::int[],
  sender_domains text[] not null default '{}',
  paused_at timestamptz,
  created_at timestamptz not null default now(),
  changed_at timestamptz not null default now(),
  messages_per_connection int check (messages_per_connection > 0)
);

-- What each worker reports every few seconds: counters since its start, and the status of its relays.
create table worker_status (
  worker_id int primary key,
  counts jsonb not null default '{}',
  gauges jsonb not null default '{}',
  relays jsonb not null default '[]',
  at timestamptz not null default now()
);

-- What each relay answered in an hour (its number since 1970), added up over the workers; kept for two days.
create table relay_hour (
  -- The id of the relay; those of SMTP_URL have one too.
  relay text not null,
  hour int not null,
  accepted int not null default 0,
  deferred int not null default 0,
  refused int not null default 0,
  primary key (relay, hour)
);

-- The built-in inbox: messages that went to no real mailbox.
create table inbox_message (
  id bigint generated always as identity primary key,
  -- The account that sent it, when known.
  account_id int,
  mail_from text not null,
  rcpt_to text[] not null,
  subject text not null default '',
  from_header text not null default '',
  to_header text not null default '',
  size int not null,
  source bytea not null,
  received_at timestamptz not null default now(),
  recipient text
);
-- The inbox of an account, newest first.
create index inbox_by_account on inbox_message (account_id, id desc);
create unique index inbox_once on inbox_message (account_id, recipient) where recipient is not null;

-- 0007_webhooks -------------------------------------------------------------------------------------------------------

create sequence webhook_seq start 800000000;
create sequence webhook_web_seq;
create table webhook (
  account_id int not null references account(id) on delete cascade,
  id int not null default public_id(nextval('webhook_seq')),
  web_id int not null default nextval('webhook_web_seq'),
  title text not null,
  url text not null,
  -- Only events of this list; null for all.
  list_id int,
  events text[] not null,
  -- Who caused the events: subscriber, admin, api.
  sources text[] not null default '{subscriber,admin,api}',
  format text not null default 'standard' check (format in ('standard', 'classic')),
  algorithm text not null default 'sha256' check (algorithm in ('sha1', 'sha256', 'sha384', 'sha512')),
  -- A further header that carries the signature of requests in the classic format; '' for none.
  signature_header text not null default '',
  -- Sealed for the account; null for a webhook whose requests are not signed.
  secret bytea,
  -- After a rotation, requests are signed with both for a day.
  old_secret bytea,
  old_secret_until timestamptz,
  status text not null default 'active' check (status in ('active', 'unverified', 'paused', 'off')),
  status_reason text not null default '',
  created_at timestamptz not null default now(),
  -- Since when every attempt has failed; null otherwise.
  failing_since timestamptz,
  primary key (account_id, id)
);

-- The outbox: one row for each event and each webhook that subscribes to it, written in the transaction that caused the
-- event, deleted when delivered.
create table webhook_event (
  account_id int not null,
  webhook_id int not null,
  id bigint generated always as identity,
  -- The public id, the same for every webhook.
  event_id text not null,
  type text not null,
  payload jsonb not null,
  at timestamptz not null default now(),
  -- Attempts with this event alone that failed.
  failures smallint not null default 0,
  -- Not before: after a failure alone, while the others go on, and while a click may turn out to be a machine's.
  due_at timestamptz not null default '-infinity',
  primary key (account_id, webhook_id, id)
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
-- The clicks of the last seconds, to withdraw those of machines.
create index webhook_event_held on webhook_event (account_id, due_at) where due_at > '-infinity';

-- The state of one webhook's deliveries. Written by dispatchers only: an event in the making locks no row of its webhook.
create table webhook_delivery (
  account_id int not null,
  webhook_id int not null,
  -- Events in flight (webhook_event.id) and the id of their request; unchanged until delivered or given up.
  batch bigint[] not null default '{}',
  message_id text not null default '',
  -- When the last attempt began: webhook_attempt.at. Only that one can be in progress.
  attempt_at timestamptz,
  -- Attempts in a row that failed.
  failures int not null default 0,
  -- Events in a request at most: fewer while those are being isolated that the receiver rejects.
  batch_limit smallint not null default 100,
  -- The dispatcher that works on it.
  lease text,
  lease_until timestamptz,
  -- Not before this moment; by the database's clock, like the lease.
  next_at timestamptz not null default now(),
  -- Nothing was waiting when a dispatcher last looked; events since then are found by the notification of their account.
  idle boolean not null default true,
  -- Events that have left the outbox, and the time of the last one.
  ended_events bigint not null default 0,
  -- Of those, deleted because too many waited, or for too long.
  dropped_events bigint not null default 0,
  last_event_at timestamptz,
  primary key (account_id, webhook_id),
  foreign key (account_id, webhook_id) references webhook(account_id, id) on delete cascade
) with (fillfactor = 70);
-- Every dispatcher: which webhook is due, every second.
create index webhook_delivery_due on webhook_delivery (next_at) where not idle;

-- Every webhook has a row in webhook_delivery.
create function webhook_delivery_begin() returns trigger
  language plpgsql
  as $$
  begin
    insert into webhook_delivery (account_id, webhook_id) values (new.account_id, new.id);
    return null;
  end $$;

create trigger webhook_delivery_begins
  after insert on webhook
  for each row execute function webhook_delivery_begin();

-- One row an attempt, written before it is made. By month, as in 0005_tracking.sql.
create table webhook_attempt (
  account_id int not null,
  webhook_id int not null,
  id bigint generated always as identity,
  kind text not null check (kind in ('delivery', 'test')),
  -- 1 for the first attempt with these events.
  try int not null,
  event_ids text[] not null,
  url text not null,
  headers jsonb not null,
  body text not null,
  outcome text not null default 'in_progress'
    check (outcome in ('in_progress', 'delivered', 'failed', 'given_up', 'gone', 'unclear')),
  reason text not null default '',
  -- The HTTP status and the start of the response body.
  status int,
  answer text not null default '',
  -- How long it took, in milliseconds.
  ms int,
  at timestamptz not null default clock_timestamp(),
  primary key (account_id, webhook_id, id, at),
  foreign key (account_id, webhook_id) references webhook(account_id, id) on delete cascade
) partition by range (at);
-- Attempts whose dispatcher died: their outcome becomes unclear.
create index webhook_attempt_in_progress on webhook_attempt (account_id, webhook_id) where outcome = 'in_progress';

-- 0008_messages -------------------------------------------------------------------------------------------------------

create table message (
  account_id int not null,
  -- The owner of its day.
  campaign_id int not null,
  -- The seq of its first recipient. The public id of the message is the owner's id and this, 8 hexadecimal digits each.
  no int not null,
  -- system: written by the program, to one recipient.
  via text not null check (via in ('api', 'smtp', 'system')),
  -- What the program wrote it for; message for those of callers.
  purpose text not null default 'message'
    check (purpose in ('message', 'confirm', 'welcome', 'goodbye', 'notice', 'reset', 'invite', 'test')),
  -- The job that wrote it: a job that runs twice writes one message.
  job text,
  -- From then on it is not sent: the link in it has expired.
  late_at timestamptz,
  from_email text not null,
  from_name text not null default '',
  subject text not null default '',
  -- The header Message-ID, with angle brackets.
  message_id text not null,
  -- The public id of the message that it repeats; '' for an original.
  copy_of text not null default '',
  tags text[] not null default '{}',
  template_id int,
  -- The whole message, ready to be sent but for signature and tokens. Null when it is older than the account keeps it. That of
  -- the program is sealed, since it may have a secret link, and null as soon as its recipient has a final state.
  content bytea,
  -- 0 for one of the program.
  size int not null,
  -- Offsets in content where each recipient's tokens are written, 32 octets each.
  click_at int[] not null default '{}'::int[],
  open_at int[] not null default '{}'::int[],
  created_at timestamptz not null default now(),
  send_at timestamptz,
  test boolean not null default false,
  primary key (account_id, campaign_id, no),
  check ((via = 'system') = (purpose <> 'message'))
);
-- The log, newest first.
create index message_by_time on message (account_id, created_at desc, no);
-- The tests of the first run, for homeSummary and setupInfo.
create index message_setup_test on message (account_id) where tags @> '{setup-test}';
-- The message that a notice names.
create index message_by_message_id on message (account_id, message_id);
create unique index message_by_job on message (account_id, job) where job is not null;
-- The messages that wait for their time.
create index message_by_send_at on message (account_id, send_at) where send_at is not null;

-- Numbers recipients (delivery.seq) and tracked links (link.no). Unique within the owner of a day, so it may start again.
-- The recipients of a message; their states are in delivery.
create sequence message_seq;
create table message_recipient (
  account_id int not null,
  campaign_id int not null,
  seq int not null default nextval('message_seq'),
  -- The message.
  no int not null,
  kind text not null check (kind in ('to', 'cc', 'bcc')),
  -- The normalised address.
  email_key text not null,
  created_at timestamptz not null default now(),
  primary key (account_id, campaign_id, seq)
);
-- The recipients of a message.
create index message_recipient_by_message on message_recipient (account_id, campaign_id, no);
-- What an address was sent, newest first, among ten million messages; and its erasure.
create index message_recipient_by_address on message_recipient (account_id, email_key, created_at desc);
-- The messages that an erased contact shared with other recipients. Their contents are deleted once the others have theirs: nightly.
create index message_recipient_erased on message_recipient (account_id, campaign_id, no)
  where email_key like '%@erased.invalid';

-- 0009_automations ----------------------------------------------------------------------------------------------------

-- status:  draft → active ⇄ paused.
create sequence automation_seq start 860000000;
create table automation (
  account_id int not null references account(id) on delete cascade,
  id int not null default public_id(nextval('automation_seq')),
  title text not null,
  -- Its contacts are the subscribed members of this list.
  list_id int not null,
  status text not null default 'draft' check (status in ('draft', 'active', 'paused')),
  -- Why it was paused by the program; '' otherwise.
  status_reason text not null default '',
  -- Trigger, re-entry, goal and steps as they are being edited: src/automations/definition.ts.
  definition jsonb not null,
  -- The version that new contacts enter; 0 before the first start.
  version int not null default 0,
  -- What lets contacts enter, of the version in force, for the triggers below: the type; the field and the value it gets, ''
  -- for any; whether contacts of imports count.
  trigger_type text not null default '',
  trigger_field text not null default '',
  trigger_value text not null default '',
  trigger_imports boolean not null default false,
  -- Triggers that are looked up (segment, clicked, date): when next; what is due before scanned_to has been found; the last
  -- contact of a look in progress, and until when it looks. Null in scanned_to before the first look.
  scan_at timestamptz not null default now(),
  scanned_to timestamptz,
  scan_to timestamptz,
  scan_after int,
  created_at timestamptz not null default now(),
  changed_at timestamptz not null default now(),
  started_at timestamptz,
  late int not null default 0,
  waits_for text[] not null default '{}',
  is_hidden boolean not null default false,
  primary key (account_id, id),
  foreign key (account_id, list_id) references list(account_id, id) on delete cascade,
  check ((status = 'draft') = (version = 0)),
  check (not is_hidden or status <> 'active')
);
-- What the triggers of subscription look for at each change: a handful of rows.
create index automation_of_list on automation (account_id, list_id) where status <> 'draft';
-- Active automations whose trigger is looked up next.
create index automation_scan on automation (scan_at)
  where status = 'active' and (trigger_type in ('segment', 'clicked', 'date'));

-- What an automation did from a start on. Contacts finish on the version that they entered, unless they are moved.
create table automation_version (
  account_id int not null,
  automation_id int not null,
  no int not null,
  definition jsonb not null,
  made_at timestamptz not null default now(),
  primary key (account_id, automation_id, no),
  foreign key (account_id, automation_id) references automation(account_id, id) on delete cascade
);

-- A contact's way through an automation: on exactly one step at any time. A move and its effect are one transaction.
create sequence automation_run_seq;
create table automation_run (
  account_id int not null,
  automation_id int not null,
  no bigint not null default nextval('automation_run_seq'),
  contact_id int not null,
  version int not null,
  -- The key of the step that it is on; of an ended run, the step that it ended on.
  step text not null,
  -- What let it in: the day of a date, '' otherwise.
  occasion text not null default '',
  entered_at timestamptz not null,
  -- When it arrived on the step, and when the step is carried out: the end of a wait.
  step_at timestamptz not null,
  due_at timestamptz not null,
  ended_at timestamptz,
  -- completed: after the last step; unsubscribed or deleted: no member of the list any more; goal; removed: by a call.
  outcome text check (outcome in ('completed', 'unsubscribed', 'deleted', 'goal', 'removed')),
  -- The steps before this one: {"step": …, "at": …}, oldest first.
  trail jsonb not null default '[]',
  event jsonb,
  reached boolean not null default false,
  since timestamptz,
  primary key (account_id, automation_id, no),
  foreign key (account_id, automation_id) references automation(account_id, id) on delete cascade,
  check ((ended_at is null) = (outcome is null))
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
-- A contact is in an automation once at a time.
create unique index automation_run_inside on automation_run (account_id, automation_id, contact_id)
  where ended_at is null;
-- Whether and when a contact was in it before, and what a contact went through.
create index automation_run_by_contact on automation_run (account_id, contact_id, automation_id, entered_at);
-- What is due first in an automation, among all who wait.
create index automation_run_due on automation_run (account_id, automation_id, due_at) where ended_at is null;
-- Those on a step that are due, and the pages of a step.
create index automation_run_on_step on automation_run (account_id, automation_id, step, due_at) where ended_at is null;
-- Contacts on a step that is due when they arrive on it. They move on within a second, so there are few, however many wait; read
-- each second for those that are due in the future since the clock was set back.
create index automation_run_at_once on automation_run (due_at) where ended_at is null and due_at = step_at;
-- Contacts of automations that are due next, in any automation.
create index automation_run_next on automation_run (due_at) where ended_at is null;

-- The accounting of each step, and of the whole ('' in step), moved in the transaction that moves the runs. Steps of several
-- versions that have the same key count together.
create table automation_tally (
  account_id int not null,
  automation_id int not null,
  step text not null,
  entered int not null default 0,
  waiting int not null default 0,
  passed int not null default 0,
  -- Left on this step, by the outcome of the run.
  unsubscribed int not null default 0,
  deleted int not null default 0,
  goal int not null default 0,
  removed int not null default 0,
  took_yes int not null default 0,
  took_no int not null default 0,
  primary key (account_id, automation_id, step),
  foreign key (account_id, automation_id) references automation(account_id, id) on delete cascade,
  check (entered = (waiting + passed + unsubscribed + deleted + goal + removed))
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);

-- What happened to a contact and concerns an automation, written in the transaction of its cause and taken in order.
create table automation_signal (
  account_id int not null,
  automation_id int not null,
  id bigint generated always as identity,
  contact_id int not null,
  -- enter: the trigger; leave: no member of the list any more, or its goal (outcome).
  kind text not null check (kind in ('enter', 'leave', 'reach')),
  outcome text check (outcome in ('unsubscribed', 'deleted', 'goal')),
  -- The day of a date that let it in; the name of the event that is a goal.
  occasion text not null default '',
  at timestamptz not null default now(),
  event jsonb,
  primary key (account_id, automation_id, id),
  foreign key (account_id, automation_id) references automation(account_id, id) on delete cascade,
  check ((kind = 'leave') = (outcome is not null))
) with (autovacuum_vacuum_scale_factor = 0.02);

-- The URL of the trigger webhook: only a hash of its token is kept, and its last characters. A table of its own, so that requests
-- do not wait for the row of the automation.
create table automation_webhook (
  account_id int not null,
  automation_id int not null,
  token_hash bytea not null unique check (length(token_hash) = 32),
  hint text not null,
  -- The last request, and what became of it; '' before the first.
  last_at timestamptz,
  last_result text not null default ''
    check (last_result in ('', 'entered', 'not_active', 'not_subscribed', 'no_address', 'unreadable')),
  primary key (account_id, automation_id),
  foreign key (account_id, automation_id) references automation(account_id, id) on delete cascade
) with (fillfactor = 50);

-- Who was in the segment of a trigger at the last look: the difference joined or left it.
create table automation_member (
  account_id int not null,
  automation_id int not null,
  contact_id int not null,
  primary key (account_id, automation_id, contact_id),
  foreign key (account_id, automation_id) references automation(account_id, id) on delete cascade
);

-- Signals of subscriptions that appear; subscribing and importing need not know of automations.
create function automation_sees_new() returns trigger language plpgsql as $$
begin
  if not exists (select from automation where status <> 'draft') then
    return null;
  end if;
  insert into automation_signal (account_id, automation_id, contact_id, kind)
  select c.account_id, a.id, c.contact_id, 'enter'
  from automation a
  join changed c on c.account_id = a.account_id and c.list_id = a.list_id
  where a.status = 'active'
    and a.trigger_type = 'subscribed'
    and c.status = 'subscribed'
    and (a.trigger_imports or c.import_id is null);
  return null;
end
$$;

create trigger automation_sees_new after insert on subscription
  referencing new table as changed
  for each statement execute function automation_sees_new();

-- Signals of subscriptions that change. A signal to leave concerns only a contact that is inside.
create function automation_sees_change() returns trigger language plpgsql as $$
begin
  if not exists (select from automation where status <> 'draft') then
    return null;
  end if;
  insert into automation_signal (account_id, automation_id, contact_id, kind, outcome)
  select n.account_id, a.id, n.contact_id,
    case when n.status = 'subscribed' then 'enter' else 'leave' end,
    case when n.status = 'subscribed' then null else 'unsubscribed' end
  from automation a
  join changed n on n.account_id = a.account_id and n.list_id = a.list_id
  join before o on o.account_id = n.account_id and o.list_id = n.list_id and o.contact_id = n.contact_id
  where a.status <> 'draft'
    and case
      when n.status <> 'subscribed' then o.status = 'subscribed'
        and exists (
          select
          from automation_run r
          where r.account_id = a.account_id
            and r.automation_id = a.id
            and r.contact_id = n.contact_id
            and r.ended_at is null
        )
      when a.status <> 'active' then false
      when a.trigger_type = 'subscribed' then o.status <> 'subscribed'
        and (a.trigger_imports or n.import_id is null or n.import_id is not distinct from o.import_id)
      when a.trigger_type = 'confirmed' then o.status = 'pending'
      when a.trigger_type = 'field' then o.status = 'subscribed'
        and coalesce(n.fields ->> a.trigger_field, '') <> coalesce(o.fields ->> a.trigger_field, '')
        and (a.trigger_value = '' or n.fields ->> a.trigger_field = a.trigger_value)
      else false
    end;
  return null;
end
$$;

create trigger automation_sees_change after update on subscription
  referencing old table as before new table as changed
  for each statement execute function automation_sees_change();

-- Signals of subscriptions that are deleted, with their contact or without.
create function automation_sees_gone() returns trigger language plpgsql as $$
begin
  insert into automation_signal (account_id, automation_id, contact_id, kind, outcome)
  select g.account_id, a.id, g.contact_id, 'leave', 'deleted'
  from automation a
  join gone g on g.account_id = a.account_id and g.list_id = a.list_id
  join automation_run r
    on r.account_id = a.account_id
    and r.automation_id = a.id
    and r.contact_id = g.contact_id
    and r.ended_at is null
  where a.status <> 'draft';
  return null;
end
$$;

create trigger automation_sees_gone after delete on subscription
  referencing old table as gone
  for each statement execute function automation_sees_gone();

-- 0010_migration ------------------------------------------------------------------------------------------------------

-- A migration: what was uploaded, what it contains and how far it is. For the states see docs/flows.md.
create sequence source_migration_seq start 870000000;
create table source_migration (
  account_id int not null references account(id) on delete cascade,
  id int not null default public_id(nextval('source_migration_seq')),
  source text not null check (source in ('mailchimp', 'listmonk', 'mailtrain', 'keila', 'brevo')),
  state text not null check (state in ('reading', 'checked', 'running', 'stopped', 'failed', 'done')),
  -- Why it failed.
  reason text not null default '',
  origin text not null check (origin in ('admin', 'api')),
  -- The exported files. No foreign key: files are deleted some days after they are done with.
  uploads int[] not null,
  -- What was read from them, in files of its own: suppressed addresses, templates. Null until then.
  suppression_upload int,
  template_upload int,
  -- Everything is read and compared; only then it can run.
  checked_at timestamptz,
  -- Things read so far; while it runs, suppressed addresses done.
  position int not null default 0,
  -- Suppressed addresses and templates: how many there are, how many are new (as far as read), how many were added.
  counts jsonb not null default '{}',
  created_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz,
  primary key (account_id, id)
);

-- The lists of a migration, in the order in which they are imported.
create table source_migration_list (
  account_id int not null,
  migration_id int not null,
  position int not null,
  -- The name of the list there, and by what its contacts name it.
  key text not null,
  name text not null,
  -- Fields by key, with their tag here.
  fields jsonb not null,
  -- Its contacts as a file for the import.
  upload_id int,
  -- Contacts by their state there.
  states jsonb not null default '{}',
  -- What the import would do, and the import.
  predicted jsonb,
  import_id int,
  primary key (account_id, migration_id, "position"),
  foreign key (account_id, migration_id) references source_migration(account_id, id) on delete cascade
);

-- Why something would not be taken, grouped by reason.
create table source_migration_problem (
  account_id int not null,
  migration_id int not null,
  id bigint generated always as identity,
  -- The name of the list; '' for what is on none.
  list text not null,
  value text not null,
  reason text not null,
  primary key (account_id, migration_id, id),
  foreign key (account_id, migration_id) references source_migration(account_id, id) on delete cascade
);

-- What became of the lists and templates of a source, so that a second migration finds them under whatever name.
create table source_migration_target (
  account_id int not null references account(id) on delete cascade,
  source text not null,
  kind text not null check (kind in ('list', 'template')),
  key text not null,
  target_id int not null,
  primary key (account_id, source, kind, key)
);

-- 0011_recurring ------------------------------------------------------------------------------------------------------

-- A recurring campaign. Each issue is a copy of its original, filled with what is new. See docs/flows.md.
create sequence recurring_seq start 880000000;
create table recurring (
  account_id int not null references account(id) on delete cascade,
  id int not null default public_id(nextval('recurring_seq')),
  title text not null,
  status text not null default 'paused' check (status in ('active', 'paused')),
  -- The campaign that is copied, null once it was deleted.
  original_id int,
  -- src/recurring/schedule/schedule.ts, by the clocks of time_zone.
  schedule jsonb not null,
  time_zone text not null,
  source text not null check (source in ('feed', 'page')),
  source_url text not null,
  -- Items of an issue at most.
  max_items int not null,
  -- An issue waits until a user approves it.
  approve boolean not null,
  -- What the server sent with the feed when everything in it was known; '' for nothing.
  etag text not null default '',
  last_modified text not null default '',
  -- When the next issue is due, and when it is tried next: later after a failure and while a task makes it. Null while paused.
  next_at timestamptz,
  try_at timestamptz,
  created_at timestamptz not null default now(),
  changed_at timestamptz not null default now(),
  started boolean not null default false,
  primary key (account_id, id),
  foreign key (account_id, original_id) references campaign(account_id, id) on delete set null (original_id)
);
-- For the task that begins issues, each minute.
create index recurring_due on recurring (try_at) where status = 'active';
-- A campaign is the original of one recurring campaign. For the deletion of campaigns, too.
create unique index recurring_original on recurring (account_id, original_id);

-- One row for each time at which an issue was due, or was made by hand.
create table recurring_issue (
  account_id int not null,
  recurring_id int not null,
  occurrence_at timestamptz not null,
  state text not null check (state in ('sent', 'waiting', 'skipped', 'expired', 'failed')),
  -- Why, as a packed message; '' for sent and waiting.
  reason text not null default '',
  -- Made by hand, at a time that is not one of the schedule.
  by_hand boolean not null default false,
  -- Attempts without success.
  attempts int not null default 0,
  -- Whether the owner got an email about its failure.
  notified boolean not null default false,
  -- Null without one, or once it was deleted.
  campaign_id int,
  has_campaign boolean not null default false,
  items int not null default 0,
  changed_at timestamptz not null default now(),
  primary key (account_id, recurring_id, occurrence_at),
  foreign key (account_id, campaign_id) references campaign(account_id, id) on delete set null (campaign_id),
  foreign key (account_id, recurring_id) references recurring(account_id, id) on delete cascade
);
-- For the deletion of campaigns, and to find the issue of one.
create unique index recurring_issue_campaign on recurring_issue (account_id, campaign_id);

-- What was in a feed when an issue was made: items of an issue, and those beyond its limit, which are not sent later.
create table recurring_item (
  account_id int not null,
  recurring_id int not null,
  -- FeedItem.key of src/recurring/feed/feed.ts; of a page, the hash of its text.
  key text not null,
  -- The issue that has it; null for none.
  occurrence_at timestamptz,
  seen_at timestamptz not null default now(),
  -- The key under which the same item was known before its guid changed; '' for none.
  same_as text not null default '',
  -- Hashes, see src/recurring/feed/marks.ts; '' for none, and in rows from before these columns until the feed is read again.
  guid_mark text not null default '',
  link_mark text not null default '',
  slug_mark text not null default '',
  title_mark text not null default '',
  text_mark text not null default '',
  -- The date in the feed; null without one, and for one that was still to come.
  published_at timestamptz,
  primary key (account_id, recurring_id, key),
  foreign key (account_id, recurring_id) references recurring(account_id, id) on delete cascade
);

-- 0013_held -----------------------------------------------------------------------------------------------------------

-- Shards may be below zero, their sum may not. Rows and sums change in one transaction, so what a transaction sees of both agrees,
-- whatever others do meanwhile. Reads at most 16 rows, once for each group.
create function check_tally() returns trigger language plpgsql as $$
begin
  if exists (
    select from tally
    where account_id = new.account_id
      and campaign_id = new.campaign_id
    having least(sum(queued), sum(trying), sum(accepted), sum(later), sum(failed), sum(skipped), sum(unclear)) < 0
  ) then
    raise exception 'a sum of recipients of campaign % would be below zero', new.campaign_id using errcode = 'check_violation';
  end if;
  return null;
end $$;

create trigger tally_inserted after insert on tally for each row
when (least(new.queued, new.trying, new.accepted, new.later, new.failed, new.skipped, new.unclear) < 0)
execute function check_tally();

create trigger tally_updated after update on tally for each row execute function check_tally();

-- 0015_waiting --------------------------------------------------------------------------------------------------------

-- Recipients whose outcome is unclear and for whom a person decides, and since when: src/delivery/control/held-recipients.ts.
create table held_recipient (
  account_id int not null,
  campaign_id int not null,
  seq int not null,
  since timestamptz not null default now(),
  primary key (account_id, campaign_id, seq),
  foreign key (account_id, campaign_id) references campaign(account_id, id) on delete cascade
);

-- 0016_refused --------------------------------------------------------------------------------------------------------

-- Recipients that failed with a permanent reply since a message of their campaign was last accepted. What follows from a bounce
-- waits until it is clear that the reply is about them: many equal ones in a row are about us.
create table refused (
  account_id int not null,
  campaign_id int not null,
  seq int not null,
  -- The reply without what differs from message to message.
  signature text not null,
  domain text not null,
  -- Whether the address is to be suppressed.
  suppress boolean not null,
  at timestamptz not null,
  -- A message was accepted since, but it may have been begun before.
  broken boolean not null default false,
  primary key (account_id, campaign_id, seq)
);

-- Replies that refused so many recipients of a campaign in a row that they count as a refusal of us, until a person resumes it.
create table refused_reply (
  account_id int not null,
  campaign_id int not null,
  signature text not null,
  -- As the relay sent it.
  reply text not null,
  at timestamptz not null default now(),
  -- A person has resumed the campaign: the reply is about the recipients.
  confirmed boolean not null default false,
  primary key (account_id, campaign_id, signature)
);

-- 0017_leaving --------------------------------------------------------------------------------------------------------

-- Contacts that were deleted. A delivered message names its contact by number, in links that work permanently; a contact that
-- is added again has another number, and is found by the address. Written by a trigger, however a contact is deleted.
create table former_contact (
  account_id int not null,
  id int not null,
  -- In normal form; null when the address was erased.
  email_key text,
  -- Of an erased address, as in suppression.
  hash text,
  -- What the contact had chosen, for when its address is added again. Only the newest row of an address has it.
  untracked boolean not null default false,
  paused_until timestamptz,
  gone_at timestamptz not null default now(),
  primary key (account_id, id),
  check ((email_key is null) <> (hash is null))
);
-- Erasing an address; all numbers that an address has had.
create index former_contact_by_address on former_contact (account_id, email_key) where email_key is not null;
-- Contacts that are added again, among a million that are new: a handful.
create index former_contact_wishes on former_contact (account_id, email_key)
  where email_key is not null and (untracked or paused_until is not null);

create function contact_is_remembered() returns trigger language plpgsql as $$
begin
  update former_contact f
  set untracked = false, paused_until = null
  from gone
  where f.account_id = gone.account_id
    and f.email_key = gone.email_key
    and f.email_key is not null
    and (f.untracked or f.paused_until is not null);
  insert into former_contact (account_id, id, email_key, untracked, paused_until)
  select account_id, id, email_key, untracked, case when paused_until > now() then paused_until end
  from gone
  on conflict (account_id, id) do update
  set email_key = excluded.email_key, hash = null, untracked = excluded.untracked, paused_until = excluded.paused_until,
    gone_at = now();
  return null;
end
$$;

create trigger contact_is_remembered after delete on contact
  referencing old table as gone
  for each statement execute function contact_is_remembered();

-- An address that is added again is not tracked, or gets no campaigns, if that was so when it was deleted.
create function contact_keeps_its_wishes() returns trigger language plpgsql as $$
begin
  -- Most accounts have no such address: an import then costs nothing more.
  if not exists (
    select
    from (select distinct account_id from arrived) a
    join former_contact f on f.account_id = a.account_id
    where f.email_key is not null
      and (f.untracked or f.paused_until is not null)
  ) then
    return null;
  end if;
  with wish as (
    select n.account_id, n.id, f.untracked, case when f.paused_until > now() then f.paused_until end as paused_until
    from former_contact f
    join arrived n on n.account_id = f.account_id and n.email_key = f.email_key
    where f.email_key is not null
      and (f.untracked or f.paused_until is not null)
  ), changed as (
    update contact c
    set untracked = w.untracked, paused_until = w.paused_until
    from wish w
    where c.account_id = w.account_id
      and c.id = w.id
  )
  insert into consent (account_id, contact_id, kind, source, detail)
  select account_id, id, 'untrack', 'subscriber', '{"restored": true}'::jsonb
  from wish
  where untracked
  union all
  select account_id, id, 'pause', 'subscriber',
    jsonb_build_object('restored', true, 'until', to_char(paused_until at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS'))
  from wish
  where paused_until is not null;
  return null;
end
$$;

create trigger contact_keeps_its_wishes after insert on contact
  referencing new table as arrived
  for each statement execute function contact_keeps_its_wishes();

-- Recipients of deleted campaigns: what comes back for a message, and its personal links, are still about them. Those that
-- no message was sent to are not kept.
create table former_recipient (
  account_id int not null,
  campaign_id int not null,
  -- All as in delivery.
  seq int not null,
  contact_id int not null,
  list_id int not null,
  email text not null,
  state smallint not null,
  reply text,
  first_at timestamptz,
  -- When the campaign was deleted, for accounts that keep recipients a number of days.
  gone_at timestamptz not null default now(),
  language text,
  primary key (account_id, campaign_id, seq)
);
-- Erasing a contact; the messages of a contact, for a notice that names it.
create index former_recipient_by_contact on former_recipient (account_id, contact_id);

-- 0018_sent_pictures --------------------------------------------------------------------------------------------------

-- Pictures that a message carried to its recipients. They stay reachable, as its links do, after the campaign, the template or
-- the picture in the library is deleted.
create table sent_asset (
  account_id int not null,
  name text not null,
  primary key (account_id, name),
  foreign key (account_id, name) references asset(account_id, name) on delete cascade
);

-- 0019_ignored_names --------------------------------------------------------------------------------------------------

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
  dismissed_at timestamptz,
  primary key (account_id, list_id, name),
  foreign key (account_id, list_id) references list(account_id, id) on delete cascade
);

-- 0022_relay_limits ---------------------------------------------------------------------------------------------------

-- The limits that relays have shown by their refusals, for all workers and over restarts.
create table relay_limit (
  -- The id of the relay; those of SMTP_URL have one too.
  relay text primary key,
  -- Messages a second that it takes, learned; null if none is known.
  per_second double precision check (per_second > 0::double precision),
  -- The rate at which it refused last.
  ceiling double precision,
  -- It takes no messages until then; null if it does.
  rests_until timestamptz,
  -- quota: an amount is used up. same_reply: it refused all recipients alike. Empty without a rest.
  why text not null default '' check (why in ('', 'quota', 'same_reply')),
  -- The reply that showed it.
  reply text not null default '',
  changed_at timestamptz not null default now(),
  signatures text[] not null default '{}'
);

-- 0023_relay_refuses_all ----------------------------------------------------------------------------------------------

-- The last time that a relay refused all messages with a reply: held refusals from before are about us. Kept for a day.
create table relay_refusal (
  signature text primary key,
  at timestamptz not null default now()
);

-- 0024_oauth ----------------------------------------------------------------------------------------------------------

-- How a relay or a bounce mailbox gets its access tokens, and the present one.
create table oauth_grant (
  -- 0 for a relay.
  account_id int not null,
  -- Of the relay, or of the mailbox of the account.
  id int not null,
  relay_id int
    generated always as (case when account_id = 0 then id else null::int end) stored references relay(id) on delete cascade,
  mailbox_id int generated always as (case when account_id <> 0 then id else null::int end) stored,
  provider text not null check (provider in ('microsoft', 'google', 'other')),
  flow text not null check (flow in ('authorization_code', 'client_credentials')),
  -- Where a person signs in; '' for client credentials.
  authorize_url text not null,
  token_url text not null,
  client_id text not null,
  scope text not null,
  -- The client's secret and the refresh token as JSON, sealed with the installation's secret.
  secrets bytea not null,
  -- Changes with the settings: a renewal that began before does not overwrite them.
  version int not null default 1,
  -- Tokens that it has given.
  renewals int not null default 0,
  -- Sealed; null before the first one.
  access_token bytea,
  -- A little before its end, so that it is not used in its last moment.
  expires_at timestamptz,
  -- When a worker renews it; null while that is not possible, as a person has to sign in.
  renew_at timestamptz,
  -- A process asks for a token until then at most: a refresh token may work only once.
  renewing_until timestamptz,
  -- Failed requests in a row; no other is made before retry_at.
  failures int not null default 0,
  retry_at timestamptz,
  -- Why the last request failed, in English; '' when it did not.
  problem text not null default '',
  renewed_at timestamptz,
  -- A person who has been sent to the provider to sign in.
  state_hash bytea,
  state_user int,
  state_until timestamptz,
  -- Of PKCE, sealed.
  verifier bytea,
  primary key (account_id, id),
  foreign key (account_id, mailbox_id) references bounce_mailbox(account_id, id) on delete cascade
);
create index oauth_grant_relay on oauth_grant (relay_id);
-- What workers look for every second.
create index oauth_grant_renew on oauth_grant (renew_at) where renew_at is not null;

-- 0027_confirmation_count ---------------------------------------------------------------------------------------------

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

-- 0028_edits ----------------------------------------------------------------------------------------------------------

-- The last change of each part of a campaign that people edit, so that no one overwrites what another person has written since.
create table campaign_edit (
  account_id int not null,
  campaign_id int not null,
  -- content, languages, test, or another option of campaignUpdate.
  part text not null,
  -- Counts the changes of the part. Without a row it is 0.
  version int not null,
  -- Who made the last change. Both are null for the program itself.
  user_id int,
  key_id int,
  -- The window that made it, as it names itself; '' for programs.
  editor text not null,
  changed_at timestamptz not null,
  primary key (account_id, campaign_id, part),
  foreign key (account_id, campaign_id) references campaign(account_id, id) on delete cascade
);

-- Who has a draft open now. A window renews its row; a row that is not renewed is deleted by the next window that asks.
create table campaign_presence (
  account_id int not null,
  campaign_id int not null,
  editor text not null,
  user_id int not null references app_user(id) on delete cascade,
  seen_at timestamptz not null,
  primary key (account_id, campaign_id, editor),
  foreign key (account_id, campaign_id) references campaign(account_id, id) on delete cascade
);

-- 0030_archive --------------------------------------------------------------------------------------------------------

-- The public archive of an account.
create table archive (
  account_id int primary key references account(id) on delete cascade,
  is_on boolean not null default false,
  -- The last part of its address; null for one that cannot be guessed.
  slug text unique,
  -- '' for the name of the account.
  title text not null default '',
  description text not null default '',
  -- Address of a picture that is shown where the archive is shared; '' for none.
  picture text not null default '',
  -- Tag of BCP 47; '' for the language of the account.
  language text not null default '',
  -- Whether search engines may list it.
  indexable boolean not null default false
);

-- 0031_names ----------------------------------------------------------------------------------------------------------

-- A text without case, accents and apostrophes. Most texts are ASCII, where a byte is a character.
create function folded(v text) returns text
language sql immutable parallel safe
return case
  when octet_length(v) = length(v) then translate(lower(v collate "C"), '''`', '')
  else lower(translate(
    replace(regexp_replace(normalize(v, NFD), U&'[\0300-\036f]', '', 'g'), U&'\00df', 'ss'),
    U&'\00d8\00f8\0141\0142\0110\0111\0131\00c6\00e6\0152\0153''`\2019\2018\02bc\02bb\00b4\2032',
    'OoLlDdiAaOo'
  ))
end;

-- A tsvector holds 1 MB: the ends of the first 300 words are enough to find a person, and leave room for all values of a member.
create or replace function word_ends(v text) returns tsvector
language sql immutable parallel safe
return array_to_tsvector(array(
  select distinct substr(word, n, 30)
  from (
    select word
    from unnest(string_to_array(translate(v, '",;()', '     '), ' ')) as word
    where word ~ U&'[\0e00-\0eff\1000-\11ff\3040-\9fff]'
    limit 300
  ) as words,
    generate_series(2, least(length(word), 30)) as n
));

-- The words of a text, folded. What is no letter or digit separates words.
create or replace function words_in(v text) returns tsvector
language sql immutable parallel safe
return coalesce(plain_words(v), case
  when octet_length(v) = length(v)
    then to_tsvector('simple', translate(folded(v), E',;:/\\()[]{}<>"|-_.@+=&?!#%*~^$', '                              '))
  when v ~ U&'[\0e00-\0eff\1000-\11ff\3040-\9fff]'
    then to_tsvector('simple', translate(folded(v), E',;:/\\()[]{}<>"|-_.@+=&?!#%*~^$', '                              ')) || word_ends(folded(v))
  else to_tsvector('simple', translate(folded(v), E',;:/\\()[]{}<>"|-_.@+=&?!#%*~^$', '                              '))
end);

-- The words of the values of a member.
create function words_of(fields jsonb) returns tsvector
language sql immutable parallel safe
return words_in(jsonb_path_query_array(fields, '$.*')::text);

-- 0033_relay_test -----------------------------------------------------------------------------------------------------

-- The last test of each relay, if it failed. It was in the table of the installation.
create table relay_test (
  -- The id of the relay; those of SMTP_URL have one too.
  relay text primary key,
  -- When it failed.
  at timestamptz not null,
  -- It may be a packed message.
  problem text not null
);

-- 0034_list_notices ---------------------------------------------------------------------------------------------------

-- Who has subscribed or left since the last notice of a list. It goes with the contact.
create table list_notice (
  account_id int not null,
  list_id int not null,
  kind text not null check (kind in ('subscribe', 'unsubscribe')),
  contact_id int not null,
  at timestamptz not null default now(),
  primary key (account_id, list_id, kind, contact_id),
  foreign key (account_id, contact_id) references contact(account_id, id) on delete cascade,
  foreign key (account_id, list_id) references list(account_id, id) on delete cascade
);
-- A contact is deleted.
create index list_notice_by_contact on list_notice (account_id, contact_id);

-- 0035_followed_links -------------------------------------------------------------------------------------------------

-- What came of following the links of campaigns that are being written, so that campaignCheck can name those that lead nowhere.
create table followed_link (
  account_id int not null references account(id) on delete cascade,
  -- SHA-256 of the address, which has no fragment.
  hash bytea not null,
  followed_at timestamptz not null default now(),
  -- answered; gone: the page does not exist; failing: no answer, or an error of the server.
  outcome text not null check (outcome in ('answered', 'gone', 'failing')),
  -- The HTTP status, or why there was no answer: timeout, name, unreachable, redirects, protocol.
  reason text not null,
  primary key (account_id, hash)
);

-- 0041_events ---------------------------------------------------------------------------------------------------------

-- The names of events; a row of contact_event has the number.
create table event_name (
  account_id int not null references account(id) on delete cascade,
  no int generated always as identity,
  name text not null,
  primary key (account_id, no),
  unique (account_id, name)
);

-- By the month of the event, so that old ones go with their partition. Not tied to contact: a trigger deletes them with it, where
-- a key would look up each row that is inserted.
create table contact_event (
  account_id int not null,
  contact_id int not null,
  -- event_name.no
  name_no int not null,
  id bigint generated always as identity,
  -- When it happened, as the program reported it.
  at timestamptz not null,
  received_at timestamptz not null default now(),
  -- An amount of money or another number; null without one.
  value numeric(18,6),
  -- The members as they came, at most 8 kB of JSON; null without any.
  data jsonb,
  primary key (account_id, contact_id, at, id)
) partition by range (at);
-- Who did something within some days: segments of a list of a million, with ten million events.
create index contact_event_by_name on contact_event (account_id, name_no, at) include (contact_id);

-- The ids that programs gave events: one of a name counts once, in whatever month it happened. A digest of name and id.
create table event_id (
  -- Without a key to account, whose row each event would lock.
  account_id int not null,
  digest uuid not null,
  received_at timestamptz not null default now(),
  primary key (account_id, digest)
);
-- Those that are kept no longer, once a night. Rows are written in the order of time.
create index event_id_by_time on event_id using brin (received_at) with (pages_per_range = 32, autosummarize = on);

create function contact_event_goes() returns trigger language plpgsql as $$
begin
  if exists (select from event_name where account_id in (select account_id from gone)) then
    delete from contact_event e
    using gone
    where e.account_id = gone.account_id
      and e.contact_id = gone.id;
    update automation_run r
    set event = null
    from gone
    where r.account_id = gone.account_id
      and r.contact_id = gone.id
      and r.event is not null;
  end if;
  return null;
end
$$;

create trigger contact_event_goes after delete on contact
  referencing old table as gone
  for each statement execute function contact_event_goes();

-- 0042_template_versions ----------------------------------------------------------------------------------------------

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

-- 0044_revisions ------------------------------------------------------------------------------------------------------

create table campaign_revision (
  account_id int not null,
  campaign_id int not null,
  -- From 2: the first one is what was launched.
  no int not null,
  -- Who changed the text last. Both are null for the program itself.
  user_id int,
  key_id int,
  published_at timestamptz not null default now(),
  primary key (account_id, campaign_id, no),
  foreign key (account_id, campaign_id) references campaign(account_id, id) on delete cascade
);

-- 0045_incoming_webhooks ----------------------------------------------------------------------------------------------

-- URLs to which shops and other services post; what they say becomes events of contacts.
create sequence incoming_webhook_seq start 890000000;
create table incoming_webhook (
  account_id int not null references account(id) on delete cascade,
  id int not null default public_id(nextval('incoming_webhook_seq')),
  title text not null,
  service text not null check (service in ('custom', 'shopify', 'woocommerce', 'stripe')),
  token_hash bytea not null unique check (length(token_hash) = 32),
  -- The last characters of the token.
  hint text not null,
  -- With which the service signs, sealed; null: it does not.
  secret bytea,
  -- What of a request is the event: src/automations/received/mapping.ts.
  mapping jsonb not null,
  -- Whose fields are set, and to which those who agree are subscribed.
  list_id int,
  -- Whether those who agree confirm by email first.
  confirms boolean not null default true,
  created_at timestamptz not null default now(),
  -- The last request: what became of it, why, and its body, which is deleted after some days.
  last_at timestamptz,
  last_result text not null default '',
  last_detail text not null default '',
  last_body text,
  last_called text not null default '',
  primary key (account_id, id),
  foreign key (account_id, list_id) references list(account_id, id) on delete set null (list_id)
) with (fillfactor = 50);

-- 0048_conversions ----------------------------------------------------------------------------------------------------

-- What events with a value count for: the email whose link their contact followed last before. Of the person only the number of the
-- recipient, which leads to no one once the recipients of the campaign are deleted.
create table conversion (
  account_id int not null,
  campaign_id int not null,
  id bigint generated always as identity,
  -- delivery.seq
  seq int not null,
  -- When the event happened.
  at timestamptz not null,
  value numeric(18,6) not null,
  contact_id int,
  currency text not null default '',
  primary key (account_id, campaign_id, id)
);
-- The figures of the last 30 days, on Home.
create index conversion_by_time on conversion (account_id, at);

-- 0049_address_change -------------------------------------------------------------------------------------------------

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

-- 0053_account_fields -------------------------------------------------------------------------------------------------

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
  after_contact int not null default '-1'::int,
  -- How many contacts had different values so far.
  joined_contacts int not null default 0,
  created_at timestamptz not null default now(),
  joined_at timestamptz,
  primary key (account_id, tag)
);

-- 0055_operator_accounts ----------------------------------------------------------------------------------------------

-- How many emails an account has handed out in a month (UTC). Rows are only added, so that no one waits for another, and are summed
-- up by a task: those of a campaign in the transaction that marks a group, or that takes back what no relay was given; those of
-- single messages in the call that takes them. Emails of the program, tests and test accounts are not in it.
create table sent_count (
  account_id int not null references account(id) on delete cascade,
  month date not null,
  kind text not null check (kind in ('campaign', 'message')),
  count bigint not null
);
-- The use of a month.
create index sent_count_by_month on sent_count (account_id, month);

-- 0058_reputation -----------------------------------------------------------------------------------------------------

-- What relays accepted and what came back for it, by day (UTC): the rates of reputation and the usage of an account. Counted in the
-- transactions that write the outcomes, so that no screen counts recipients. A task merges the rows of past days, and after some
-- weeks those of a month: then without list and provider.
create table sending_day (
  account_id int not null references account(id) on delete cascade,
  -- The first of the month once its days are merged.
  day date not null,
  -- program: emails of the program, such as confirmations. test: tests, and all of a test account.
  kind text not null check (kind in ('campaign', 'automation', 'message', 'program', 'test')),
  -- 0 for none.
  list_id int not null,
  -- The receiving provider: src/base/mail-providers.ts; '' once the days of a month are merged.
  provider text not null,
  -- Several rows for the same keep transactions from waiting for each other.
  shard smallint not null,
  accepted int not null default 0,
  -- Hard bounces: those that the relay reported at once, and those that came back for an accepted message.
  refused int not null default 0,
  returned int not null default 0,
  complaints int not null default 0,
  primary key (account_id, day, kind, list_id, provider, shard)
) with (fillfactor = 50);
-- The accounts whose rates a task looks at, every few minutes: few days have a complaint.
create index sending_day_complaints on sending_day (day, account_id) where complaints > 0;

-- The hard bounces and complaints of a campaign, because of which it may be paused while it is being sent. A campaign without any has
-- no row.
create table campaign_watch (
  account_id int not null,
  campaign_id int not null,
  refused int not null default 0,
  returned int not null default 0,
  complaints int not null default 0,
  -- What it was paused for. It is not paused for the same again unless the person who resumes it asks for that.
  paused_for text[] not null default '{}',
  -- The counts when that was asked for: only what came later is judged then.
  accepted_before int not null default 0,
  refused_before int not null default 0,
  returned_before int not null default 0,
  complaints_before int not null default 0,
  primary key (account_id, campaign_id)
);

-- Complaint rates that are too high, from when the owner was notified until they have fallen.
create table reputation_warning (
  account_id int not null references account(id) on delete cascade,
  scope text not null check (scope in ('account', 'list', 'provider')),
  -- The number of the list, or the provider; '' for the account.
  name text not null,
  since timestamptz not null default now(),
  primary key (account_id, scope, name)
);

-- 0059_report_links ---------------------------------------------------------------------------------------------------

-- Links that show reports to people without an account: figures only. Opening one changes nothing here.
create sequence report_link_seq start 910000000;
create table report_link (
  account_id int not null references account(id) on delete cascade,
  id int not null default public_id(nextval('report_link_seq')),
  -- The link itself is shown once, when it is made.
  token_hash bytea not null unique,
  -- What it shows: a campaign, or the campaigns of a list; of the account if both are null.
  campaign_id int,
  list_id int,
  name text not null default '',
  user_id int,
  key_id int,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (account_id, id),
  foreign key (account_id, campaign_id) references campaign(account_id, id) on delete cascade,
  foreign key (account_id, list_id) references list(account_id, id) on delete cascade,
  check (campaign_id is null or list_id is null)
);
-- The links of a campaign or list, also when it is deleted.
create index report_link_by_campaign on report_link (account_id, campaign_id);
create index report_link_by_list on report_link (account_id, list_id);

-- 0060_labels ---------------------------------------------------------------------------------------------------------

-- What people sort campaigns, lists, templates and automations by.
create sequence label_seq start 710000000;
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
  foreign key (account_id, label_id) references label(account_id, id) on delete cascade,
  foreign key (account_id, list_id) references list(account_id, id) on delete cascade
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
  foreign key (account_id, label_id) references label(account_id, id) on delete cascade,
  foreign key (account_id, template_id) references template(account_id, id) on delete cascade
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

-- 0062_approval -------------------------------------------------------------------------------------------------------

-- The approval of a campaign before it is sent: what was asked, by whom, and the answer. The row is of the present state, the steps
-- are its history. docs/flows.md, Approval.
create table campaign_approval (
  account_id int not null,
  campaign_id int not null,
  state text not null check (state in ('asked', 'approved', 'changes', 'refused', 'withdrawn')),
  -- Who asked. All are null where one who may send has sent without asking; user_id and key_id also for the program itself.
  asked_at timestamptz,
  asked_user_id int,
  asked_key_id int,
  note text not null default '',
  -- When it is to be sent; null: as soon as it is approved.
  wanted_at timestamptz,
  -- The version that was asked about.
  asked_version text,
  answered_at timestamptz,
  answered_user_id int,
  answered_key_id int,
  answer text not null default '',
  -- The version that was approved last.
  approved_version text,
  -- Why it was withdrawn, as a packed message.
  reason text not null default '',
  -- What the campaign was when it was answered last, else when it was asked for first: differences are shown against it.
  compared text,
  compared_at timestamptz,
  primary key (account_id, campaign_id),
  foreign key (account_id, campaign_id) references campaign(account_id, id) on delete cascade
);
-- Home: what waits for an answer.
create index campaign_approval_asked on campaign_approval (account_id) where state = 'asked';

create table campaign_approval_step (
  account_id int not null,
  campaign_id int not null,
  no int not null,
  what text not null check (what in ('asked', 'approved', 'changes', 'refused', 'withdrawn')),
  at timestamptz not null,
  -- Both are null for the program itself.
  user_id int,
  key_id int,
  note text not null default '',
  version text not null default '',
  primary key (account_id, campaign_id, no),
  foreign key (account_id, campaign_id) references campaign(account_id, id) on delete cascade
);

create table campaign_comment (
  account_id int not null,
  campaign_id int not null,
  no int not null,
  user_id int,
  key_id int,
  text text not null,
  -- The block of the visual editor it is about, and the words of the email; '' for the whole campaign.
  block text not null default '',
  quote text not null default '',
  created_at timestamptz not null default now(),
  resolved_at timestamptz,
  resolved_user_id int,
  resolved_key_id int,
  primary key (account_id, campaign_id, no),
  foreign key (account_id, campaign_id) references campaign(account_id, id) on delete cascade
);

-- 0068_freezing -------------------------------------------------------------------------------------------------------

-- Campaigns whose audience is being frozen in portions of contacts, in the order of their ids, while the first messages leave. A row
-- is deleted with the last portion.
create table freezing (
  account_id int not null,
  campaign_id int not null,
  -- The launch: a contact that joins a list after it is not in the audience.
  started_at timestamptz not null default now(),
  -- Contacts up to this id are decided on.
  upto int not null,
  -- The recipients of the portions so far: the last of their numbers.
  recipients int not null,
  -- The segments as they were at the launch.
  audience jsonb not null,
  -- Whether the event campaign.started comes with the last portion.
  announces boolean not null,
  -- After a fail-over or a restore: messages to the rest may have been sent, so they are unclear from the start.
  doubted boolean not null default false,
  primary key (account_id, campaign_id),
  foreign key (account_id, campaign_id) references campaign(account_id, id) on delete cascade
);

-- 0069_folded_recipients ----------------------------------------------------------------------------------------------

-- The sums of recipients of autoresponders and of emails of automations that were deleted by age: reports add them to
-- those of the recipients there are.
create table folded_report (
  account_id int not null,
  campaign_id int not null,
  sums jsonb not null,
  primary key (account_id, campaign_id)
);

-- Occasions for which a contact has got the message of an autoresponder whose recipients of that age are deleted: it is never sent for them
-- again. One row for each, about 60 bytes.
create table past_occasion (
  account_id int not null,
  campaign_id int not null,
  contact_id int not null,
  occasion text not null,
  primary key (account_id, campaign_id, contact_id, occasion)
);

-- 0071_account_write --------------------------------------------------------------------------------------------------

-- How many calls have changed something, by account: counted in the transaction of each, so that a standby that has replayed the count has
-- replayed the change too (src/db/standby). In slots, so that calls of one account do not wait for each other's commit.
create table account_write (
  account_id int not null,
  slot smallint not null,
  writes bigint not null,
  primary key (account_id, slot)
) with (fillfactor = 50);

-- 0072_moves ----------------------------------------------------------------------------------------------------------

-- Accounts that are moving to another installation (cell), have moved there, or are arriving from one. See docs/flows.md, Moving an account.
-- Its column is not called account_id: a row stays when the account is erased, so that its links and keys still lead somewhere.
create table account_move (
  account int primary key,
  -- The same for an account and its test account, and in both installations.
  move_id uuid not null,
  -- Of the account that is moving: copying, draining, fenced, moved, done. Of one that is arriving: arriving, here.
  step text not null check (step in ('copying', 'draining', 'fenced', 'moved', 'done', 'arriving', 'here')),
  -- The public URL of the other installation.
  address text not null default '',
  -- Jobs that the fence took out of the queue.
  jobs jsonb not null default '[]',
  -- Of one that is arriving: the numbers of its people in the installation it comes from, and here.
  people jsonb not null default '{}',
  -- The last of moved_hit that has arrived here.
  hits_upto bigint not null default 0,
  started_at timestamptz not null default now(),
  step_at timestamptz not null default now(),
  -- Whether work is begun for it here: chunks, webhook requests, automations, jobs.
  works boolean generated always as (step in ('copying', 'here')) stored,
  -- Whether anything may be written for it here.
  writes boolean generated always as (step in ('copying', 'draining', 'here')) stored
);

-- What keys and links of an account that has moved are found by: the SHA-256 of an API key, of the key of a form or an archive, of a token.
create table moved_address (
  hash bytea primary key,
  account int not null
);

-- Opens and clicks that were about to be stored when the account was fenced, until they are brought to the other installation.
create table moved_hit (
  id bigint generated always as identity primary key,
  account int not null,
  hit jsonb not null
);

-- As before, but a long job of one account gets an error from what it keeps its progress in: it would repeat its next portion without end.
create or replace function account_move_guard() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(7315, tg_argv[0]::int);
  if exists (select from account_move where account = tg_argv[0]::int and not writes)
    and tg_argv[0] <> all (string_to_array(coalesce(current_setting('postrider.moves', true), ''), ','))
  then
    if starts_with(current_setting('application_name'), 'postrider work')
      and tg_table_name not in ('freezing', 'import', 'source_migration')
    then
      return null;
    end if;
    raise exception 'account % is moving to another installation', tg_argv[0] using errcode = 'PM001';
  end if;
  if tg_op = 'DELETE' then return old; end if;
  return new;
end;
$$;

-- 0074_plain_words ----------------------------------------------------------------------------------------------------

-- The words of such a text in lower case; null for any other. Only functions of PostgreSQL, which a restore finds without a search path.
create function plain_words(v text) returns tsvector
language plpgsql immutable strict parallel safe
as $$
begin
  -- The parser ends a number such as 1e5 before a letter, and leaves out words of more than 2 kB.
  if octet_length(v) >= 2000 or v collate "C" ~ '[^A-Za-z0-9 ,"[\].-]|[0-9][eE][0-9]' then
    return null;
  end if;
  -- Faster than one translate, which compares each character with each sign.
  v := replace(replace(replace(lower(v collate "C"), '"', ' '), ',', ' '), '.', ' ');
  v := replace(replace(replace(v, '-', ' '), '[', ' '), ']', ' ');
  return array_to_tsvector(array_remove(string_to_array(v, ' '), ''));
end $$;
