// Who changed which part of a campaign last. Each part has a version, which counts its changes: a caller that gives the version
// it knows never overwrites what another person has written since. Every change of a part calls `takeVersion` first, in the same
// transaction, with the campaign locked.
import type { Context } from '../../../base/context.ts';
import { fault } from '../../../base/faults.ts';
import { join, type Sql, sql } from '../../../db/connect.ts';
import { formatDate } from '../../../method/date.ts';
import { integer, line } from '../../../method/params.ts';

/** What one version counts: `content`, `languages` (the language versions), `test` (the A/B test), or a single other option. */
export type Part = string;

/** What the caller of a change knows of the part. */
export type Known = { base_version?: number | undefined; editor: string };

/** The parameter of a change that names who makes it. */
export const editor = line(
  'The window or program that edits, as it names itself. Its own last change is never a conflict; edits of different editors make different versions.',
  60,
).default('');

/** The parameters of a change for callers that must not overwrite the change of another person. */
export const known = {
  base_version: integer(
    'The version of the part that the change is based on: from edits of campaignGet, 0 for a part that is not in it. If another editor has changed the part since, nothing is changed and the fault is 322.',
    0,
    2_000_000_000,
  ).optional(),
  editor,
};

/** The last change of a part, before the present one. */
export type LastEdit = {
  version: number;
  userId: number | null;
  keyId: number | null;
  editor: string;
  changedAt: Date;
};

/**
 * Counts a change of a part. Without `base_version` the change is always accepted.
 * @returns the change before it @throws Fault CAMPAIGN_CHANGED
 */
export async function takeVersion(
  context: Context,
  campaignId: number,
  part: Part,
  given: Known,
): Promise<LastEdit | undefined> {
  const { tx, account, caller } = context;
  const last = await lastEdit(context, campaignId, part);
  if (given.base_version !== undefined && given.base_version !== (last?.version ?? 0)) {
    if (!last || given.editor === '' || !isBy(context, last, given.editor))
      throw await changed(context, campaignId, part, last?.version ?? 0);
  }
  await tx.run(sql`
    insert into campaign_edit (account_id, campaign_id, part, version, user_id, key_id, editor, changed_at)
    values (${account.id}, ${campaignId}, ${part}, 1, ${caller.kind === 'user' ? caller.userId : null},
      ${caller.kind === 'key' ? caller.keyId : null}, ${given.editor}, ${context.now})
    on conflict (account_id, campaign_id, part) do update
    set version = campaign_edit.version + 1, user_id = excluded.user_id, key_id = excluded.key_id, editor = excluded.editor,
      changed_at = excluded.changed_at`);
  return last;
}

export function lastEdit({ tx, account }: Context, campaignId: number, part: Part): Promise<LastEdit | undefined> {
  return tx.row<LastEdit>(sql`
    select version, user_id as "userId", key_id as "keyId", editor, changed_at as "changedAt"
    from campaign_edit
    where account_id = ${account.id}
      and campaign_id = ${campaignId}
      and part = ${part}`);
}

/** Whether the caller made a change, in the same window. */
export function isBy({ caller }: Context, edit: Omit<LastEdit, 'version' | 'changedAt'>, editor: string): boolean {
  const [userId, keyId] = [caller.kind === 'user' ? caller.userId : null, caller.kind === 'key' ? caller.keyId : null];
  return edit.userId === userId && edit.keyId === keyId && edit.editor === editor;
}

/** The edits of a campaign, as methods return them. */
export async function listEdits({ tx, account, caller }: Context, campaignId: number, own: string) {
  const userId = caller.kind === 'user' ? caller.userId : null;
  const rows = await tx.rows<{ part: string; version: number; by: string; self: boolean; own: boolean; at: Date }>(sql`
    select part, version, ${authorName(sql`e`)} as by, coalesce(e.user_id = ${userId}, false) as self,
      coalesce(e.user_id = ${userId}, false) and e.editor = ${own} and e.editor <> '' as own, changed_at as at
    from campaign_edit e
    where account_id = ${account.id}
      and campaign_id = ${campaignId}
    order by part`);
  return rows.map(({ at, ...row }) => ({ ...row, at: formatDate(at) }));
}

/** The name of the user or key of a row with user_id and key_id; '' for the program itself and for one that is gone. */
export const authorName = (row: Sql): Sql =>
  sql`coalesce(${join([
    sql`(select coalesce(nullif(u.name, ''), u.email) from app_user u where u.id = ${row}.user_id)`,
    sql`(select concat_ws(' …', nullif(k.label, ''), k.hint) from api_key k where k.account_id = ${row}.account_id and k.id = ${row}.key_id)`,
    sql`''`,
  ])})`;

async function changed(context: Context, campaignId: number, part: Part, version: number) {
  const edit = (await listEdits(context, campaignId, '')).find((one) => one.part === part);
  const values = { member: 'base_version', part, at: edit?.at ?? '', version };
  if (edit?.self) return fault('CAMPAIGN_CHANGED', 'campaign.changed_by_you', { ...values, who: edit.by });
  return edit?.by
    ? fault('CAMPAIGN_CHANGED', 'campaign.changed_by', { ...values, who: edit.by })
    : fault('CAMPAIGN_CHANGED', 'campaign.changed', values);
}
