-- Templates, campaigns and what they are made of. What happens after the launch is in 0006_delivery.sql.

create sequence template_seq start 500000000;
create table template (
  account_id int not null references account on delete cascade,
  id int not null default public_id(nextval('template_seq')),
  name text not null,
  layout text not null check (layout in ('basic', 'left column', 'right column', 'postcard')),
  source text not null,
  -- A picture of the template; null until one is made.
  preview bytea,
  preview_type text not null default '',
  created_at timestamptz not null default now(),
  changed_at timestamptz not null default now(),
  primary key (account_id, id)
);

-- Rows of an email, kept in the visual editor under a name.
create table saved_block (
  account_id int not null references account on delete cascade,
  name text not null,
  html text not null,
  primary key (account_id, name)
);

-- status:  draft → scheduled → launching → sending → sent;  paused from launching or sending, and back;
--          scheduled → draft.  An autoresponder stays in sending while it is active. See docs/flows.md.
create sequence campaign_seq start 600000000;
create sequence campaign_web_seq;
create table campaign (
  account_id int not null references account on delete cascade,
  id int not null default public_id(nextval('campaign_seq')),
  -- A plain number, part of public archive addresses.
  web_id int not null default nextval('campaign_web_seq'),
  -- Also part of them: 128 random bits, so that an unsent campaign cannot be guessed.
  archive_key text not null unique default encode(uuid_send(gen_random_uuid()), 'hex'),
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
  month date not null generated always as (
    case
      when type = 'auto' then date '-infinity'
      else date_trunc('month', coalesce(send_at, created_at) at time zone 'UTC')::date
    end
  ) stored,
  primary key (account_id, id),
  check ((status = 'scheduled') <= (schedule_at is not null)),
  check ((status = 'paused') = (paused_from is not null)),
  check (not (time_match and best_hour))
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

-- Lists a campaign goes to.
create table campaign_list (
  account_id int not null,
  campaign_id int not null,
  list_id int not null,
  position int not null default 0,
  primary key (account_id, campaign_id, list_id),
  foreign key (account_id, campaign_id) references campaign on delete cascade
);
-- The campaigns of a list: shown with it, and changed when a field is renamed.
create index campaign_list_by_list on campaign_list (account_id, list_id);

-- Segments that narrow those lists.
create table campaign_segment (
  account_id int not null,
  campaign_id int not null,
  segment_id int not null,
  primary key (account_id, campaign_id, segment_id),
  foreign key (account_id, campaign_id) references campaign on delete cascade
);

-- Lists and segments whose members a campaign leaves out.
create table campaign_exclusion (
  account_id int not null,
  campaign_id int not null,
  kind text not null check (kind in ('list', 'segment')),
  target_id int not null,
  primary key (account_id, campaign_id, kind, target_id),
  foreign key (account_id, campaign_id) references campaign on delete cascade
);

-- The A/B test of a campaign: part of its recipients get one variant each, the others later the better one.
create table campaign_test (
  account_id int not null,
  campaign_id int not null,
  -- Percent of the recipients that the variants are divided among.
  share smallint not null check (share between 1 and 100),
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
  foreign key (account_id, campaign_id) references campaign on delete cascade,
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
  foreign key (account_id, campaign_id) references campaign on delete cascade
);
create unique index campaign_variant_by_language on campaign_variant (account_id, campaign_id, language) where language <> '';

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
  replaced_by text not null check (replaced_by in ('edit', 'template', 'import', 'restore')),
  kept_at timestamptz not null default now(),
  primary key (account_id, campaign_id, no),
  foreign key (account_id, campaign_id) references campaign on delete cascade
);

-- Pictures and fonts, named by their content and served at addresses that the HTML of campaigns refers to. Deleted when no
-- campaign, template or picture refers to them.
create table asset (
  account_id int not null references account on delete cascade,
  name text not null,
  content_type text not null,
  -- May contain script (SVG): served so that it cannot run.
  sandbox boolean not null,
  bytes bytea not null,
  primary key (account_id, name)
);
-- Pictures are compressed already. ALTER, because "create table" takes "storage" from PostgreSQL 16 on only.
alter table asset alter column bytes set storage external;

-- The assets a campaign refers to. Not tied to campaign: the task that cleans up after a deleted one reads it.
create table campaign_asset (
  account_id int not null,
  campaign_id int not null,
  name text not null,
  primary key (account_id, campaign_id, name),
  foreign key (account_id, name) references asset on delete cascade
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
  foreign key (account_id, name) references asset on delete cascade
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
  bytes bytea not null,
  primary key (account_id, campaign_id, cid)
);
-- As for asset.
alter table inline_image alter column bytes set storage external;

-- The content of files attached to campaigns, once per account: an issue or a copy has the same file.
create table attachment_content (
  account_id int not null references account(id) on delete cascade,
  -- SHA-256 of the bytes
  hash text not null,
  size int not null,
  bytes bytea not null,
  primary key (account_id, hash)
);
-- As for asset.
alter table attachment_content alter column bytes set storage external;

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
  account_id int not null references account on delete cascade,
  id bigint generated always as identity,
  recipients int not null,
  at timestamptz not null default now(),
  primary key (account_id, id)
);
