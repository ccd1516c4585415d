// The tasks that read bounce mailboxes: each one every minute, from where it was read last. A notice has its effects before its
// message is deleted, and none when it is read again, so a worker may die at any moment.
import type { App } from '../../base/context.ts';
import { sql } from '../../db/connect.ts';
import { jsonb } from '../../db/jsonb.ts';
import type { TaskContext } from '../../jobs/tasks.ts';
import { queueReading } from '../../relays/oauth/queue-reading.ts';
import { takeFromMailbox } from '../record/intake.ts';
import { mailboxOf, readMailbox } from './mailbox.ts';
import { type Mailbox, MailboxProblem, type Position } from './protocol.ts';

/** Messages read over one connection. */
const portionSize = 100;
/** Connections in one run: the next run continues. */
const maxPortions = 20;
/** No further connection is opened after this time. */
const runMs = 120_000;
/** Readings at the same time in one process: the other slots for jobs are for other tasks, however slow the servers are. */
const maxAtOnce = 2;
const waitMs = 3_000;

type Named = { account_id: number; mailbox_id: number };

export async function readBounceMailboxes({ app }: TaskContext): Promise<void> {
  const rows = await app.db.rows<{ account: number; id: number }>(sql`
    select m.account_id as account, m.id
    from bounce_mailbox m
    join account a on a.id = m.account_id and a.active`);
  for (const { account, id } of rows) await queueReading(app.db, account, id);
}

let readings = 0;

export async function readBounceMailbox(context: TaskContext, named: Named): Promise<void> {
  if (readings >= maxAtOnce) {
    await queueReading(context.app.db, named.account_id, named.mailbox_id, new Date(Date.now() + waitMs));
    return;
  }
  readings += 1;
  try {
    await readPortions(context, named);
  } finally {
    readings -= 1;
  }
}

async function readPortions({ app, log, signal }: TaskContext, named: Named): Promise<void> {
  const startedAt = performance.now();
  let max = portionSize;
  for (let portion = 0; portion < maxPortions && !signal.aborted; portion++) {
    const mailbox = await mailboxOf(app, named.account_id, named.mailbox_id);
    if (!mailbox) return;
    const counts = { messages: 0, matched: 0, unknown: 0 };
    const isLate = () => performance.now() - startedAt > runMs;
    try {
      const done = await readMailbox(app, mailbox, (raw) => take(app, mailbox, raw, counts), max);
      await record(app, mailbox, counts, done.problem, done.position);
      if (done.problem !== '')
        log.warn({ mailbox: mailbox.id, problem: done.problem }, 'a bounce mailbox was read in part');
      if (!done.more || isLate()) return;
      max = portionSize;
    } catch (error) {
      if (!(error instanceof MailboxProblem)) throw error;
      const { message: problem, detail, readBefore, position } = error;
      log.warn({ mailbox: mailbox.id, problem, ...(detail && { detail }) }, 'a bounce mailbox was not read');
      // The messages are read and counted again: those before the failure now, so that they are done.
      await record(app, mailbox, { messages: 0, matched: 0, unknown: 0 }, problem, position);
      if (readBefore === 0 || isLate()) return;
      max = readBefore;
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
