// The job that joins the values of a field of the account. A portion of contacts is one transaction with its place, so a job
// that dies resumes there. Contacts and subscriptions are locked first: writes in progress are waited for, later ones
// find a field of the account and go through.
import { type Sql, sql, type Tx } from '../../db/connect.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { Payload, TaskContext } from '../../jobs/tasks.ts';
import { changeOthers } from '../model/account-values.ts';
import { between, type JoinRule, judged } from './winners.ts';

/** Contacts of one transaction: those who write to one of them wait for it. */
const atOnce = 1_000;

export async function joinAccountField(
  { app, signal }: Pick<TaskContext, 'app' | 'signal'>,
  payload: Payload<'joinAccountField'>,
): Promise<void> {
  for (;;) {
    if (signal.aborted) return enqueue(app.db, 'joinAccountField', payload);
    if (!(await app.db.transaction((tx) => joinPortion(tx, payload.account_id, payload.tag)))) return;
  }
}

/** True when there is more to do. */
async function joinPortion(tx: Tx, accountId: number, tag: string): Promise<boolean> {
  const field = await tx.row<{ rule: 'newest' | 'list'; listId: number | null; after: number }>(sql`
    select rule, list_id as "listId", after_contact as after
    from account_field
    where account_id = ${accountId}
      and tag = ${tag}
      and state = 'joining'
    for no key update`);
  if (!field) return false;
  const portion = await tx.rows<{ id: number }>(sql`
    select id
    from contact
    where account_id = ${accountId}
      and id > ${field.after}
    order by id
    limit ${atOnce}
    for update`);
  const last = portion.at(-1)?.id;
  if (last === undefined) {
    await tx.run(sql`
      update account_field
      set state = 'joined', joined_at = now()
      where account_id = ${accountId}
        and tag = ${tag}`);
    return false;
  }
  const rule = { accountId, tag, rule: field.rule, listId: field.listId };
  const changed = await joinContacts(tx, rule, between(field.after, last));
  await tx.run(sql`
    update account_field
    set after_contact = ${last}, joined_contacts = joined_contacts + ${changed}
    where account_id = ${accountId}
      and tag = ${tag}`);
  return true;
}

/** Returns how many contacts had different values. */
async function joinContacts(tx: Tx, rule: JoinRule, which: Sql): Promise<number> {
  const { accountId, tag } = rule;
  await tx.run(sql`
    select
    from subscription s
    where s.account_id = ${accountId}
      and ${which}
    order by s.contact_id, s.list_id
    for no key update`);
  const { contacts } = await changeOthers(tx, {
    accountId,
    source: 'admin',
    detail: { joined: true },
    changes: sql`
      select contact_id, list_id, jsonb_build_object(${tag}::text, kept) as next, array[${tag}::text] as tags
      from (${judged(rule, which)}) j
      where value <> kept`,
  });
  return new Set(contacts).size;
}
