-- Single (transactional) messages, and those of the program itself. They are sent from the same ledger as campaigns: each day
-- of an account has an owner in campaign (type message, title = the day in UTC) and, for the messages of its lists, another
-- one (title = the day and "list"); each recipient is a row in delivery. See docs/flows.md.

-- The owner of a day, for each new message.
create unique index campaign_messages_of_day on campaign (account_id, title) where type = 'message';
-- The owners that may have something to send, for the send loops that serve messages only.
create index campaign_messages_sending on campaign (account_id, id) where type = 'message' and status = 'sending';

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
  click_at int[] not null default '{}',
  open_at int[] not null default '{}',
  created_at timestamptz not null default now(),
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

-- Numbers recipients (delivery.seq) and tracked links (link.no). Unique within the owner of a day, so it may start again.
create sequence message_seq as int cycle;
-- The recipients of a message; their states are in delivery.
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
