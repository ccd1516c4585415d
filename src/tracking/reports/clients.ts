// campaignClients: the email clients and devices of the people who opened a campaign or clicked in it.
import type { Context } from '../../base/context.ts';
import { sql } from '../../db/connect.ts';
import { reportedCampaign } from './campaign.ts';
import { clientOf } from './client-of.ts';

/** More opens and clicks change the shares no more, and take longer to read. */
export const maxHits = 50_000;

/** @throws Fault CAMPAIGN_UNKNOWN */
export async function listClients(context: Context, { cid }: { cid: string }) {
  const { tx } = context;
  const { account, campaign } = await reportedCampaign(context, cid);
  // A person who opens twice with one client counts once.
  const agents = await tx.rows<{ agent: string; people: number }>(sql`
    select user_agent as agent, count(*)::int as people
    from (
      select distinct seq, user_agent
      from (
        select seq, user_agent
        from hit
        where account_id = ${account}
          and campaign_id = ${campaign}
          and machine is null
          and at >= coalesce((select send_at from campaign where account_id = ${account} and id = ${campaign}), now())
        limit ${maxHits}
      ) as hits
    ) as seen
    group by user_agent`);
  const clients = new Map<string, number>();
  const devices = new Map<string, number>();
  for (const { agent, people } of agents) {
    const { client, device } = clientOf(agent);
    clients.set(client, (clients.get(client) ?? 0) + people);
    devices.set(device, (devices.get(device) ?? 0) + people);
  }
  return { clients: largestFirst(clients), devices: largestFirst(devices) };
}

const largestFirst = (counts: ReadonlyMap<string, number>) =>
  [...counts].map(([name, people]) => ({ name, people })).sort((a, b) => b.people - a.people);
