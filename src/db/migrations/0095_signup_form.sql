-- Hosted sign-up forms: a form for each list, the texts of a list, and what keeps strangers from bombing a mailbox.

-- The key stands in the form's address: nobody finds the form of a list that has not been published.
alter table list
  add column form_key text not null default replace(gen_random_uuid()::text, '-', ''),
  add column form jsonb not null default '{}';
create unique index list_by_form_key on list (form_key);

-- Texts of mails and pages that differ from those of the program. Language '' is every language without a text of its own.
create table list_text (
  account_id int not null,
  list_id int not null,
  name text not null,
  language text not null default '',
  value text not null,
  changed_at timestamptz not null default now(),
  primary key (account_id, list_id, name, language),
  foreign key (account_id, list_id) references list on delete cascade
);

-- One mailbox, however its address is spelled: without +tag, and without dots where the provider ignores them. The same
-- as mailboxOf in src/audience/address.ts.
create function mailbox_of(email_key text) returns text
language sql immutable parallel safe
return case
  when split_part(email_key, '@', 2) in ('gmail.com', 'googlemail.com')
    then replace(regexp_replace(split_part(email_key, '@', 1), '^([^+]+)[+].*$', '\1'), '.', '') || '@gmail.com'
  else regexp_replace(split_part(email_key, '@', 1), '^([^+]+)[+].*$', '\1') || '@' || split_part(email_key, '@', 2)
end;
-- For the look for a second spelling at sign-up, on lists of a million; other addresses are their own mailbox.
create index contact_by_mailbox on contact (account_id, mailbox_of(email_key))
  where domain in ('gmail.com', 'googlemail.com') or email_key like '%+%';

-- Each mail that asked a mailbox to confirm, in the whole installation: the mailbox as a keyed hash. Kept two days.
create table confirmation_asked (
  mailbox text not null,
  account_id int not null,
  list_id int not null,
  asked_at timestamptz not null default clock_timestamp()
);
create index confirmation_asked_by_mailbox on confirmation_asked (mailbox, asked_at);

-- How often a network has sent a public form, by hour. Kept a day.
create unlogged table signup_count (
  network text not null,
  hour timestamptz not null,
  count int not null,
  primary key (network, hour)
);
