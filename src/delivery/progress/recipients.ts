// The recipients of a campaign: one record each, with state, attempts, reply and times.

import { z } from 'zod';
import type { Context } from '../../base/context.ts';
import { type Sql, sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import type { CampaignKey } from '../../db/keys.ts';
import { type StateName, stateNames, states } from '../../db/states.ts';
import { formatDate } from '../../method/date.ts';
import { named } from '../../method/named.ts';
import { isMarked, shownState } from '../ledger/marked.ts';
import { needCampaign } from './campaign.ts';

export const recipientRecord = named(
  'CampaignRecipient',
  z.object({
    email: z.string(),
    list_id: z.string(),
    state: z.enum(stateNames),
    attempts: z.int(),
    resent: z.int().meta({ description: 'Copies sent again after an unclear outcome.' }),
    first_time: z.string(),
    next_time: z.string(),
    done_time: z.string(),
    reply_code: z.int(),
    reply: z.string(),
    reason: z.string(),
    occasion: z.string(),
  }),
);

/** @throws Fault CAMPAIGN_UNKNOWN */
export async function listRecipients(
  context: Context,
  { cid, filter, start, limit }: { cid: string; filter: 'all' | StateName | 'resent'; start: number; limit: number },
) {
  const { tx, account } = context;
  const campaign = await needCampaign(context, cid);
  const of = { account: account.id, campaign: campaign.id };
  const which =
    filter === 'all' ? sql`true` : filter === 'resent' ? sql`resent > 0` : isIn(states[filter as StateName], of);
  const counted = await tx.row<{ total: number }>(sql`
      select count(*)::int as total
      from delivery
      where account_id = ${account.id}
        and campaign_id = ${campaign.id}
        and month = ${campaign.month}
        and ${which}`);
  const rows = await tx.rows<RecipientRow>(sql`
      select ${recipientColumns(of)}
      from delivery
      where account_id = ${account.id}
        and campaign_id = ${campaign.id}
        and month = ${campaign.month}
        and ${which}
      order by seq
      limit ${limit}
      offset ${start * limit}`);
  return { total: counted!.total, data: rows.map(recordOf) };
}

export type RecipientRow = {
  seq: number;
  email: string;
  listId: number;
  state: number;
  attempts: number;
  resent: number;
  firstAt: Date | null;
  nextAt: Date | null;
  doneAt: Date | null;
  replyCode: number | null;
  reply: string | null;
  reason: string | null;
  occasion: string;
  /** What came back after it had been accepted. */
  returned: string | null;
};

/** A condition on delivery: the recipient is in this state. */
function isIn(state: number, of: CampaignKey): Sql {
  const marked = isMarked(sql`seq`, sql`state`, of);
  if (state === states.queued) return sql`state = ${state} and not ${marked}`;
  return state === states.trying ? sql`(state = ${state} or ${marked})` : sql`state = ${state}`;
}

export const recipientColumns = (of: CampaignKey): Sql => sql`
  seq, email, list_id as "listId", ${shownState(of)} as state,
  attempts + ${isMarked(sql`seq`, sql`state`, of)}::int as attempts, resent, first_at as "firstAt",
  case when state = ${states.queued} and due_at > now() then due_at else next_at end as "nextAt", done_at as "doneAt",
  reply_code as "replyCode", reply, reason, occasion,
  (
    select concat_ws(': ', n.class, nullif(n.reply, ''))
    from notice n
    where n.account_id = delivery.account_id
      and n.campaign_id = delivery.campaign_id
      and n.seq = delivery.seq
      and n.kind = 'bounce'
  ) as returned`;

export const nameOf = (state: number): StateName => stateNames.find((name) => states[name] === state)!;

export function recordOf(row: RecipientRow) {
  return {
    email: row.email,
    list_id: formatId(row.listId),
    state: nameOf(row.state),
    attempts: row.attempts,
    resent: row.resent,
    first_time: formatDate(row.firstAt),
    next_time: formatDate(row.nextAt),
    done_time: formatDate(row.doneAt),
    reply_code: row.replyCode ?? 0,
    reply: row.reply ?? '',
    reason: row.reason ?? '',
    occasion: row.occasion,
  };
}
