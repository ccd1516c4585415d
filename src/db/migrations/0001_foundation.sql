-- The whole data model of the main job. Every tenant table leads its keys with account_id.
-- Public ids are ints spread over 0 … 5·16^7−1 by public_id(); see src/db/ids.ts for their spelling.

-- A permutation of 0 … 1342177279: the factor is odd and no multiple of 5, so it shares no divisor with 5·2^28.
create function public_id(n bigint) returns int
  language sql immutable strict parallel safe
  as $$ select ((n * 982451653 + 362436069) % 1342177280)::int $$;

-- What belongs to the installation as a whole: secrets for tokens, instance id, heartbeat.
create table installation (
  key text primary key,
  value jsonb not null,
  changed_at timestamptz not null default now()
);

-- Accounts, people, keys -------------------------------------------------------------------------------------------

create sequence account_seq;
create table account (
  id int primary key default public_id(nextval('account_seq')),
  name text not null,
  email text not null,
  company text not null default '',
  postal_address text not null default '',
  phone text not null default '',
  website text not null default '',
  language text not null default 'en',
  time_zone text not null default 'UTC',
  plan text not null default 'free' check (plan in ('free', 'pro')),
  addons text[] not null default '{}',
  active boolean not null default true,
  may_send boolean not null default true,
  settings jsonb not null default '{}',
  created_at timestamptz not null default now()
);

create sequence app_user_seq;
create table app_user (
  id int primary key default public_id(nextval('app_user_seq')),
  email text not null,
  email_key text not null unique,
  name text not null default '',
  password_hash text not null,
  language text not null default 'en',
  created_at timestamptz not null default now(),
  last_login_at timestamptz
);

create table membership (
  account_id int not null references account on delete cascade,
  user_id int not null references app_user on delete cascade,
  role text not null check (role in ('owner', 'editor', 'viewer')),
  created_at timestamptz not null default now(),
  primary key (account_id, user_id)
);
create index membership_by_user on membership (user_id);

create table session (
  token_hash bytea primary key,
  user_id int not null references app_user on delete cascade,
  account_id int not null references account on delete cascade,
  created_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  expires_at timestamptz not null,
  ip text not null default '',
  user_agent text not null default ''
);
create index session_by_user on session (user_id);

create sequence api_key_seq;
create table api_key (
  account_id int not null references account on delete cascade,
  id int not null default public_id(nextval('api_key_seq')),
  key_hash bytea not null unique,
  hint text not null,
  label text not null default '',
  scope text not null default 'full' check (scope in ('full', 'write', 'read')),
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  expired_at timestamptz,
  primary key (account_id, id)
);

create table audit_entry (
  account_id int not null,
  id bigint generated always as identity,
  at timestamptz not null default now(),
  user_id int,
  key_id int,
  door text not null,
  method text not null,
  subject text not null default '',
  detail jsonb not null default '{}',
  ip text not null default '',
  primary key (account_id, id)
);

-- Audience ---------------------------------------------------------------------------------------------------------

create sequence list_seq;
create sequence list_web_seq;
create table list (
  account_id int not null references account on delete cascade,
  id int not null default public_id(nextval('list_seq')),
  web_id int not null default nextval('list_web_seq'),
  name text not null,
  default_from_name text not null default '',
  default_from_email text not null default '',
  default_subject text not null default '',
  default_language text not null default 'en',
  email_type_option boolean not null default false,
  company text not null default '',
  postal_address text not null default '',
  website text not null default '',
  time_zone text not null default '',
  settings jsonb not null default '{}',
  created_at timestamptz not null default now(),
  primary key (account_id, id)
);

-- The merge fields of a list. merge_no is the N of MERGEN; EMAIL is 0. Values stand in subscription.fields by tag.
create table field (
  account_id int not null,
  list_id int not null,
  tag text not null,
  merge_no int not null,
  name text not null,
  field_type text not null check (field_type in
    ('text', 'number', 'email', 'date', 'phone', 'website', 'address', 'dropdown', 'image')),
  required boolean not null default false,
  shown boolean not null default true,
  position int not null,
  default_value text not null default '',
  choices text[] not null default '{}',
  primary key (account_id, list_id, tag),
  foreign key (account_id, list_id) references list on delete cascade
);

