-- What came back for mails that a relay had accepted: notices of non-delivery and complaints. The recipient's own row
-- keeps its outcome (it was accepted); one notice of a kind counts for a mail, however often it comes.
create table notice (
  account_id int not null,
  campaign_id int not null,
  seq int not null,
  kind text not null check (kind in ('bounce', 'complaint')),
  contact_id int not null,
  list_id int not null,
  email text not null,
  -- hard, soft, blocked, temporary, generic; for a complaint the type of feedback.
  class text not null,
  code int not null default 0,
  reply text not null default '',
  at timestamptz not null default now(),
  primary key (account_id, campaign_id, seq, kind)
);
-- The soft bounces of a contact over some weeks, counted at each further one.
create index notice_soft on notice (account_id, contact_id, at) where kind = 'bounce' and class = 'soft';

-- Whom a campaign did not reach: refused when it was given to the relay, or told afterwards.
create view refusal as
  select account_id, campaign_id, seq, email, coalesce(reason, 'generic') as class, coalesce(reply_code, 0)::int as code,
    coalesce(reply, '') as reply, done_at as at
  from delivery
  where state = 4
  union all
  select account_id, campaign_id, seq, email, class, code, reply, at
  from notice
  where kind = 'bounce';
