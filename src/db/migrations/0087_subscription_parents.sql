-- Lists of millions are filled with statements of thousands of rows. A foreign key looks its parents up row by row, which
-- was a third of what a row cost; these triggers keep the same rule with one statement for all rows: who is subscribed
-- exists and stays until the transaction ends, and with a contact or a list its subscriptions go. An import, which has
-- locked the parents of its batch itself, says so by postrider.parents_held.

alter table subscription
  drop constraint subscription_account_id_list_id_fkey,
  drop constraint subscription_account_id_contact_id_fkey;

create function subscription_needs_parents() returns trigger language plpgsql as $$
declare
  missing record;
begin
  -- By their indexes, however many rows come at once: a transition table has no statistics.
  perform
  from list l
  where (l.account_id, l.id) in (select distinct account_id, list_id from written)
  for key share;
  select distinct w.account_id, w.list_id
  into missing
  from written w
  where not exists (select from list l where l.account_id = w.account_id and l.id = w.list_id)
  limit 1;
  if found then
    raise foreign_key_violation using message = format('there is no list %s', missing.list_id);
  end if;
  perform
  from written w
  join contact c on c.account_id = w.account_id and c.id = w.contact_id
  for key share of c;
  select w.contact_id
  into missing
  from written w
  where not exists (select from contact c where c.account_id = w.account_id and c.id = w.contact_id)
  limit 1;
  if found then
    raise foreign_key_violation using message = format('there is no contact %s', missing.contact_id);
  end if;
  return null;
end
$$;
create trigger subscription_needs_parents after insert on subscription
  referencing new table as written
  for each statement
  when (current_setting('postrider.parents_held', true) is distinct from 'yes')
  execute function subscription_needs_parents();

create function subscription_goes_with_contact() returns trigger language plpgsql as $$
begin
  delete from subscription s
  using gone
  where s.account_id = gone.account_id
    and s.contact_id = gone.id;
  return null;
end
$$;
create trigger subscription_goes_with_contact after delete on contact
  referencing old table as gone
  for each statement execute function subscription_goes_with_contact();

create function subscription_goes_with_list() returns trigger language plpgsql as $$
begin
  delete from subscription s
  using gone
  where s.account_id = gone.account_id
    and s.list_id = gone.id;
  return null;
end
$$;
create trigger subscription_goes_with_list after delete on list
  referencing old table as gone
  for each statement execute function subscription_goes_with_list();

-- The same for what an import changed.
alter table import_change drop constraint import_change_account_id_import_id_fkey;

create function import_change_goes_with_import() returns trigger language plpgsql as $$
begin
  delete from import_change h
  using gone
  where h.account_id = gone.account_id
    and h.import_id = gone.id;
  return null;
end
$$;
create trigger import_change_goes_with_import after delete on import
  referencing old table as gone
  for each statement execute function import_change_goes_with_import();
