-- Automations: what they do, who is in them, and on which step. See docs/flows.md, "Automation".

-- status:  draft → active ⇄ paused.
create sequence automation_seq start 860000000;
create table automation (
  account_id int not null references account on delete cascade,
  id int not null default public_id(nextval('automation_seq')),
  title text not null,
  -- Its contacts are the subscribed members of this list.
  list_id int not null,
  status text not null default 'draft' check (status in ('draft', 'active', 'paused')),
  -- Why it was paused by the program; '' otherwise.
  status_reason text not null default '',
  -- Trigger, re-entry, goal and steps as they are being edited: src/automations/definition.ts.
  definition jsonb not null,
  -- The version that new contacts enter; 0 before the first start.
  version int not null default 0,
  -- What lets contacts enter, of the version in force, for the triggers below: the type; the field and the value it gets, ''
  -- for any; whether contacts of imports count.
  trigger_type text not null default '',
  trigger_field text not null default '',
  trigger_value text not null default '',
  trigger_imports boolean not null default false,
  -- Triggers that are looked up (segment, clicked, date): when next; what is due before scanned_to has been found; the last
  -- contact of a look in progress, and until when it looks. Null in scanned_to before the first look.
  scan_at timestamptz not null default now(),
  scanned_to timestamptz,
  scan_to timestamptz,
  scan_after int,
  created_at timestamptz not null default now(),
  changed_at timestamptz not null default now(),
  started_at timestamptz,
  primary key (account_id, id),
  foreign key (account_id, list_id) references list on delete cascade,
  check ((status = 'draft') = (version = 0))
);
-- What the triggers of subscription look for at each change: a handful of rows.
create index automation_of_list on automation (account_id, list_id) where status <> 'draft';
-- Active automations whose trigger is looked up next.
create index automation_scan on automation (scan_at)
  where status = 'active' and trigger_type in ('segment', 'clicked', 'date');

-- What an automation did from a start on. Contacts finish on the version that they entered, unless they are moved.
create table automation_version (
  account_id int not null,
  automation_id int not null,
  no int not null,
  definition jsonb not null,
  made_at timestamptz not null default now(),
  primary key (account_id, automation_id, no),
  foreign key (account_id, automation_id) references automation on delete cascade
);

