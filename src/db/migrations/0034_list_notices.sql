-- Notices of a list to its owner, and the sentence of its footer.

alter table list
  -- Who is notified, separated by commas; '' for the main address of the account.
  add column notify_to text not null default '',
  add column subscription_notify boolean not null default false,
  add column unsubscription_notify boolean not null default false,
  -- Why a contact gets its emails, in place of the sentence of the program.
  add column permission_reminder text not null default '',
  -- When the last notice was sent.
  add column notified_at timestamptz;

-- Who has subscribed or left since the last notice of a list. It goes with the contact.
create table list_notice (
  account_id int not null,
  list_id int not null,
  kind text not null check (kind in ('subscribe', 'unsubscribe')),
  contact_id int not null,
  at timestamptz not null default now(),
  primary key (account_id, list_id, kind, contact_id),
  foreign key (account_id, list_id) references list(account_id, id) on delete cascade,
  foreign key (account_id, contact_id) references contact(account_id, id) on delete cascade
);
-- A contact is deleted.
create index list_notice_by_contact on list_notice (account_id, contact_id);
