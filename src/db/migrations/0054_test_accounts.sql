-- The account that this one is the test account of: what it sends stays in the built-in inbox. Never changes.
alter table account add column test_of int references account(id) on delete cascade;
create unique index account_tests on account (test_of) where test_of is not null;

-- Of a test: its campaign and the number of its recipient, so that a copy after a crash is not kept twice.
alter table inbox_message add column recipient text;
create unique index inbox_once on inbox_message (account_id, recipient) where recipient is not null;
