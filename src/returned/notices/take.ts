// Acts on the notices that services have sent: a portion in one transaction, with the effects of returned mail. Notices whose
// message is not found wait a little, because the relay's reply may not be written yet; then they are counted as unknown.
import { onBehalf } from '../../accounts/account/system-context.ts';
import type { Context } from '../../base/context.ts';
import { sql } from '../../db/connect.ts';
import { cut } from '../../db/jsonb.ts';
import { states } from '../../db/states.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { TaskContext } from '../../jobs/tasks.ts';
import type { BounceClass } from '../../relays/verdict/rules.ts';
import { replyCodeOf } from '../parse/class.ts';
import type { ServiceNotice } from '../parse/notice.ts';
import { type Match, matchNotices } from '../record/match.ts';
import {
  isComplaint,
  type RecordedBounce,
  recordBounces,
  recordComplaint,
  recordUnsubscribe,
} from '../record/record.ts';

const portionSize = 500;
/** A group's outcomes are written within seconds; after a crash, within a minute. */
const waitSeconds = 90;
const retrySeconds = 15;

type Waiting = { id: number; source: number; notice: ServiceNotice; old: boolean };

/** The task: takes all notices of an account that are due. */
export async function takeNotices({ app, signal }: TaskContext, { account_id }: { account_id: number }): Promise<void> {
  while (!signal.aborted) {
    const taken = await onBehalf(app, account_id, '', takePortion);
    if (taken === undefined || taken < portionSize) break;
  }
  // Also what was not taken because the worker stops.
  const left = await app.db.row<{ at: Date | null }>(sql`
    select min(due_at) as at from incoming_notice where account_id = ${account_id}`);
  if (left?.at)
    await enqueue(
      app.db,
      'takeNotices',
      { account_id },
      {
        key: `notices ${account_id}`,
        queue: `notices ${account_id}`,
        runAt: left.at,
      },
    );
}

/** @returns how many notices it looked at */
async function takePortion(context: Context): Promise<number> {
  const { tx, account, app } = context;
  const waiting = await tx.rows<Waiting>(sql`
    select id, source_id as source, notice, received_at < now() - make_interval(secs => ${waitSeconds}::int) as old
    from incoming_notice
    where account_id = ${account.id}
      and due_at <= now()
    order by id
    limit ${portionSize}
    for update skip locked`);
  if (waiting.length === 0) return 0;
  const notices = waiting.map((row) => row.notice);
  const matches = await matchNotices(app, tx, account.id, notices);
  await apply(context, notices, matches);
  const isOver = (index: number) =>
    matches[index]!.kind !== 'none' || waiting[index]!.old || !mayAppear(notices[index]!);
  const over = waiting.filter((_, index) => isOver(index));
  await tx.run(sql`
    delete from incoming_notice
    where account_id = ${account.id}
      and id = any (${over.map((row) => row.id)}::bigint[])`);
  await tx.run(sql`
    update incoming_notice
    set due_at = now() + make_interval(secs => ${retrySeconds}::int)
    where account_id = ${account.id}
      and id = any (${waiting.filter((_, index) => !isOver(index)).map((row) => row.id)}::bigint[])`);
  for (const [source, rows] of Map.groupBy(
    waiting.map((row, index) => ({ ...row, index })),
    (row) => row.source,
  )) {
    const matched = rows.filter((row) => matches[row.index]!.kind !== 'none').length;
    const unknown = rows.filter((row) => matches[row.index]!.kind === 'none' && isOver(row.index));
    const last = unknown.at(-1)?.notice;
    await tx.run(sql`
      update notice_source
      set matched = matched + ${matched}::int, unknown = unknown + ${unknown.length}::int,
        last_unknown = coalesce(${last ? cut(last.messageId || last.serviceId || last.token, 200) : null}, last_unknown)
      where account_id = ${account.id}
        and id = ${source}`);
  }
  return waiting.length;
}

/** A token or a Message-ID names a row that exists before its message is sent. */
const mayAppear = (notice: ServiceNotice) => notice.serviceId !== '';

async function apply(context: Context, notices: readonly ServiceNotice[], matches: readonly Match[]): Promise<void> {
  const bounces: RecordedBounce[] = [];
  for (const [index, match] of matches.entries()) {
    const notice = notices[index]!;
    if (match.kind !== 'recipient') continue;
    const { ids, mail } = match;
    if (notice.kind === 'complaint') {
      if (isComplaint(notice.class)) await recordComplaint(context, ids, mail, notice.class, '');
      else if (notice.class.startsWith('opt-out')) await recordUnsubscribe(context, ids, mail, '');
    } else if (notice.kind === 'unsubscribe') await recordUnsubscribe(context, ids, mail, '');
    // A message that the relay refused is counted already.
    else if (mail.state !== states.failed)
      bounces.push({
        ids,
        mail,
        class: notice.class as BounceClass,
        code: notice.code || replyCodeOf(notice.reply),
        reply: notice.reply,
      });
  }
  await recordBounces(context, bounces);
}
