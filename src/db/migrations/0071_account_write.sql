-- How many calls have changed something, by account: counted in the transaction of each, so that a standby that has replayed the count has
-- replayed the change too (src/db/standby). In slots, so that calls of one account do not wait for each other's commit.
create table account_write (
  account_id int not null,
  slot smallint not null,
  writes bigint not null,
  primary key (account_id, slot)
) with (fillfactor = 50);
