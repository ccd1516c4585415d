// The setting of an account that says whose campaigns need an approval, and who may give it.
//   none       who may send, sends; others ask
//   authors    the same, and what one who may send has started is not sent if it was changed since
//   everyone  no one sends their own work
import { type PersonOfAccount, peopleWhoMay } from '../../accounts/people/who-may.ts';
import type { Account, Context } from '../../base/context.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import type { CampaignKey } from '../../db/keys.ts';
import { asSeenWith, onWhole } from '../../db/narrowed/narrow.ts';
import type { Approval } from './record.ts';

export const approvalRules = ['none', 'authors', 'everyone'] as const;
export type ApprovalRule = (typeof approvalRules)[number];

export function approvalRule({ settings }: Pick<Account, 'settings'>): ApprovalRule {
  const given = settings['approval'];
  return given === 'authors' || given === 'everyone' ? given : 'none';
}

type Asked = Pick<Approval, 'askedUser' | 'askedKey' | 'askedAt'>;

/**
 * The people whose work a campaign is: who asked, who changed it last, and who has changed its segments, lists or their fields
 * since it was asked. What a key did is the work of the person who made the key, or who got it from login().
 */
export async function authorsOf(
  { tx }: Pick<Context, 'tx'>,
  of: CampaignKey,
  asked: Asked | undefined,
): Promise<Set<number>> {
  const subjects = (await partsOfAudience(tx, of)).map(formatId);
  const rows = await tx.rows<{ id: number | null }>(sql`
    with by as (
      select ${asked?.askedUser ?? null}::int as user_id, ${asked?.askedKey ?? null}::int as key_id
      union all
      (
        select user_id, key_id
        from campaign_edit
        where account_id = ${of.account}
          and campaign_id = ${of.campaign}
          -- The name is in no message.
          and part <> 'title'
        order by changed_at desc
        limit 1
      )
      union all
      select user_id, key_id
      from audit_entry
      where account_id = ${of.account}
        and lower(method) = any (${audienceMethods}::text[])
        and subject = any (${subjects}::text[])
        and at >= ${asked?.askedAt ?? null}::timestamptz
    )
    select coalesce(by.user_id, k.user_id, k.made_by) as id
    from by
    left join api_key k on k.account_id = ${of.account} and k.id = by.key_id`);
  return new Set(rows.flatMap(({ id }) => (id === null ? [] : [id])));
}

/** The methods that change what is sent, or to whom, without changing the campaign. */
const audienceMethods = ['listSegmentUpdate', 'listUpdate', 'listMergeVarUpdate'].map((name) => name.toLowerCase());

/** The people who may approve a campaign now. */
export async function approversOf(
  context: Pick<Context, 'tx' | 'account'>,
  of: CampaignKey,
  asked: Asked | undefined,
): Promise<PersonOfAccount[]> {
  const people: PersonOfAccount[] = [];
  for (const person of await peopleWhoMay(context.tx, of.account, 'campaigns:send'))
    if (person.lists === null || (await isSeenWith(context, of, person.lists))) people.push(person);
  if (approvalRule(context.account) !== 'everyone') return people;
  const authors = await authorsOf(context, of, asked);
  return people.filter(({ id }) => !authors.has(id));
}

/** The lists and segments that a campaign goes to. */
async function partsOfAudience(tx: Context['tx'], of: CampaignKey): Promise<number[]> {
  const row = await onWhole(tx, (whole) =>
    whole.row<{ ids: number[] }>(sql`
      select array(
        select list_id
        from campaign_list
        where account_id = ${of.account}
          and campaign_id = ${of.campaign}
        union all
        select segment_id
        from campaign_segment
        where account_id = ${of.account}
          and campaign_id = ${of.campaign}
        union all
        select target_id
        from campaign_exclusion
        where account_id = ${of.account}
          and campaign_id = ${of.campaign}
      ) as ids`),
  );
  return row!.ids;
}

/** Whether one with this set of lists sees a campaign. */
async function isSeenWith({ tx }: Pick<Context, 'tx'>, of: CampaignKey, lists: readonly number[]): Promise<boolean> {
  const found = await asSeenWith(tx, lists, (narrowed) =>
    narrowed.row(sql`select from campaign where account_id = ${of.account} and id = ${of.campaign}`),
  );
  return found !== undefined;
}
