// messageCancel: a message that no recipient has or may have is not sent. The row of each recipient decides between this call and
// the worker that takes it (ledger/mark-group.ts): one of them changes its state first, and the other one sees that.
import { randomInt } from 'node:crypto';
import type { Context } from '../base/context.ts';
import { fault } from '../base/faults.ts';
import { monthOf } from '../campaigns/model/month.ts';
import { sql } from '../db/connect.ts';
import { type StateName, stateNames, states } from '../db/states.ts';
import { endMessages } from '../delivery/ledger/end-messages.ts';
import { moveTally } from '../delivery/ledger/tally.ts';
import { type MessageKeys, parseMessageId } from './info.ts';

type Recipient = { seq: number; state: number; reason: string | null; email: string };

const handedOver: readonly StateName[] = ['trying', 'accepted', 'unclear'];
const open: readonly StateName[] = ['queued', 'later'];
const reason = 'cancelled';

/** A message that is cancelled already stays so. @throws Fault MESSAGE_UNKNOWN, MESSAGE_STATE_CONFLICT */
export async function cancelMessage(context: Context, { id }: { id: string }): Promise<true> {
  const keys = parseMessageId(id);
  const via = keys && (await viaOf(context, keys));
  if (!via) throw fault('MESSAGE_UNKNOWN', 'message.unknown', { member: 'id', id: id.slice(0, 40) });
  if (via === 'system') throw fault('MESSAGE_UNKNOWN', 'message.of_program', { member: 'id' });
  const recipients = await lockRecipients(context, keys);
  const are = (names: readonly StateName[]) => recipients.filter(({ state }) => names.includes(stateNames[state]!));
  const [gone] = are(handedOver);
  if (gone)
    throw fault('MESSAGE_STATE_CONFLICT', 'message.handed_over', {
      member: 'id',
      email: gone.email,
      state: stateNames[gone.state]!,
    });
  const waiting = are(open);
  if (waiting.length > 0) await skip(context, keys, waiting);
  else if (!recipients.some((recipient) => recipient.reason === reason))
    throw fault('MESSAGE_STATE_CONFLICT', 'message.ended', { member: 'id' });
  return true;
}

async function viaOf({ tx, account, caller }: Context, { campaign, no }: MessageKeys): Promise<string | undefined> {
  const row = await tx.row<{ via: string }>(sql`
    select via
    from message
    where account_id = ${account.id}
      and campaign_id = ${campaign}
      and no = ${no}
      -- A test key has no effect on what is sent to people.
      and (test or not ${caller.kind === 'key' && caller.isTest === true})`);
  return row?.via;
}

function lockRecipients({ tx, account }: Context, { campaign, no }: MessageKeys): Promise<Recipient[]> {
  return tx.rows<Recipient>(sql`
    select seq, state, reason, email
    from delivery
    where account_id = ${account.id}
      and campaign_id = ${campaign}
      and month = ${monthOf({ account: account.id, campaign })}
      and seq = any (
        array(
          select seq
          from message_recipient
          where account_id = ${account.id}
            and campaign_id = ${campaign}
            and no = ${no}
        )
      )
    -- Two that cancel it lock in the same order.
    order by seq
    for no key update`);
}

/** Their chunk finds nothing to send when its time comes. */
async function skip({ tx, account, now }: Context, { campaign }: MessageKeys, waiting: Recipient[]): Promise<void> {
  const of = { account: account.id, campaign };
  const seqs = waiting.map(({ seq }) => seq);
  const queued = waiting.filter(({ state }) => state === states.queued).length;
  await tx.run(sql`
    with changed as (
      update delivery
      set state = ${states.skipped}::smallint, reason = ${reason}, done_at = now(), next_at = null
      where account_id = ${of.account}
        and campaign_id = ${campaign}
        and month = ${monthOf(of)}
        and seq = any (${seqs}::int[])
    )
    ${moveTally(
      of,
      randomInt(16),
      sql`
        select ${-queued}::int as queued, 0 as trying, 0 as accepted, ${queued - seqs.length}::int as later, 0 as failed,
          ${seqs.length}::int as skipped, 0 as unclear, 0 as resent`,
    )}`);
  await endMessages(tx, of, now, seqs);
}