-- A person of an account, once. email_key is the normalised address that tells two spellings apart from two people.
create sequence contact_seq;
create table contact (
  account_id int not null,
  id int not null default public_id(nextval('contact_seq')),
  email text not null,
  email_key text not null,
  domain text not null,
  language text not null default '',
  time_zone text not null default '',
  created_at timestamptz not null default now(),
  changed_at timestamptz not null default now(),
  primary key (account_id, id),
  unique (account_id, email_key)
);

create table subscription (
  account_id int not null,
  list_id int not null,
  contact_id int not null,
  status text not null check (status in ('pending', 'subscribed', 'unsubscribed', 'inactive', 'bounced')),
  email_type text not null default 'html' check (email_type in ('html', 'text')),
  fields jsonb not null default '{}',
  source text not null default 'api',
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
  status_at timestamptz not null default now(),
  changed_at timestamptz not null default now(),
  primary key (account_id, list_id, contact_id),
  foreign key (account_id, list_id) references list on delete cascade,
  foreign key (account_id, contact_id) references contact on delete cascade
) with (fillfactor = 85);
create index subscription_by_contact on subscription (account_id, contact_id);
-- For listMembers (newest first within a status) and counts by status of lists of a million.
create index subscription_by_status on subscription (account_id, list_id, status, status_at);

-- What a contact agreed to and when: append-only evidence.
create table consent (
  account_id int not null,
  id bigint generated always as identity,
  contact_id int not null,
  list_id int,
  kind text not null,
  at timestamptz not null default now(),
  source text not null default '',
  ip text not null default '',
  detail jsonb not null default '{}',
  primary key (account_id, id)
);
create index consent_by_contact on consent (account_id, contact_id);

-- Addresses and domains that get no mail from this account, whatever list they are on.
create table suppression (
  account_id int not null references account on delete cascade,
  kind text not null check (kind in ('address', 'domain')),
  value text not null,
  reason text not null check (reason in ('manual', 'bounce', 'complaint', 'unsubscribe', 'erased', 'api')),
  campaign_id int,
  detail text not null default '',
  created_at timestamptz not null default now(),
  primary key (account_id, kind, value)
);

create sequence segment_seq;
create sequence segment_web_seq;
create table segment (
  account_id int not null,
  id int not null default public_id(nextval('segment_seq')),
  web_id int not null default nextval('segment_web_seq'),
  list_id int not null,
  title text not null,
  match text not null check (match in ('all', 'any')),
  filter jsonb not null,
  auto_update boolean not null default true,
  created_at timestamptz not null default now(),
  changed_at timestamptz not null default now(),
  primary key (account_id, id),
  foreign key (account_id, list_id) references list on delete cascade
);

-- Campaigns --------------------------------------------------------------------------------------------------------

create sequence template_seq;
create table template (
  account_id int not null references account on delete cascade,
  id int not null default public_id(nextval('template_seq')),
  name text not null,
  layout text not null check (layout in ('basic', 'left column', 'right column', 'postcard')),
  source text not null,
  preview bytea,
  preview_type text not null default '',
  preview_at timestamptz,
  created_at timestamptz not null default now(),
  changed_at timestamptz not null default now(),
  primary key (account_id, id)
);

