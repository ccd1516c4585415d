-- A launched campaign: its recipients, the chunks workers lease, the accounting, pace and bounces; the built-in inbox.
-- Not tied to campaign, for the reason given in 0005_tracking.sql.

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
  state smallint not null default 0 check (state between 0 and 6),
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
  primary key (account_id, campaign_id, seq, month)
) partition by range (month);
-- What a contact was sent: its history, its erasure, segments by campaign. A contact gets a campaign, or an
-- occasion, once.
create unique index delivery_by_contact on delivery (account_id, contact_id, campaign_id, occasion, month);
-- Cleaned up after every few million rows, however many there are.
create table delivery_default partition of delivery default
  with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02,
    autovacuum_analyze_scale_factor = 0.02);
-- Of autoresponders, which run for years.
create table delivery_auto partition of delivery for values from (minvalue) to ('0001-01-01')
  with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02,
    autovacuum_analyze_scale_factor = 0.02);

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
  marked int4multirange not null default '{}',
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
  primary key (account_id, campaign_id, no),
  check ((seqs is null) = (from_seq is not null and to_seq is not null)),
  check (marked = '{}' or (state = 'leased' and seqs is null))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);
-- Which campaigns have something due, then the chunk of one that is due next: each reads one place of this index,
-- however many chunks a campaign has.
create index chunk_turn on chunk (account_id, campaign_id, due_at, no) where state = 'waiting';
-- What is due now, however many campaigns have chunks that wait for later.
create index chunk_due on chunk (due_at) where state = 'waiting';
-- Expired leases, and whether a campaign has chunks left: together with chunk_turn, however many are done.
create index chunk_leased on chunk (account_id, campaign_id) where state = 'leased';

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
  check (recipients = queued + trying + accepted + later + failed + skipped + unclear)
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
  foreign key (account_id, campaign_id) references campaign on delete cascade
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
  account_id int not null references account on delete cascade,
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
  account_id int not null references account on delete cascade,
  id int not null default public_id(nextval('bounce_mailbox_seq')),
  title text not null default '',
  protocol text not null check (protocol in ('imap', 'pop3')),
  host text not null,
  port int not null check (port between 1 and 65535),
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
  id int primary key default public_id(nextval('relay_seq')),
  -- The order in which they are shown and in which reserves are used.
  position int not null,
  name text not null,
  -- The service whose preset it began with; '' for none.
  preset text not null default '',
  host text not null,
  port int not null check (port between 1 and 65535),
  tls text not null check (tls in ('none', 'opportunistic', 'require', 'implicit')),
  -- Of the password's use; '' for the best one that the server offers.
  auth_method text not null default '' check (auth_method in ('', 'plain', 'login', 'cram-md5', 'xoauth2')),
  -- User name and password as JSON, sealed with the installation's secret: some services use one token for both. Null without.
  credentials bytea,
  connections int not null,
  -- Messages a second; null without a limit.
  per_second double precision check (per_second > 0),
  weight double precision not null check (weight >= 0),
  -- The ramp of a new relay, first:growth:max:date; '' for none.
  warm_up text not null default '',
  -- The accounts and the domains in From that it is limited to; empty for all. An account that is deleted stays here: the
  -- relay must not become everyone's.
  accounts int[] not null default '{}',
  sender_domains text[] not null default '{}',
  paused_at timestamptz,
  created_at timestamptz not null default now(),
  changed_at timestamptz not null default now()
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
  received_at timestamptz not null default now()
);
-- The inbox of an account, newest first.
create index inbox_by_account on inbox_message (account_id, id desc);
