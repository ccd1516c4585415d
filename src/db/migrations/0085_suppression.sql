-- Erased people stay suppressed by a hash: the address itself stands nowhere any more. The salt is an account's own, so
-- that a hash says nothing outside it.
alter table account add column erasure_salt text not null default encode(uuid_send(gen_random_uuid()), 'hex');
alter table suppression drop constraint suppression_kind_check;
alter table suppression add constraint suppression_kind_check check (kind in ('address', 'domain', 'hash'));
-- The pages of suppressedListMembers, newest first.
create index suppression_by_age on suppression (account_id, created_at desc);