-- status:  draft → scheduled → launching → sending → sent;  paused from launching or sending, and back;
--          scheduled → draft.  An autoresponder stays in sending while it is active.
create sequence campaign_seq;
create sequence campaign_web_seq;
create table campaign (
  account_id int not null references account on delete cascade,
  id int not null default public_id(nextval('campaign_seq')),
  web_id int not null default nextval('campaign_web_seq'),
  type text not null check (type in ('html', 'plain', 'auto')),
  status text not null default 'draft'
    check (status in ('draft', 'scheduled', 'launching', 'sending', 'paused', 'sent')),
  -- Where a paused campaign goes on, and why it stands still.
  paused_from text check (paused_from in ('scheduled', 'launching', 'sending')),
  status_reason text not null default '',
  title text not null,
  subject text not null,
  from_name text not null,
  reply_to text not null,
  sender text not null default '',
  to_name text not null default '',
  track_opens boolean not null default true,
  track_html_clicks boolean not null default true,
  track_text_clicks boolean not null default false,
  analytics jsonb not null default '{}',
  generate_text boolean not null default false,
  auto_footer boolean not null default false,
  authenticate boolean not null default false,
  inline_img boolean not null default false,
  time_match boolean not null default false,
  language text not null default '',
  html text not null default '',
  plain text not null default '',
  -- True while plain was made from the html; a new html then makes it anew.
  plain_generated boolean not null default false,
  template_id int,
  source_url text not null default '',
  auto jsonb,
  schedule_at timestamptz,
  send_at timestamptz,
  finished_at timestamptz,
  -- Part of public archive addresses: 128 random bits, so that an unsent campaign cannot be guessed.
  archive_key text not null unique default encode(uuid_send(gen_random_uuid()), 'hex'),
  -- Grows with every change, for optimistic checks.
  version int not null default 1,
  created_at timestamptz not null default now(),
  changed_at timestamptz not null default now(),
  primary key (account_id, id),
  check ((status = 'scheduled') <= (schedule_at is not null)),
  check ((status = 'paused') = (paused_from is not null))
);
-- campaigns() of 1,000 out of 100,000, newest first; status filter of the home page.
create index campaign_by_age on campaign (account_id, created_at desc, id);
create index campaign_by_status on campaign (account_id, status);
create index campaign_due on campaign (schedule_at) where status = 'scheduled';

create table campaign_list (
  account_id int not null,
  campaign_id int not null,
  list_id int not null,
  position int not null default 0,
  primary key (account_id, campaign_id, list_id),
  foreign key (account_id, campaign_id) references campaign on delete cascade
);
create index campaign_list_by_list on campaign_list (account_id, list_id);

create table campaign_segment (
  account_id int not null,
  campaign_id int not null,
  segment_id int not null,
  primary key (account_id, campaign_id, segment_id),
  foreign key (account_id, campaign_id) references campaign on delete cascade
);

-- Delivery ---------------------------------------------------------------------------------------------------------
-- Not tied to campaign by a foreign key: a deleted campaign is gone at once, its million rows by a task.

-- What goes out, frozen at launch: the compiled message and a hash of the content it came from.
create table frozen_content (
  account_id int not null,
  campaign_id int not null,
  compiled jsonb not null,
  content_hash text not null,
  frozen_at timestamptz not null default now(),
  primary key (account_id, campaign_id)
);

-- Link targets by number; click tokens hold the number, never the target.
create table link (
  account_id int not null,
  campaign_id int not null,
  no int not null,
  target text not null,
  primary key (account_id, campaign_id, no)
);

-- One row a recipient (for an autoresponder: a recipient and occasion). seq counts from 1 within the campaign.
-- state: 0 queued  1 trying  2 accepted  3 later  4 failed  5 skipped  6 unclear.
-- No index holds state or times, so that the updates of a delivery stay within the page (HOT).
create table delivery (
  account_id int not null,
  campaign_id int not null,
  seq int not null,
  contact_id int not null,
  list_id int not null,
  -- The chunk whose worker is trying it.
  chunk_no int,
  occasion text not null default '',
  email text not null,
  domain text not null,
  state smallint not null default 0 check (state between 0 and 6),
  attempts smallint not null default 0,
  resent smallint not null default 0,
  crashes smallint not null default 0,
  due_at timestamptz not null,
  next_at timestamptz,
  first_at timestamptz,
  done_at timestamptz,
  reply_code smallint,
  reply text,
  -- Why skipped, or the class of a bounce (hard, soft, blocked, temporary, generic).
  reason text,
  primary key (account_id, campaign_id, seq),
  unique (account_id, campaign_id, contact_id, occasion)
) with (fillfactor = 60);
create index delivery_by_contact on delivery (account_id, contact_id);

