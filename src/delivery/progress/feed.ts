// Live progress of campaigns for everyone who watches: the database is read once a second, however many watch, and not at
// all while no one does. Also ends watchers whose session has ended.

import { isLive } from '../../accounts/access/session.ts';
import { mayUseAccount } from '../../accounts/account/account.ts';
import type { App } from '../../base/context.ts';
import { hideAddresses } from '../../base/hide-addresses.ts';
import { type MessageLanguage, renderPacked } from '../../base/messages.ts';
import { type Permission, permissionsOf, type Role } from '../../base/permissions.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { countWrite } from '../../db/standby/writes.ts';
import { formatDate } from '../../method/date.ts';
import { rateOf } from '../ledger/tally.ts';

/** What a watcher receives of a campaign in progress and, once more, of one that has just ended. */
export type CampaignProgress = {
  campaign: string;
  title: string;
  delivery_status: string;
  status_reason: string;
  recipients: number;
  /** False while the audience of a large campaign is still being frozen: `recipients` grows. */
  recipients_complete: boolean;
  queued: number;
  trying: number;
  accepted: number;
  later: number;
  failed: number;
  skipped: number;
  unclear: number;
  resent: number;
  /** Messages a second over the last ten seconds, or since sending began. */
  rate: number;
  finish_at: string;
};

export type Watcher = {
  accountId: number;
  userId: number;
  sessionId: number;
  /** Of `status_reason`. */
  language: MessageLanguage;
  /** Set by the feed: whether `status_reason` may quote addresses. */
  showsAddresses?: boolean;
  send(progress: CampaignProgress): void;
  /** The session has ended, or its user has left the account or may no longer read campaigns. */
  end(): void;
};

const readEveryMs = 1_000;
/** The rate is that of this time. */
const rateMs = 10_500;
const maxCampaigns = 200;

/** Its `status_reason` may be a packed message. */
type Row = Omit<CampaignProgress, 'campaign' | 'finish_at'> & { accountId: number; id: number };
/** A campaign in progress and how many messages had been sent at the last readings since it is being sent. */
type Recent = { accountId: number; id: number; sent: { at: number; count: number }[] };

export class ProgressFeed {
  readonly #app: App;
  /** What each watcher received last, by campaign. */
  readonly #watchers = new Map<Watcher, Map<string, string>>();
  readonly #inProgress = new Map<string, Recent>();
  #timer: NodeJS.Timeout | undefined;
  #reading = false;
  #readAgain = false;
  #readings = 0;

  constructor(app: App) {
    this.#app = app;
  }

  /** How often the database was read, for tests. */
  get readings(): number {
    return this.#readings;
  }

