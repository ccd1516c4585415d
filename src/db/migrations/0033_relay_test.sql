-- The last test of each relay, if it failed. It was in the table of the installation.
create table relay_test (
  -- The id of the relay; those of SMTP_URL have one too.
  relay text primary key,
  -- When it failed.
  at timestamptz not null,
  -- It may be a packed message.
  problem text not null
);

insert into relay_test (relay, at, problem)
select substr(key, length('failed relay test ') + 1), (value ->> 'at')::timestamptz, value ->> 'problem'
from installation
where starts_with(key, 'failed relay test ');

delete from installation where starts_with(key, 'failed relay test ');
