-- last_seq: numbers of rows given so far, those taken away again included. zones: of the account and the lists, as the
-- planning last went by them; '' before it first did.
alter table occasion_plan
  add column last_seq int not null default 0,
  add column zones text not null default '';
-- Contacts whose own facts changed (their time zone) since the last look, among a million.
create index contact_by_change on contact (account_id, changed_at);
