-- A recipient whose outcome was never heard of and who was dropped was not refused by anybody.
create or replace view refusal as
  select account_id, campaign_id, seq, email, coalesce(reason, 'generic') as class, coalesce(reply_code, 0)::int as code,
    coalesce(reply, '') as reply, done_at as at
  from delivery
  where state = 4
    and reason is distinct from 'unclear'
  union all
  select account_id, campaign_id, seq, email, class, code, reply, at
  from notice
  where kind = 'bounce';
