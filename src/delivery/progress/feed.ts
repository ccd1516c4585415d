// The progress of campaigns under way, for everybody who watches: while somebody does, the database is looked into once a
// second, however many watch; while nobody does, not at all. Also ends the watching of those whose session has ended.

import type { App } from '../../base/context.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { formatDate } from '../../method/date.ts';

/** What a watcher is told of a campaign under way and, once more, of one that has just ended. */
export type CampaignProgress = {
  campaign: string;
  title: string;
  delivery_status: string;
  status_reason: string;
  recipients: number;
  queued: number;
  trying: number;
  accepted: number;
  later: number;
  failed: number;
  skipped: number;
  unclear: number;
  resent: number;
  /** Mails a second over the last ten looks. */
  rate: number;
  finish_at: string;
};

export type Watcher = {
  accountId: number;
  userId: number;
  sessionId: number;
  tell(progress: CampaignProgress): void;
  /** The session has ended, or its person has left the account. */
  end(): void;
};

export type ProgressFeed = {
  /** Tells the watcher of each campaign at once and at every change; returns what stops it. */
  watch(watcher: Watcher): () => void;
  stop(): void;
  /** How often the database was asked, for the test that nobody watching costs nothing. */
  looks(): number;
};

const lookMs = 1_000;
const looksForRate = 10;
const maxCampaigns = 200;

type Row = Omit<CampaignProgress, 'campaign' | 'rate' | 'finish_at'> & { accountId: number; id: number };

export function createProgressFeed(app: App): ProgressFeed {
  /** What each watcher was told last, by campaign. */
  const watchers = new Map<Watcher, Map<string, string>>();
  const under = new Map<string, { accountId: number; id: number; sent: { at: number; count: number }[] }>();
  let timer: NodeJS.Timeout | undefined;
  let looking = false;
  let again = false;
  let count = 0;

  const schedule = (ms: number) => {
    if (timer !== undefined || watchers.size === 0) return;
    timer = setTimeout(() => {
      timer = undefined;
      void look();
    }, ms);
  };

  const look = async () => {
    looking = true;
    again = false;
    count += 1;
    try {
      const here = [...watchers.keys()];
      const alive = await livingSessions(app, here);
      for (const one of here.filter((watcher) => !alive.has(key(watcher)))) if (watchers.delete(one)) one.end();
      const accounts = [...new Set([...watchers.keys()].map((one) => one.accountId))];
      if (accounts.length > 0) tellAll(await progressOf(app, accounts, [...under.values()]));
    } catch (error) {
      app.log.debug({ err: error }, 'the progress cannot be read; it is read again');
    } finally {
      looking = false;
      if (watchers.size === 0) under.clear();
      schedule(again ? 0 : lookMs);
    }
  };

  const tellAll = (rows: Row[]) => {
    const now = Date.now();
    const campaigns = new Map<number, CampaignProgress[]>();
    for (const row of rows) {
      const name = `${row.accountId} ${row.id}`;
      const known = under.get(name) ?? { accountId: row.accountId, id: row.id, sent: [] };
      known.sent = [...known.sent, { at: now, count: row.accepted + row.failed + row.resent }].slice(-looksForRate - 1);
      under.set(name, known);
      if (!isUnderWay(row.delivery_status)) under.delete(name);
      campaigns.set(row.accountId, [...(campaigns.get(row.accountId) ?? []), shown(row, known.sent, now)]);
    }
    for (const [watcher, told] of watchers) {
      const list = campaigns.get(watcher.accountId) ?? [];
      for (const one of list) {
        const text = JSON.stringify(one);
        if (text === told.get(one.campaign)) continue;
        told.set(one.campaign, text);
        watcher.tell(one);
      }
      for (const campaign of told.keys()) if (!list.some((one) => one.campaign === campaign)) told.delete(campaign);
    }
  };

  return {
    watch(watcher) {
      watchers.set(watcher, new Map());
      again = true;
      if (!looking) {
        clearTimeout(timer);
        timer = undefined;
        schedule(0);
      }
      return () => {
        watchers.delete(watcher);
        if (watchers.size > 0) return;
        clearTimeout(timer);
        timer = undefined;
      };
    },
    stop() {
      clearTimeout(timer);
      timer = undefined;
      watchers.clear();
    },
    looks: () => count,
  };
}

const isUnderWay = (status: string) => status === 'launching' || status === 'sending' || status === 'paused';

const key = ({ sessionId, userId, accountId }: { sessionId: number; userId: number; accountId: number }) =>
  `${sessionId} ${userId} ${accountId}`;

async function livingSessions(app: App, watchers: readonly Watcher[]): Promise<Set<string>> {
  const rows = await app.db.rows<{ sessionId: number; userId: number; accountId: number }>(sql`
    select session.id as "sessionId", session.user_id as "userId", session.account_id as "accountId"
    from session
    join membership on membership.account_id = session.account_id and membership.user_id = session.user_id
    join account on account.id = session.account_id and account.active
    where session.user_id = any(${watchers.map((one) => one.userId)}::int[])
      and session.expires_at > now()`);
  return new Set(rows.map(key));
}

async function progressOf(
  app: App,
  accounts: number[],
  before: readonly { accountId: number; id: number }[],
): Promise<Row[]> {
  return app.db.rows<Row>(sql`
    with chosen as (
      select account_id, id, title, status, status_reason
      from campaign
      where account_id = any(${accounts}::int[])
        and status in ('launching', 'sending', 'paused')
      order by changed_at desc
      limit ${maxCampaigns}
    ), ended as (
      select account_id, id, title, status, status_reason
      from campaign
      where (account_id, id) in (
          select * from unnest(${before.map((one) => one.accountId)}::int[], ${before.map((one) => one.id)}::int[]))
        and account_id = any(${accounts}::int[])
        and status not in ('launching', 'sending', 'paused')
    )
    select c.account_id as "accountId", c.id, c.title, c.status as delivery_status, c.status_reason,
      coalesce(sum(recipients), 0)::int as recipients, coalesce(sum(queued), 0)::int as queued,
      coalesce(sum(trying), 0)::int as trying, coalesce(sum(accepted), 0)::int as accepted,
      coalesce(sum(later), 0)::int as later, coalesce(sum(failed), 0)::int as failed,
      coalesce(sum(skipped), 0)::int as skipped, coalesce(sum(unclear), 0)::int as unclear,
      coalesce(sum(resent), 0)::int as resent
    from (select account_id, id, title, status, status_reason from chosen
      union all
      select account_id, id, title, status, status_reason from ended) c
    left join tally on tally.account_id = c.account_id and tally.campaign_id = c.id
    group by c.account_id, c.id, c.title, c.status, c.status_reason
    order by c.account_id, c.id`);
}

function shown({ accountId: _account, id, ...row }: Row, sent: { at: number; count: number }[], now: number) {
  const [first] = sent;
  const last = sent.at(-1)!;
  const seconds = first === undefined ? 0 : (last.at - first.at) / 1_000;
  const rate = row.delivery_status === 'sending' && seconds > 0 ? Math.max(0, last.count - first!.count) / seconds : 0;
  const left = row.queued + row.trying;
  return {
    campaign: formatId(id),
    ...row,
    rate: Math.round(rate * 10) / 10,
    finish_at: formatDate(rate > 0 && left > 0 ? new Date(now + (left / rate) * 1_000) : null),
  };
}
