-- Events that programs of the account report about contacts, with their data.

-- The names of events; a row of contact_event has the number.
create table event_name (
  account_id int not null references account(id) on delete cascade,
  no int generated always as identity,
  name text not null,
  primary key (account_id, no),
  unique (account_id, name)
);

-- By the month of the event, so that old ones go with their partition. Not tied to contact: a trigger deletes them with it, where
-- a key would look up each row that is inserted.
create table contact_event (
  account_id int not null,
  contact_id int not null,
  -- event_name.no
  name_no int not null,
  id bigint generated always as identity,
  -- When it happened, as the program reported it.
  at timestamptz not null,
  received_at timestamptz not null default now(),
  -- An amount of money or another number; null without one.
  value numeric(18, 6),
  -- The members as they came, at most 8 kB of JSON; null without any.
  data jsonb,
  -- Also the events of a contact, in order.
  primary key (account_id, contact_id, at, id)
) partition by range (at);
-- Who did something within some days: segments of a list of a million, with ten million events.
create index contact_event_by_name on contact_event (account_id, name_no, at) include (contact_id);
create table contact_event_default partition of contact_event default
  with (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);

-- The ids that programs gave events: one of a name counts once, in whatever month it happened. A digest of name and id.
create table event_id (
  -- Without a key to account, whose row each event would lock.
  account_id int not null,
  digest uuid not null,
  received_at timestamptz not null default now(),
  primary key (account_id, digest)
);
-- Those that are kept no longer, once a night. Rows are written in the order of time.
create index event_id_by_time on event_id using brin (received_at) with (pages_per_range = 32, autosummarize = on);

-- What an event brings into an automation: name, at, value and data. A copy, since the run may outlive the event.
alter table automation_signal add column event jsonb;
alter table automation_run add column event jsonb;

create function contact_event_goes() returns trigger language plpgsql as $$
begin
  if exists (select from event_name where account_id in (select account_id from gone)) then
    delete from contact_event e
    using gone
    where e.account_id = gone.account_id
      and e.contact_id = gone.id;
    update automation_run r
    set event = null
    from gone
    where r.account_id = gone.account_id
      and r.contact_id = gone.id
      and r.event is not null;
  end if;
  return null;
end
$$;

create trigger contact_event_goes after delete on contact
  referencing old table as gone
  for each statement execute function contact_event_goes();
