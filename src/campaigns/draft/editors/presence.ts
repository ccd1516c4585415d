// campaignEditing: who has a draft open now, and what was changed last. A window of the composer asks every few seconds, which
// renews its row; a row that was not renewed for a while is of a window that was closed.
import { z } from 'zod';
import type { Context } from '../../../base/context.ts';
import { fault } from '../../../base/faults.ts';
import { sql } from '../../../db/connect.ts';
import { named } from '../../../method/named.ts';
import { needCampaignId } from '../../model/campaign.ts';
import { listEdits } from './edits.ts';
import { presenceMs } from './presence-ms.ts';

export const shownEdit = named(
  'CampaignEdit',
  z.object({
    part: z.string().meta({ description: 'content, languages, test, or another option of campaignUpdate.' }),
    version: z.int().meta({ description: 'Counts the changes of the part: base_version of campaignUpdate.' }),
    by: z.string().meta({ description: 'The user or API key of the last change; "" if it was the program.' }),
    self: z.boolean().meta({ description: 'The last change was by the signed-in user.' }),
    at: z.string(),
  }),
);

export const editing = z.object({
  others: z.array(
    z.object({
      name: z.string(),
      self: z.boolean().meta({ description: 'Another window of the signed-in user.' }),
    }),
  ),
  edits: z.array(shownEdit.extend({ own: z.boolean().meta({ description: 'The last change was by this editor.' }) })),
});

/** Renews the presence of the caller's window, and returns the others. @throws Fault CAMPAIGN_UNKNOWN, NOT_ALLOWED */
export async function noteEditing(
  context: Context,
  { cid, editor }: { cid: string; editor: string },
): Promise<z.input<typeof editing>> {
  const { tx, account, caller, now } = context;
  if (caller.kind !== 'user') throw fault('NOT_ALLOWED', 'door.user_only');
  const campaignId = await needCampaignId(context, cid);
  await tx.run(sql`
    insert into campaign_presence (account_id, campaign_id, editor, user_id, seen_at)
    values (${account.id}, ${campaignId}, ${editor}, ${caller.userId}, ${now})
    on conflict (account_id, campaign_id, editor) do update
    set user_id = excluded.user_id, seen_at = excluded.seen_at`);
  await tx.run(sql`
    delete from campaign_presence
    where account_id = ${account.id}
      and campaign_id = ${campaignId}
      and seen_at < ${new Date(now.getTime() - presenceMs)}`);
  const others = await tx.rows<{ name: string; self: boolean }>(sql`
    select coalesce(nullif(u.name, ''), u.email) as name, bool_or(u.id = ${caller.userId}) as self
    from campaign_presence p
    join app_user u on u.id = p.user_id
    where p.account_id = ${account.id}
      and p.campaign_id = ${campaignId}
      and p.editor <> ${editor}
    group by u.id
    order by name`);
  return { others, edits: await listEdits(context, campaignId, editor) };
}
