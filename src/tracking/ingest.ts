// Takes openings and clicks in, many at once: requests wait in a queue and are written together in one transaction, and
// each is answered after the commit of its group (group commit). What was answered is therefore never lost.

import type { App } from '../base/context.ts';
import { type Queries, sql } from '../db/connect.ts';
import { formatId } from '../db/ids.ts';
import { cut, jsonb } from '../db/jsonb.ts';
import { type Event, emit } from '../events/emit.ts';
import { formatDate } from '../method/date.ts';
import type { RecipientIds } from './links.ts';

export type Hit = RecipientIds & {
  kind: 'open' | 'click';
  link: number | null;
  url: string;
  at: Date;
  ip: string;
  userAgent: string;
  machine: string | null;
};

export type Ingest = {
  /** Resolves when the hit is committed. */
  take(hit: Hit): Promise<void>;
  /** Links of one recipient followed within the last two seconds, with this one. */
  burst(recipient: RecipientIds, link: number): number;
};

const maxInGroup = 2_000;
const maxWaiting = 50_000;
const burstMs = 2_000;

type Waiting = { hit: Hit; resolve: () => void; reject: (error: unknown) => void };

export function createIngest(app: App): Ingest {
  let waiting: Waiting[] = [];
  let writing = false;
  const recent = new Map<string, { at: number; links: Set<number> }>();

  const pump = async () => {
    if (writing) return;
    writing = true;
    while (waiting.length > 0) {
      const group = waiting.slice(0, maxInGroup);
      waiting = waiting.slice(maxInGroup);
      try {
        await app.db.transaction((tx) =>
          writeHits(
            tx,
            group.map((one) => one.hit),
          ),
        );
        for (const one of group) one.resolve();
      } catch (error) {
        for (const one of group) one.reject(error);
      }
    }
    writing = false;
  };

  return {
    take(hit) {
      if (waiting.length >= maxWaiting) return Promise.reject(new Error('too many hits wait for the database'));
      return new Promise((resolve, reject) => {
        waiting.push({ hit, resolve, reject });
        // The turn of the event loop that read many requests ends before the group is closed.
        setImmediate(pump);
      });
    },
    burst({ account, campaign, seq }, link) {
      const now = performance.now();
      const name = `${account}.${campaign}.${seq}`;
      let one = recent.get(name);
      if (!one || now - one.at > burstMs) {
        one = { at: now, links: new Set() };
        if (recent.size > 20_000) for (const [key, old] of recent) if (now - old.at > burstMs) recent.delete(key);
        recent.set(name, one);
      }
      one.links.add(link);
      return one.links.size;
    },
  };
}

/** Writes hits, their sums, and the events of people's hits. Hits of recipients that are not known change nothing. */
export async function writeHits(tx: Queries, hits: readonly Hit[]): Promise<void> {
  const given = jsonb(
    hits.map((hit) => ({
      account_id: hit.account,
      campaign_id: hit.campaign,
      seq: hit.seq,
      kind: hit.kind,
      link_no: hit.link,
      at: hit.at,
      ip: hit.ip,
      user_agent: cut(hit.userAgent, 300),
      machine: hit.machine,
      url: hit.url,
    })),
  );
  const known = await tx.rows<Known>(sql`
    with given as (
      select *
      from jsonb_to_recordset(${given}::jsonb) as g(account_id int, campaign_id int, seq int, kind text, link_no int,
        at timestamptz, ip text, user_agent text, machine text, url text)
    ), known as (
      select g.*, d.contact_id, d.list_id, d.email
      from given g
      join delivery d
        on d.account_id = g.account_id
        and d.campaign_id = g.campaign_id
        and d.seq = g.seq
    ), written as (
      insert into hit (account_id, campaign_id, seq, kind, link_no, at, ip, user_agent, machine)
      select account_id, campaign_id, seq, kind, link_no, at, ip, user_agent, machine
      from known
    ), summed as (
      insert into engagement as e (account_id, campaign_id, seq, contact_id, opens, clicks, machine_opens, machine_clicks,
        first_open_at, last_open_at, first_click_at, last_click_at)
      select account_id, campaign_id, seq, contact_id,
        count(*) filter (where kind = 'open' and machine is null),
        count(*) filter (where kind = 'click' and machine is null),
        count(*) filter (where kind = 'open' and machine is not null),
        count(*) filter (where kind = 'click' and machine is not null),
        min(at) filter (where kind = 'open' and machine is null),
        max(at) filter (where kind = 'open' and machine is null),
        min(at) filter (where kind = 'click' and machine is null),
        max(at) filter (where kind = 'click' and machine is null)
      from known
      group by account_id, campaign_id, seq, contact_id
      -- In one order everywhere, so that two processes never wait for one another in a circle.
      order by account_id, campaign_id, seq
      on conflict (account_id, campaign_id, seq) do update
      set opens = e.opens + excluded.opens, clicks = e.clicks + excluded.clicks,
        machine_opens = e.machine_opens + excluded.machine_opens, machine_clicks = e.machine_clicks + excluded.machine_clicks,
        first_open_at = least(e.first_open_at, excluded.first_open_at), last_open_at = greatest(e.last_open_at, excluded.last_open_at),
        first_click_at = least(e.first_click_at, excluded.first_click_at), last_click_at = greatest(e.last_click_at, excluded.last_click_at)
    ), linked as (
      insert into link_engagement as l (account_id, campaign_id, link_no, seq, contact_id, clicks, machine_clicks)
      select account_id, campaign_id, link_no, seq, contact_id, count(*) filter (where machine is null), count(*) filter (where machine is not null)
      from known
      where kind = 'click'
      group by account_id, campaign_id, link_no, seq, contact_id
      order by account_id, campaign_id, link_no, seq
      on conflict (account_id, campaign_id, link_no, seq) do update
      set clicks = l.clicks + excluded.clicks, machine_clicks = l.machine_clicks + excluded.machine_clicks
    )
    select account_id as account, campaign_id as campaign, contact_id as contact, list_id as list, email, kind, at, ip, url,
      user_agent as "userAgent"
    from known
    where machine is null`);
  const byAccount = Map.groupBy(known, (one) => one.account);
  for (const [account, list] of byAccount) await emit(tx, account, list.map(eventOf));
}

type Known = {
  account: number;
  campaign: number;
  contact: number;
  list: number;
  email: string;
  kind: 'open' | 'click';
  at: Date;
  ip: string;
  url: string;
  userAgent: string;
};

function eventOf(hit: Known): Event {
  const message = {
    campaign: formatId(hit.campaign),
    list: formatId(hit.list),
    contact: formatId(hit.contact),
    email: hit.email,
    ip: hit.ip,
    user_agent: hit.userAgent,
    ts: formatDate(hit.at),
  };
  return hit.kind === 'open'
    ? { type: 'email.open', source: 'subscriber', listId: hit.list, data: message }
    : { type: 'email.click', source: 'subscriber', listId: hit.list, data: { ...message, url: hit.url } };
}
