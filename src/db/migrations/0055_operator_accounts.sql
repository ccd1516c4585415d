-- What the operator decides about an account besides its plan: emails a month (null without a limit), emails a second besides the
-- account's own setting (null without one), and when it is erased (null: never; -infinity: it is being erased).
alter table account add column monthly_quota int check (monthly_quota > 0);
alter table account add column max_rate double precision check (max_rate > 0);
alter table account add column delete_at timestamptz;
-- The month and the share of the quota of the last notice to its owner.
alter table account add column quota_noticed_month date;
alter table account add column quota_noticed_percent smallint not null default 0;

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

-- When the first of the recipients that the row marks was marked.
alter table chunk add column marked_at timestamptz;
