-- Whom delivered messages were sent to, after the contact or the campaign was deleted.

-- Contacts that were deleted. A delivered message names its contact by number, in links that work permanently; a contact that
-- is added again has another number, and is found by the address. Written by a trigger, however a contact is deleted.
create table former_contact (
  account_id int not null,
  id int not null,
  -- In normal form; null when the address was erased.
  email_key text,
  -- Of an erased address, as in suppression.
  hash text,
  -- What the contact had chosen, for when its address is added again. Only the newest row of an address has it.
  untracked boolean not null default false,
  paused_until timestamptz,
  gone_at timestamptz not null default now(),
  primary key (account_id, id),
  check ((email_key is null) <> (hash is null))
);
-- Erasing an address; all numbers that an address has had.
create index former_contact_by_address on former_contact (account_id, email_key) where email_key is not null;
-- Contacts that are added again, among a million that are new: a handful.
create index former_contact_wishes on former_contact (account_id, email_key)
  where email_key is not null and (untracked or paused_until is not null);

create function contact_is_remembered() returns trigger language plpgsql as $$
begin
  update former_contact f
  set untracked = false, paused_until = null
  from gone
  where f.account_id = gone.account_id
    and f.email_key = gone.email_key
    and f.email_key is not null
    and (f.untracked or f.paused_until is not null);
  insert into former_contact (account_id, id, email_key, untracked, paused_until)
  select account_id, id, email_key, untracked, case when paused_until > now() then paused_until end
  from gone
  on conflict (account_id, id) do update
  set email_key = excluded.email_key, hash = null, untracked = excluded.untracked, paused_until = excluded.paused_until,
    gone_at = now();
  return null;
end
$$;
create trigger contact_is_remembered after delete on contact
  referencing old table as gone
  for each statement execute function contact_is_remembered();

-- An address that is added again is not tracked, or gets no campaigns, if that was so when it was deleted.
create function contact_keeps_its_wishes() returns trigger language plpgsql as $$
begin
  -- Most accounts have no such address: an import then costs nothing more.
  if not exists (
    select
    from (select distinct account_id from arrived) a
    join former_contact f on f.account_id = a.account_id
    where f.email_key is not null
      and (f.untracked or f.paused_until is not null)
  ) then
    return null;
  end if;
  with wish as (
    select n.account_id, n.id, f.untracked, case when f.paused_until > now() then f.paused_until end as paused_until
    from former_contact f
    join arrived n on n.account_id = f.account_id and n.email_key = f.email_key
    where f.email_key is not null
      and (f.untracked or f.paused_until is not null)
  ), changed as (
    update contact c
    set untracked = w.untracked, paused_until = w.paused_until
    from wish w
    where c.account_id = w.account_id
      and c.id = w.id
  )
  insert into consent (account_id, contact_id, kind, source, detail)
  select account_id, id, 'untrack', 'subscriber', '{"restored": true}'::jsonb
  from wish
  where untracked
  union all
  select account_id, id, 'pause', 'subscriber',
    jsonb_build_object('restored', true, 'until', to_char(paused_until at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS'))
  from wish
  where paused_until is not null;
  return null;
end
$$;
create trigger contact_keeps_its_wishes after insert on contact
  referencing new table as arrived
  for each statement execute function contact_keeps_its_wishes();

-- Recipients of deleted campaigns: what comes back for a message, and its personal links, are still about them. Those that
-- no message was sent to are not kept.
create table former_recipient (
  account_id int not null,
  campaign_id int not null,
  -- All as in delivery.
  seq int not null,
  contact_id int not null,
  list_id int not null,
  email text not null,
  state smallint not null,
  reply text,
  first_at timestamptz,
  -- When the campaign was deleted, for accounts that keep recipients a number of days.
  gone_at timestamptz not null default now(),
  primary key (account_id, campaign_id, seq)
);
-- Erasing a contact; the messages of a contact, for a notice that names it.
create index former_recipient_by_contact on former_recipient (account_id, contact_id);
