// The tasks that read bounce mailboxes: each one every minute, from where it was read last. A notice has its effects before its
// message is deleted, and none when it is read again, so a worker may die at any moment.
import type { App } from '../../base/context.ts';
import { sql } from '../../db/connect.ts';
import { jsonb } from '../../db/jsonb.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { TaskContext } from '../../jobs/tasks.ts';
import { takeFromMailbox } from '../bounces/intake.ts';
import { mailboxOf, readMailbox } from './mailbox.ts';
import { type Mailbox, MailboxProblem, type Position } from './protocol.ts';

/** Messages read over one connection. */
const portionSize = 100;
/** Connections in one run: the next run continues. */
const maxPortions = 20;

type Named = { account_id: number; mailbox_id: number };

export async function readBounceMailboxes({ app }: TaskContext): Promise<void> {
  const rows = await app.db.rows<{ account: number; id: number }>(sql`
    select m.account_id as account, m.id
    from bounce_mailbox m
    join account a on a.id = m.account_id and a.active`);
  for (const { account, id } of rows) await queueReading(app.db, account, id);
}

/** One reading of a mailbox at a time, over all workers. */
export async function queueReading(db: Parameters<typeof enqueue>[0], account: number, id: number): Promise<void> {
  const name = `mailbox ${account} ${id}`;
  await enqueue(db, 'readBounceMailbox', { account_id: account, mailbox_id: id }, { key: name, queue: name });
}

export async function readBounceMailbox({ app, log, signal }: TaskContext, named: Named): Promise<void> {
  for (let portion = 0; portion < maxPortions && !signal.aborted; portion++) {
    const mailbox = await mailboxOf(app, named.account_id, named.mailbox_id);
    if (!mailbox) return;
    const counts = { messages: 0, matched: 0, unknown: 0 };
    try {
      const { position, more } = await readMailbox(app, mailbox, (raw) => take(app, mailbox, raw, counts), portionSize);
      await record(app, mailbox, counts, '', position);
      if (!more) return;
    } catch (error) {
      if (!(error instanceof MailboxProblem)) throw error;
      log.warn({ mailbox: mailbox.id, problem: error.message }, 'a bounce mailbox was not read');
      // The messages are read and counted again.
      await record(app, mailbox, { messages: 0, matched: 0, unknown: 0 }, error.message);
      return;
    }
  }
}

type Counts = { messages: number; matched: number; unknown: number };

/** @returns whether the message is to be deleted */
async function take(app: App, { account, id, remove }: Mailbox, raw: Buffer, counts: Counts): Promise<boolean> {
  const taken = await takeFromMailbox(app, account, raw);
  app.log.debug({ mailbox: id, ...taken }, 'a message in a bounce mailbox');
  counts.messages += 1;
  if (taken.kind === 'refused') counts.unknown += 1;
  const isOver = taken.kind === 'nothing' ? taken.counted === true : taken.kind !== 'refused';
  if (isOver) counts.matched += 1;
  return isOver && remove;
}

/** Nothing about a mailbox that was changed while it was read: what was read is not of the present one. */
async function record(app: App, mailbox: Mailbox, counts: Counts, problem: string, position?: Position) {
  const { account, id, protocol, host, port, user, folder } = mailbox;
  await app.db.run(sql`
    update bounce_mailbox
    set read_at = now(),
      heard_at = case when ${counts.matched}::int > 0 then now() else heard_at end,
      messages = messages + ${counts.messages}::int,
      matched = matched + ${counts.matched}::int,
      unknown = unknown + ${counts.unknown}::int,
      problem = ${problem},
      position = coalesce(${position === undefined ? null : jsonb(position)}::jsonb, position)
    where account_id = ${account}
      and id = ${id}
      and (protocol, host, port, user_name, folder) = (${protocol}, ${host}, ${port}::int, ${user}, ${folder})`);
}