-- A contact's way through an automation: on exactly one step at any time. A move and its effect are one transaction.
create sequence automation_run_seq;
create table automation_run (
  account_id int not null,
  automation_id int not null,
  no bigint not null default nextval('automation_run_seq'),
  contact_id int not null,
  version int not null,
  -- The key of the step that it is on; of an ended run, the step that it ended on.
  step text not null,
  -- What let it in: the day of a date, '' otherwise.
  occasion text not null default '',
  entered_at timestamptz not null,
  -- When it arrived on the step, and when the step is carried out: the end of a wait.
  step_at timestamptz not null,
  due_at timestamptz not null,
  ended_at timestamptz,
  -- completed: after the last step; unsubscribed or deleted: no member of the list any more; goal; removed: by a call.
  outcome text check (outcome in ('completed', 'unsubscribed', 'deleted', 'goal', 'removed')),
  -- The steps before this one: {"step": …, "at": …}, oldest first.
  trail jsonb not null default '[]',
  primary key (account_id, automation_id, no),
  foreign key (account_id, automation_id) references automation on delete cascade,
  check ((ended_at is null) = (outcome is null))
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
-- A contact is in an automation once at a time.
create unique index automation_run_inside on automation_run (account_id, automation_id, contact_id) where ended_at is null;
-- Whether and when a contact was in it before, and what a contact went through.
create index automation_run_by_contact on automation_run (account_id, contact_id, automation_id, entered_at);
-- What is due first in an automation, among all who wait.
create index automation_run_due on automation_run (account_id, automation_id, due_at) where ended_at is null;
-- Those on a step that are due, and the pages of a step.
create index automation_run_on_step on automation_run (account_id, automation_id, step, due_at) where ended_at is null;

-- The accounting of each step, and of the whole ('' in step), moved in the transaction that moves the runs. Steps of several
-- versions that have the same key count together.
create table automation_tally (
  account_id int not null,
  automation_id int not null,
  step text not null,
  entered int not null default 0,
  waiting int not null default 0,
  passed int not null default 0,
  -- Left on this step, by the outcome of the run.
  unsubscribed int not null default 0,
  deleted int not null default 0,
  goal int not null default 0,
  removed int not null default 0,
  primary key (account_id, automation_id, step),
  foreign key (account_id, automation_id) references automation on delete cascade,
  check (entered = waiting + passed + unsubscribed + deleted + goal + removed)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);

-- What happened to a contact and concerns an automation, written in the transaction of its cause and taken in order.
create table automation_signal (
  account_id int not null,
  automation_id int not null,
  id bigint generated always as identity,
  contact_id int not null,
  -- enter: the trigger; leave: no member of the list any more, or its goal (outcome).
  kind text not null check (kind in ('enter', 'leave')),
  outcome text check (outcome in ('unsubscribed', 'deleted', 'goal')),
  -- The day of a date that let it in; the name of the event that is a goal.
  occasion text not null default '',
  at timestamptz not null default now(),
  primary key (account_id, automation_id, id),
  foreign key (account_id, automation_id) references automation on delete cascade,
  check ((kind = 'leave') = (outcome is not null))
) with (autovacuum_vacuum_scale_factor = 0.02);

-- The URL of the trigger webhook: only a hash of its token is kept, and its last characters. A table of its own, so that requests
-- do not wait for the row of the automation.
create table automation_webhook (
  account_id int not null,
  automation_id int not null,
  token_hash bytea not null unique check (length(token_hash) = 32),
  hint text not null,
  -- The last request, and what became of it; '' before the first.
  last_at timestamptz,
  last_result text not null default ''
    check (last_result in ('', 'entered', 'not_active', 'not_subscribed', 'no_address', 'unreadable')),
  primary key (account_id, automation_id),
  foreign key (account_id, automation_id) references automation on delete cascade
) with (fillfactor = 50);

-- Who was in the segment of a trigger at the last look: the difference joined or left it.
create table automation_member (
  account_id int not null,
  automation_id int not null,
  contact_id int not null,
  primary key (account_id, automation_id, contact_id),
  foreign key (account_id, automation_id) references automation on delete cascade
);

-- Signals of subscriptions that appear; subscribing and importing need not know of automations.
create function automation_sees_new() returns trigger language plpgsql as $$
begin
  if not exists (select from automation where status <> 'draft') then
    return null;
  end if;
  insert into automation_signal (account_id, automation_id, contact_id, kind)
  select c.account_id, a.id, c.contact_id, 'enter'
  from automation a
  join changed c on c.account_id = a.account_id and c.list_id = a.list_id
  where a.status = 'active'
    and a.trigger_type = 'subscribed'
    and c.status = 'subscribed'
    and (a.trigger_imports or c.import_id is null);
  return null;
end
$$;
create trigger automation_sees_new after insert on subscription
  referencing new table as changed
  for each statement execute function automation_sees_new();

-- Signals of subscriptions that change. A signal to leave concerns only a contact that is inside.
create function automation_sees_change() returns trigger language plpgsql as $$
begin
  if not exists (select from automation where status <> 'draft') then
    return null;
  end if;
  insert into automation_signal (account_id, automation_id, contact_id, kind, outcome)
  select n.account_id, a.id, n.contact_id,
    case when n.status = 'subscribed' then 'enter' else 'leave' end,
    case when n.status = 'subscribed' then null else 'unsubscribed' end
  from automation a
  join changed n on n.account_id = a.account_id and n.list_id = a.list_id
  join before o on o.account_id = n.account_id and o.list_id = n.list_id and o.contact_id = n.contact_id
  where a.status <> 'draft'
    and case
      when n.status <> 'subscribed' then o.status = 'subscribed'
        and exists (
          select
          from automation_run r
          where r.account_id = a.account_id
            and r.automation_id = a.id
            and r.contact_id = n.contact_id
            and r.ended_at is null
        )
      when a.status <> 'active' then false
      when a.trigger_type = 'subscribed' then o.status <> 'subscribed'
        and (a.trigger_imports or n.import_id is null or n.import_id is not distinct from o.import_id)
      when a.trigger_type = 'confirmed' then o.status = 'pending'
      when a.trigger_type = 'field' then o.status = 'subscribed'
        and coalesce(n.fields ->> a.trigger_field, '') <> coalesce(o.fields ->> a.trigger_field, '')
        and (a.trigger_value = '' or n.fields ->> a.trigger_field = a.trigger_value)
      else false
    end;
  return null;
end
$$;
create trigger automation_sees_change after update on subscription
  referencing old table as before new table as changed
  for each statement execute function automation_sees_change();

-- Signals of subscriptions that are deleted, with their contact or without.
create function automation_sees_gone() returns trigger language plpgsql as $$
begin
  insert into automation_signal (account_id, automation_id, contact_id, kind, outcome)
  select g.account_id, a.id, g.contact_id, 'leave', 'deleted'
  from automation a
  join gone g on g.account_id = a.account_id and g.list_id = a.list_id
  join automation_run r
    on r.account_id = a.account_id
    and r.automation_id = a.id
    and r.contact_id = g.contact_id
    and r.ended_at is null
  where a.status <> 'draft';
  return null;
end
$$;
create trigger automation_sees_gone after delete on subscription
  referencing old table as gone
  for each statement execute function automation_sees_gone();