-- A portion of work: a range of seqs (first tries) or a set of them (later tries, copies after an unclear outcome).
-- A worker leases it by the database's clock; lease grows with every lease, so that a late writer is told apart.
create sequence chunk_seq;
create table chunk (
  account_id int not null,
  campaign_id int not null,
  no int not null default nextval('chunk_seq'),
  kind text not null check (kind in ('first', 'retry', 'resend')),
  from_seq int,
  to_seq int,
  seqs int[],
  due_at timestamptz not null,
  state text not null default 'waiting' check (state in ('waiting', 'leased', 'done')),
  worker_id int,
  lease int not null default 0,
  leased_until timestamptz,
  crashes smallint not null default 0,
  primary key (account_id, campaign_id, no),
  check ((seqs is null) = (from_seq is not null and to_seq is not null))
) with (fillfactor = 70);
-- The workers' question "what is due next", over all campaigns, and the search for leases run out.
create index chunk_waiting on chunk (due_at) where state = 'waiting';
create index chunk_leased on chunk (leased_until) where state = 'leased';

-- The accounting: recipients of a campaign by state, in the same transaction as the rows themselves. Several shards,
-- so that workers do not wait for one another; the sum over the shards is the number.
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
  primary key (account_id, campaign_id, shard),
  check (recipients = queued + trying + accepted + later + failed + skipped + unclear)
) with (fillfactor = 50);

-- Who was left out before there was a row, by reason (suppressed, unsubscribed, duplicate …).
create table exclusion (
  account_id int not null,
  campaign_id int not null,
  reason text not null,
  count int not null,
  primary key (account_id, campaign_id, reason)
);

-- Processes that deliver. The one holding the session advisory lock (worker_lock, id) is alive.
create table worker (
  id int generated always as identity primary key,
  host text not null,
  boot_id text not null,
  pid int not null,
  journal text not null,
  job_names text[] not null default '{}',
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  ended_at timestamptz
);

-- Webhooks ---------------------------------------------------------------------------------------------------------

create sequence webhook_seq;
create sequence webhook_web_seq;
create table webhook (
  account_id int not null references account on delete cascade,
  id int not null default public_id(nextval('webhook_seq')),
  web_id int not null default nextval('webhook_web_seq'),
  title text not null,
  url text not null,
  list_id int,
  secret text not null default '',
  old_secret text not null default '',
  old_secret_until timestamptz,
  algorithm text not null default 'sha256' check (algorithm in ('sha1', 'sha256', 'sha384', 'sha512')),
  format text not null default 'standard' check (format in ('standard', 'classic')),
  events text[] not null,
  sources text[] not null default '{subscriber,admin,api}',
  status text not null default 'active' check (status in ('active', 'unverified', 'paused', 'off')),
  status_reason text not null default '',
  failing_since timestamptz,
  total_events bigint not null default 0,
  last_event_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (account_id, id)
);

-- The outbox: one row an event and a webhook that wants it, written in the transaction that caused the event.
create table webhook_event (
  account_id int not null,
  webhook_id int not null,
  id bigint generated always as identity,
  event_id text not null,
  type text not null,
  payload jsonb not null,
  created_at timestamptz not null default now(),
  primary key (account_id, webhook_id, id)
);

-- The built-in inbox -------------------------------------------------------------------------------------------------

create table inbox_message (
  id bigint generated always as identity primary key,
  received_at timestamptz not null default now(),
  mail_from text not null,
  rcpt_to text[] not null,
  account_id int,
  subject text not null default '',
  from_header text not null default '',
  to_header text not null default '',
  size int not null,
  source bytea not null
);
create index inbox_by_account on inbox_message (account_id, id desc);
