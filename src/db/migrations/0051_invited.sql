-- People who were invited and have not set a password yet; they cannot sign in.
alter table app_user add column invited boolean not null default false;

-- The audit log of an account is read from its end, and by person or method.
create index audit_entry_by_user on audit_entry (account_id, user_id, id);
create index audit_entry_by_method on audit_entry (account_id, lower(method), id);
