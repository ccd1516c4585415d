-- As before, but a long job of one account gets an error from what it keeps its progress in: it would repeat its next portion without end.
create or replace function account_move_guard() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(7315, tg_argv[0]::int);
  if exists (select from account_move where account = tg_argv[0]::int and not writes)
    and tg_argv[0] <> all (string_to_array(coalesce(current_setting('postrider.moves', true), ''), ','))
  then
    if starts_with(current_setting('application_name'), 'postrider work')
      and tg_table_name not in ('freezing', 'import', 'source_migration')
    then
      return null;
    end if;
    raise exception 'account % is moving to another installation', tg_argv[0] using errcode = 'PM001';
  end if;
  if tg_op = 'DELETE' then return old; end if;
  return new;
end;
$$;
