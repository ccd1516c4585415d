// The results of an A/B test by variant. Only people count, never machines; and only the test group is compared: the
// recipients who got the chosen variant later got it at another time, from another hour's attention.
import type { CampaignKey } from '../../campaigns/month.ts';
import { monthOf } from '../../campaigns/month.ts';
import { type Division, rangeOf } from '../../campaigns/variants/division.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { states } from '../../db/states.ts';
import { opensOf } from './campaign.ts';

/** Recipients, and people among them. */
export type GroupSums = { recipients: number; sent: number; opens: number; clicks: number; unsubscribes: number };

/** The sums of the variants in the test group, and those of the other recipients. */
export type TestSums = { variants: GroupSums[]; rest: GroupSums };

export async function testSums(db: Queries, of: CampaignKey, division: Division): Promise<TestSums> {
  const starts = Array.from({ length: division.variants }, (_, variant) => rangeOf(variant, division)[0]);
  // Group n begins with the nth number; the last one is that of the others.
  const groups = [...starts, division.testSize + 1];
  const group = sql`width_bucket(seq, ${groups}::int[])`;
  const cid = formatId(of.campaign);
  const rows = await db.rows<GroupSums & { no: number }>(sql`
    with got as (
      select ${group} as no, count(*)::int as recipients, count(*) filter (where state = ${states.accepted})::int as sent
      from delivery
      where account_id = ${of.account}
        and campaign_id = ${of.campaign}
        and month = ${monthOf(of)}
      group by 1
    ), did as (
      select ${group} as no, count(*) filter (where ${opensOf} > 0)::int as opens, count(*) filter (where e.clicks > 0)::int as clicks
      from engagement e
      where account_id = ${of.account}
        and campaign_id = ${of.campaign}
        and month = ${monthOf(of)}
      group by 1
    ), gone as (
      select ${group} as no, count(distinct k.contact_id)::int as unsubscribes
      from consent k
      join delivery d
        on d.account_id = k.account_id
        and d.campaign_id = ${of.campaign}
        and d.contact_id = k.contact_id
        and d.month = ${monthOf(of)}
      where k.account_id = ${of.account}
        and k.detail ? 'campaign'
        and k.detail ->> 'campaign' = ${cid}
        and k.kind = 'unsubscribe'
      group by 1
    )
    select got.no, recipients, sent, coalesce(opens, 0) as opens, coalesce(clicks, 0) as clicks, coalesce(unsubscribes, 0) as unsubscribes
    from got
    left join did using (no)
    left join gone using (no)`);
  const sums = groups.map((_, at): GroupSums => {
    const { no: _no, ...found } = rows.find(({ no }) => no === at + 1) ?? none;
    return found;
  });
  return { variants: sums.slice(0, -1), rest: sums.at(-1)! };
}

const none = { no: 0, recipients: 0, sent: 0, opens: 0, clicks: 0, unsubscribes: 0 };
