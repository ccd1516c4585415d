-- No sum of the accounting is ever below zero, and a recipient that several chunks name is marked by one of them.

-- The open ranges that recipients of a chunk are in; a campaign to a million has two thousand of them at its launch.
create index chunk_range on chunk (account_id, campaign_id, from_seq) where seqs is null and state <> 'done';

-- Recounts campaigns whose sums are wrong: the rows are the truth, with the recipients that a range marks.
lock table tally in share row exclusive mode;
create temporary table recounted on commit drop as
select c.account_id, c.id as campaign_id, count(d.seq)::int as recipients,
  count(*) filter (where d.state = 0 and not d.is_marked)::int as queued,
  count(*) filter (where d.state = 1 or (d.state = 0 and d.is_marked))::int as trying,
  count(*) filter (where d.state = 2)::int as accepted, count(*) filter (where d.state = 3)::int as later,
  count(*) filter (where d.state = 4)::int as failed, count(*) filter (where d.state = 5)::int as skipped,
  count(*) filter (where d.state = 6)::int as unclear, coalesce(sum(d.resent), 0)::int as resent
from (
  select account_id, campaign_id
  from tally
  group by account_id, campaign_id
  having least(sum(queued), sum(trying), sum(accepted), sum(later), sum(failed), sum(skipped), sum(unclear)) < 0
) t
join campaign c on c.account_id = t.account_id and c.id = t.campaign_id
-- The sums are all that is left of a campaign whose recipients were deleted.
join lateral (
  select seq, state, resent, coalesce((
    select range_agg(r)
    from chunk k, unnest(k.marked) as r
    where k.account_id = c.account_id and k.campaign_id = c.id and k.state = 'leased'
  ) @> seq, false) as is_marked
  from delivery
  where account_id = c.account_id and campaign_id = c.id and month = c.month
) d on true
group by c.account_id, c.id;
update tally t
set recipients = 0, queued = 0, trying = 0, accepted = 0, later = 0, failed = 0, skipped = 0, unclear = 0, resent = 0
from recounted r
where t.account_id = r.account_id and t.campaign_id = r.campaign_id;
insert into tally as t (account_id, campaign_id, shard, recipients, queued, trying, accepted, later, failed, skipped, unclear, resent)
select account_id, campaign_id, 0, recipients, queued, trying, accepted, later, failed, skipped, unclear, resent
from recounted
on conflict (account_id, campaign_id, shard) do update
set recipients = excluded.recipients, queued = excluded.queued, trying = excluded.trying, accepted = excluded.accepted,
  later = excluded.later, failed = excluded.failed, skipped = excluded.skipped, unclear = excluded.unclear, resent = excluded.resent;

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
