// What is erased of a contact: the contents of single messages to it, and its address in their log. Their numbers stay. A content that
// others have yet to get stays until they have it, without the address of the contact in its head.
import { type ErasurePart, erasedDomain } from '../base/erasure.ts';
import { type Queries, type Sql, sql, type Tx } from '../db/connect.ts';
import { states } from '../db/states.ts';
import { eraseRecipients } from '../delivery/erase.ts';
import { eraseNotices } from '../returned/erase.ts';
import { eraseHits } from '../tracking/erase.ts';
import { withoutRecipients } from './submitted/without-recipients.ts';

export const messageErasure: ErasurePart = {
  /** Messages made since the erasure stay: the person has come back. */
  async rows(tx, { account, addresses, placeholder }, late) {
    if (late && late.erasedAt === undefined) return;
    const found = await tx.rows(sql`
      select account_id, campaign_id, seq, no
      from message_recipient
      where account_id = ${account}
        and email_key = any (${addresses}::text[])
        and ${late ? sql`created_at <= ${late.erasedAt}::timestamptz` : sql`true`}
      order by campaign_id, seq`);
    if (found.length === 0) return;
    const rows = sql`(
      select *
      from jsonb_to_recordset(${JSON.stringify(found)}::jsonb) as f(account_id int, campaign_id int, seq int, no int)
    )`;
    await eraseHits(tx, rows);
    await eraseNotices(tx, rows, placeholder);
    await eraseRecipients(tx, rows, placeholder);
    await tx.run(sql`
      update message_recipient m
      set email_key = ${placeholder}
      from ${rows} r
      where m.account_id = r.account_id and m.campaign_id = r.campaign_id and m.seq = r.seq`);
    await tx.run(sql`
      update message m
      set subject = '', content = null
      from ${rows} r
      where m.account_id = r.account_id and m.campaign_id = r.campaign_id and m.no = r.no and not ${isWaitedFor}`);
    await eraseFromHeads(tx, rows, addresses);
  },
};

/** SQL: whether a recipient of message m who is not erased may yet be sent it. */
const isWaitedFor: Sql = sql`exists (
  select
  from message_recipient other
  join campaign owner on owner.account_id = other.account_id and owner.id = other.campaign_id
  join delivery d
    on d.account_id = other.account_id
    and d.campaign_id = other.campaign_id
    and d.month = owner.month
    and d.seq = other.seq
  where other.account_id = m.account_id
    and other.campaign_id = m.campaign_id
    and other.no = m.no
    and other.email_key not like ${`%@${erasedDomain}`}
    and d.state in (${states.queued}, ${states.trying}, ${states.later}, ${states.unclear})
)`;

/** Deletes the contents of messages to erased contacts that no other recipient waits for any more. */
export async function eraseSharedContents(db: Queries): Promise<void> {
  await db.run(sql`
    update message m
    set subject = '', content = null
    from (
      select distinct account_id, campaign_id, no
      from message_recipient
      where email_key like '%@erased.invalid'
    ) as e
    where m.account_id = e.account_id
      and m.campaign_id = e.campaign_id
      and m.no = e.no
      and m.content is not null
      and not ${isWaitedFor}`);
}

type Kept = { account: number; campaign: number; no: number; content: Buffer; clickAt: number[]; openAt: number[] };

async function eraseFromHeads(tx: Tx, rows: Sql, addresses: readonly string[]): Promise<void> {
  const kept = await tx.rows<Kept>(sql`
    select m.account_id as account, m.campaign_id as campaign, m.no, m.content, m.click_at as "clickAt", m.open_at as "openAt"
    from message m
    where m.content is not null
      and (m.account_id, m.campaign_id, m.no) in (select r.account_id, r.campaign_id, r.no from ${rows} r)
    order by m.campaign_id, m.no
    for no key update`);
  for (const { account, campaign, no, ...message } of kept) {
    const { content, shift } = withoutRecipients(message.content, addresses);
    await tx.run(sql`
      update message
      set content = ${content}, click_at = ${message.clickAt.map((at) => at + shift)}::int[],
        open_at = ${message.openAt.map((at) => at + shift)}::int[]
      where account_id = ${account}
        and campaign_id = ${campaign}
        and no = ${no}`);
  }
}
