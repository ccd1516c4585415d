-- How many members each list has in each state, and how many joined, went and unsubscribed in each month: counted when
-- members change, for lists of millions are shown on every other screen. Every statement that changes subscriptions adds
-- rows with what it changed and touches no row of others, so none waits for another; the sum of the rows is the count at
-- every moment. Rows of the same fact are put together from time to time (task foldMemberTally).

create table member_tally (
  account_id int not null,
  list_id int not null,
  -- A state, or 'joined' (confirmed), 'gone' (of those confirmed; by the moment of the state) or 'left' (unsubscribed).
  fact text not null,
  -- The first day of the month, UTC; of a state always '-infinity'.
  month date not null,
  count int not null
);
create index member_tally_of_list on member_tally (account_id, list_id, fact, month);

-- Days first, which are plain arithmetic; the calendar is asked for days, not for every member.
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

create function member_facts(status text, joined timestamptz, gone timestamptz, unsubscribed timestamptz)
returns table (fact text, month date) language sql stable as $$
  select f.fact, date_trunc('month', f.day at time zone 'UTC')::date
  from (
    values (status, '-infinity'::timestamptz), ('joined', joined), ('gone', gone), ('left', unsubscribed)
  ) f (fact, day)
  where f.day is not null
$$;

create trigger subscription_tallied_in after insert on subscription
  referencing new table as changed
  for each statement execute function tally_members();
create trigger subscription_tallied_out after delete on subscription
  referencing old table as changed
  for each statement execute function tally_members();
create trigger subscription_tallied_again after update on subscription
  referencing old table as before new table as changed
  for each statement execute function tally_members();

-- Those who are there already; nobody else writes before this commits, since the triggers were made.
insert into member_tally (account_id, list_id, fact, month, count)
select d.account_id, d.list_id, f.fact, f.month, sum(d.count)
from (
  select account_id, list_id, status, date_bin('1 day', confirm_at, '2000-01-01Z') as joined,
    case
      when status in ('unsubscribed', 'bounced', 'inactive') and confirm_at is not null
      then date_bin('1 day', status_at, '2000-01-01Z')
    end as gone,
    date_bin('1 day', unsubscribe_at, '2000-01-01Z') as unsubscribed, count(*) as count
  from subscription
  group by 1, 2, 3, 4, 5, 6
) d
cross join lateral member_facts(d.status, d.joined, d.gone, d.unsubscribed) f
group by 1, 2, 3, 4;