  /** Sends the watcher each campaign immediately and at every change. @returns ends the watching */
  watch(watcher: Watcher): () => void {
    this.#watchers.set(watcher, new Map());
    this.#readAgain = true;
    if (!this.#reading) {
      this.#cancel();
      this.#schedule(0);
    }
    return () => {
      this.#watchers.delete(watcher);
      if (this.#watchers.size === 0) this.#cancel();
    };
  }

  stop(): void {
    this.#cancel();
    this.#watchers.clear();
  }

  #schedule(ms: number): void {
    if (this.#timer !== undefined || this.#watchers.size === 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#read();
    }, ms);
  }

  #cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  async #read(): Promise<void> {
    this.#reading = true;
    this.#readAgain = false;
    this.#readings += 1;
    try {
      const watchers = [...this.#watchers.keys()];
      const alive = await liveSessions(this.#app, watchers);
      for (const watcher of watchers) {
        const permissions = alive.get(sessionKey(watcher))?.permissions;
        if (!permissions?.includes('campaigns:read') && this.#watchers.delete(watcher)) watcher.end();
        watcher.showsAddresses = permissions?.includes('contacts:read') ?? false;
      }
      const accounts = [...new Set([...this.#watchers.keys()].map(({ accountId }) => accountId))];
      if (accounts.length > 0) {
        const rows = await readProgress(this.#app, accounts, [...this.#inProgress.values()]);
        await this.#countEnds(rows);
        const listsOf = (watcher: Watcher) => alive.get(sessionKey(watcher))?.lists ?? null;
        this.#publish(rows, listsOf, await seenBySets(this.#app, rows, [...this.#watchers.keys()].map(listsOf)));
      }
    } catch (error) {
      this.#app.log.debug({ err: error }, 'the progress of campaigns cannot be read; it is retried');
    } finally {
      this.#reading = false;
      if (this.#watchers.size === 0) this.#inProgress.clear();
      this.#schedule(this.#readAgain ? 0 : readEveryMs);
    }
  }

  #publish(
    rows: readonly Row[],
    listsOf: (watcher: Watcher) => Lists,
    seen: ReadonlyMap<string, ReadonlySet<string>>,
  ): void {
    const now = Date.now();
    const byAccount = new Map<number, CampaignProgress[]>();
    for (const row of rows) {
      const progress = progressOf(row, this.#record(row, now), now);
      byAccount.set(row.accountId, [...(byAccount.get(row.accountId) ?? []), progress]);
    }
    for (const [watcher, last] of this.#watchers) {
      const lists = listsOf(watcher);
      const all = byAccount.get(watcher.accountId) ?? [];
      sendChanges(watcher, last, lists ? all.filter(({ campaign }) => seen.get(nameOf(lists))?.has(campaign)) : all);
    }
  }

  /** A page that learns that a campaign has ended reads its report, which no standby behind that end may answer. */
  async #countEnds(rows: readonly Row[]): Promise<void> {
    if (!this.#app.standby) return;
    const ended = rows.filter(
      ({ accountId, id, delivery_status }) =>
        this.#inProgress.has(`${accountId} ${id}`) && !isInProgress(delivery_status),
    );
    for (const accountId of new Set(ended.map((row) => row.accountId)))
      await countWrite(this.#app.db, accountId).catch((error) => {
        // One that is moving to another installation takes none.
        this.#app.log.debug({ err: error, account: accountId }, 'the end of a campaign is not counted');
      });
  }

  /** @returns the last readings of the campaign, this one included */
  #record(row: Row, now: number): Recent['sent'] {
    const name = `${row.accountId} ${row.id}`;
    // While nothing may leave, there is no rate: that time would make the first messages look slow.
    const before = row.delivery_status === 'sending' ? (this.#inProgress.get(name)?.sent ?? []) : [];
    // Those before a time in which no one watched are older.
    const recent = before.filter(({ at }) => now - at <= rateMs);
    const sent = [...recent, { at: now, count: row.accepted + row.failed + row.resent }];
    if (isInProgress(row.delivery_status)) this.#inProgress.set(name, { accountId: row.accountId, id: row.id, sent });
    else this.#inProgress.delete(name);
    return sent;
  }
}

/** @param last what the watcher received last, by campaign */
function sendChanges(watcher: Watcher, last: Map<string, string>, campaigns: readonly CampaignProgress[]): void {
  for (const progress of campaigns) {
    const text = JSON.stringify(progress);
    if (text === last.get(progress.campaign)) continue;
    last.set(progress.campaign, text);
    const reason = renderPacked(progress.status_reason, watcher.language);
    watcher.send({ ...progress, status_reason: watcher.showsAddresses ? reason : hideAddresses(reason) });
  }
  const shown = new Set(campaigns.map(({ campaign }) => campaign));
  for (const campaign of last.keys()) if (!shown.has(campaign)) last.delete(campaign);
}

const isInProgress = (status: string) => status === 'launching' || status === 'sending' || status === 'paused';

const sessionKey = ({ sessionId, userId, accountId }: { sessionId: number; userId: number; accountId: number }) =>
  `${sessionId} ${userId} ${accountId}`;

/** The set of lists of a watcher, which may change while it watches; null for all. */
type Lists = readonly number[] | null;

const nameOf = (lists: readonly number[]) => lists.join();

/** What the people of the sessions that have not ended may do, and on which lists. */
type Live = { permissions: readonly Permission[]; lists: Lists };

async function liveSessions(app: App, watchers: readonly Watcher[]): Promise<Map<string, Live>> {
  const rows = await app.db.rows<{
    sessionId: number;
    userId: number;
    accountId: number;
    role: Role;
    permissions: string[] | null;
    lists: Lists;
  }>(sql`
    select session.id as "sessionId", session.user_id as "userId", session.account_id as "accountId",
      coalesce(membership.role, 'owner') as role, membership.permissions, membership.lists
    from session
    left join membership on membership.account_id = session.account_id and membership.user_id = session.user_id
    join account on account.id = session.account_id and account.active
    where session.user_id = any(${watchers.map(({ userId }) => userId)}::int[])
      and ${mayUseAccount}
      and ${isLive(app)}`);
  return new Map(
    rows.map((row) => [sessionKey(row), { permissions: permissionsOf(row.role, row.permissions), lists: row.lists }]),
  );
}

/** By set, the public ids of those campaigns that callers with the set see. */
async function seenBySets(
  app: App,
  rows: readonly Row[],
  sets: readonly Lists[],
): Promise<Map<string, ReadonlySet<string>>> {
  const seen = new Map<string, ReadonlySet<string>>();
  for (const lists of sets) {
    if (lists === null || seen.has(nameOf(lists))) continue;
    const found = await app.db.narrowedTo({ lists, caller: '' }).rows<{ id: number }>(sql`
      select c.id
      from campaign c
      where (c.account_id, c.id) in (
        select * from unnest(${rows.map(({ accountId }) => accountId)}::int[], ${rows.map(({ id }) => id)}::int[]))`);
    seen.set(nameOf(lists), new Set(found.map(({ id }) => formatId(id))));
  }
  return seen;
}

async function readProgress(
  app: App,
  accounts: number[],
  before: readonly { accountId: number; id: number }[],
): Promise<Row[]> {
  return app.db.rows<Row>(sql`
    with chosen as (
      select account_id, id, title, status, status_reason, greatest(send_at, resumed_at) as since
      from campaign
      where account_id = any(${accounts}::int[])
        and status in ('launching', 'sending', 'paused')
        and type <> 'message'
      order by changed_at desc
      limit ${maxCampaigns}
    ), ended as (
      select account_id, id, title, status, status_reason, greatest(send_at, resumed_at) as since
      from campaign
      where (account_id, id) in (
          select * from unnest(${before.map(({ accountId }) => accountId)}::int[], ${before.map(({ id }) => id)}::int[]))
        and account_id = any(${accounts}::int[])
        and status not in ('launching', 'sending', 'paused')
    )
    select c.account_id as "accountId", c.id, c.title, c.status as delivery_status, c.status_reason,
      coalesce(sum(recipients), 0)::int as recipients, not exists (
        select from freezing f where f.account_id = c.account_id and f.campaign_id = c.id
      ) as recipients_complete, coalesce(sum(queued), 0)::int as queued,
      coalesce(sum(trying), 0)::int as trying, coalesce(sum(accepted), 0)::int as accepted,
      coalesce(sum(later), 0)::int as later, coalesce(sum(failed), 0)::int as failed,
      coalesce(sum(skipped), 0)::int as skipped, coalesce(sum(unclear), 0)::int as unclear,
      coalesce(sum(resent), 0)::int as resent, ${rateOf(sql`c.since`)} as rate
    from (select * from chosen
      union all
      select * from ended) c
    left join tally t on t.account_id = c.account_id and t.campaign_id = c.id
    group by c.account_id, c.id, c.title, c.status, c.status_reason, c.since
    order by c.account_id, c.id`);
}

/** The rate between the readings; at the first, that of the tally. */
function progressOf({ accountId: _account, id, ...row }: Row, sent: Recent['sent'], now: number): CampaignProgress {
  const [first] = sent;
  const last = sent.at(-1)!;
  const seconds = (last.at - first!.at) / 1_000;
  const measured = seconds > 0 ? Math.max(0, last.count - first!.count) / seconds : row.rate;
  const rate = row.delivery_status === 'sending' ? measured : 0;
  const left = row.queued + row.trying;
  return {
    campaign: formatId(id),
    ...row,
    rate: Math.round(rate * 10) / 10,
    finish_at: formatDate(
      rate > 0 && left > 0 && row.recipients_complete ? new Date(now + (left / rate) * 1_000) : null,
    ),
  };
}
