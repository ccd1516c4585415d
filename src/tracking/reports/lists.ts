// listResults: which campaign was sent to each list last, and which part of the last emails people opened and clicked, for a table
// of lists.
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { formatDate } from '../../method/date.ts';
import { reactionsOf } from './reactions.ts';

/** Campaigns of a list that its rates are made of. */
export const ratedCampaigns = 5;
/** Most opens and clicks come within two days: those of a younger campaign still grow. */
const settledHours = 48;

type Sent = { list: number; id: number; title: string; sendAt: Date | null; sent: number; place: number };

/**
 * Returns a row for each of the lists to which something was sent, in the order of the ids.
 * @throws Fault LIST_UNKNOWN
 */
export async function listResults({ tx, account, now }: Context, { ids }: { ids: string[] }) {
  const known = await tx.rows<{ id: number }>(sql`
    select id from list where account_id = ${account.id} and id = any (${ids.map(parseId)}::int[])`);
  const isKnown = new Set(known.map(({ id }) => id));
  for (const [i, id] of ids.entries())
    if (!isKnown.has(parseId(id))) throw fault('LIST_UNKNOWN', 'list.unknown', { member: `ids[${i}]`, id });
  const settledBefore = new Date(now.getTime() - settledHours * 3_600_000);
  // place 0: the last of all. The others are rated.
  const rows = await tx.rows<Sent>(sql`
    with sent as (
      select l.id as list, c.id, coalesce(nullif(c.title, ''), c.subject) as title, c.send_at,
        row_number() over (partition by l.id order by c.send_at desc nulls last, c.id desc) as newest,
        row_number() over (partition by l.id, c.send_at <= ${settledBefore} order by c.send_at desc, c.id desc) as settled
      from list l
      join campaign_list cl on cl.account_id = l.account_id and cl.list_id = l.id
      join campaign c on c.account_id = cl.account_id and c.id = cl.campaign_id
      where l.account_id = ${account.id}
        and l.id = any (${[...new Set(ids)].map(parseId)}::int[])
        and c.status = 'sent'
        and c.type not in ('auto', 'message')
    ), chosen as (
      select list, id, title, send_at, 0 as place from sent where newest = 1
      union all
      select list, id, title, send_at, settled as place from sent where send_at <= ${settledBefore} and settled <= ${ratedCampaigns}
    )
    select list, id, title, send_at as "sendAt", place::int,
      (select coalesce(sum(accepted), 0)::int from tally t where t.account_id = ${account.id} and t.campaign_id = chosen.id) as sent
    from chosen
    order by list, place`);
  const rated = rows.filter(({ place, sent }) => place > 0 && sent > 0);
  const reactions = await reactionsOf(tx, account.id, [...new Set(rated.map(({ id }) => id))]);
  return [...new Set(ids)].flatMap((id) => {
    const last = rows.find(({ list, place }) => list === parseId(id) && place === 0);
    if (!last) return [];
    const own = rated.filter(({ list }) => list === last.list);
    const mean = (of: (campaign: number) => number | undefined) =>
      own.length === 0
        ? 0
        : own.reduce((sum, { id: campaign, sent }) => sum + (of(campaign) ?? 0) / sent, 0) / own.length;
    return {
      id,
      campaign: formatId(last.id),
      title: last.title,
      send_time: formatDate(last.sendAt),
      campaigns: own.length,
      open_rate: mean((campaign) => reactions.get(campaign)?.unique_opens),
      click_rate: mean((campaign) => reactions.get(campaign)?.users_who_clicked),
    };
  });
}
