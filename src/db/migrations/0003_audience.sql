-- Lists, contacts and their consent, segments, suppressions, imports, sign-up forms.

create sequence list_seq start 300000000;
create sequence list_web_seq;
create table list (
  account_id int not null references account on delete cascade,
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
  primary key (account_id, id),
  foreign key (account_id, sender_id) references sender on delete set null (sender_id)
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
  foreign key (account_id, list_id) references list on delete cascade
);

-- The merge fields of a list. Values are in subscription.fields by tag.
create table field (
  account_id int not null,
  list_id int not null,
  tag text not null,
  -- The N of the tag MERGEN; 0 for EMAIL.
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
  where domain in ('gmail.com', 'googlemail.com') or email_key like '%+%';
-- Paused contacts, for the forecast of a campaign to a list of a million: a handful.
create index contact_paused on contact (account_id, id) where paused_until is not null;
-- The tags in use, where few of a million contacts have one.
create index contact_tagged on contact (account_id, id) where tags <> '{}';
-- Opens and clicks of contacts who opted out, among those of a million who did not.
create index contact_untracked on contact (account_id, id) where untracked;
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
create index consent_by_campaign on consent (account_id, ((detail ->> 'campaign')))
  where detail ? 'campaign';

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
  primary key (account_id, position)
);
-- Erasing a contact; records that have no link.
create index consent_link_of_contact on consent_link (account_id, contact_id, consent_id);

-- How far the chain is, for the whole installation: one row, or none before the first run.
create table consent_chain (
  only_row boolean primary key default true check (only_row),
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
  account_id int not null references account on delete cascade,
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
  account_id int not null references account on delete cascade,
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
  foreign key (account_id, list_id) references list on delete cascade
);

create sequence segment_seq start 400000000;
create sequence segment_web_seq;
create table segment (
  account_id int not null,
  id int not null default public_id(nextval('segment_seq')),
  web_id int not null default nextval('segment_web_seq'),
  list_id int not null,
  title text not null,
  match text not null check (match in ('all', 'any')),
  -- The conditions.
  filter jsonb not null,
  auto_update boolean not null default true,
  created_at timestamptz not null default now(),
  changed_at timestamptz not null default now(),
  primary key (account_id, id),
  foreign key (account_id, list_id) references list on delete cascade
);

-- Segments whose joining and leaving contacts are events, because a webhook wants them.
create table segment_watch (
  account_id int not null,
  segment_id int not null,
  look_at timestamptz not null default now(),
  -- Null until the members of the segment are recorded.
  looked_at timestamptz,
  primary key (account_id, segment_id),
  foreign key (account_id, segment_id) references segment on delete cascade
);
create index segment_watch_due on segment_watch (look_at);

-- The members of watched segments at the last look.
create table segment_member (
  account_id int not null,
  segment_id int not null,
  contact_id int not null,
  primary key (account_id, segment_id, contact_id),
  foreign key (account_id, segment_id) references segment_watch on delete cascade
);

-- A file on its way to an import.
create sequence upload_seq start 760000000;
create table upload (
  account_id int not null references account on delete cascade,
  id int not null default public_id(nextval('upload_seq')),
  name text not null default '',
  -- Bytes received so far.
  size bigint not null default 0,
  changed_at timestamptz not null default now(),
  primary key (account_id, id)
);

-- The bytes of a file in pieces; at is the offset of the first.
create table upload_piece (
  account_id int not null,
  upload_id int not null,
  at bigint not null,
  bytes bytea not null,
  primary key (account_id, upload_id, at),
  foreign key (account_id, upload_id) references upload on delete cascade
);
-- Pieces are read once; compressing them is wasted work. ALTER, because "create table" takes "storage" from PostgreSQL 16
-- on only.
alter table upload_piece alter column bytes set storage external;

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
  state text not null check (state in
    ('uploaded', 'mapped', 'checking', 'checked', 'running', 'stopped', 'failed', 'done', 'undoing', 'undone')),
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
  foreign key (account_id, list_id) references list on delete cascade
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
  foreign key (account_id, import_id) references import on delete cascade
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
  foreign key (account_id, list_id) references list on delete cascade
);
create index signup_refusal_by_age on signup_refusal (at);
