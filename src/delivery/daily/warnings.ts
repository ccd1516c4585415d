// Notifies the owner of an account when the complaint rate of the account, of a list or at a receiving provider gets too high: once,
// until the rate has fallen. A warning that has not ended is on Home.
import { noticeToAccount } from '../../accounts/notices/account-notice.ts';
import { type Message, message } from '../../base/messages.ts';
import { type Counts, isTooHigh, reputationRules } from '../../base/reputation-rules.ts';
import { type Database, type Queries, sql, type Tx } from '../../db/connect.ts';
import type { TaskContext } from '../../jobs/tasks.ts';
import { type Rated, ratedDays, ratesOf } from './rates.ts';

export async function watchReputation({ app, signal }: Pick<TaskContext, 'app' | 'signal'>): Promise<void> {
  await watchAccounts(app.db, signal);
}

/** Looks at the accounts that have had a complaint, or are warned. @returns how many warnings have begun */
export async function watchAccounts(db: Database, signal?: AbortSignal): Promise<number> {
  const accounts = await db.rows<{ id: number }>(sql`
    select account_id as id from sending_day where ${ratedDays} and complaints > 0
    union
    select account_id from reputation_warning
    order by id`);
  let begun = 0;
  for (const { id } of accounts) {
    if (signal?.aborted) break;
    begun += await db.transaction((tx) => watchAccount(tx, id));
  }
  return begun;
}

type Scope = 'account' | 'list' | 'provider';
type Watched = Counts & { scope: Scope; name: string; title: string };

async function watchAccount(tx: Tx, accountId: number): Promise<number> {
  const watched = watchedIn(await ratesOf(tx, accountId));
  const warned = await tx.rows<{ scope: Scope; name: string }>(sql`
    select scope, name from reputation_warning where account_id = ${accountId}`);
  const isWarned = ({ scope, name }: { scope: Scope; name: string }) =>
    warned.some((warning) => warning.scope === scope && warning.name === name);
  const high = watched.filter((one) => isTooHigh(one, isWarned(one)));
  await tx.run(sql`
    delete from reputation_warning w
    where account_id = ${accountId}
      and not exists (
        select
        from unnest(${high.map(({ scope }) => scope)}::text[], ${high.map(({ name }) => name)}::text[]) as h(scope, name)
        where h.scope = w.scope
          and h.name = w.name
      )`);
  // Of two processes that look at the same moment only one begins a warning.
  const begun = await tx.rows<{ scope: Scope; name: string }>(sql`
    insert into reputation_warning (account_id, scope, name)
    select ${accountId}::int, scope, name
    from unnest(${high.map(({ scope }) => scope)}::text[], ${high.map(({ name }) => name)}::text[]) as h(scope, name)
    order by scope, name
    on conflict do nothing
    returning scope, name`);
  const fresh = high.filter((one) => begun.some(({ scope, name }) => one.scope === scope && one.name === name));
  if (fresh.length > 0)
    await noticeToAccount(tx, accountId, {
      subject: message('account_notice.complaints'),
      paragraphs: [
        message('account_notice.complaints_text', { days: reputationRules.days }),
        ...fresh.map(describe),
        message('account_notice.complaints_next'),
      ],
    });
  return fresh.length;
}

/** All whose rates are judged. Of other providers together a rate would say nothing. */
const watchedIn = ({ account, lists, providers }: Rated): Watched[] => [
  { ...account, scope: 'account', name: '', title: '' },
  ...lists.map((list): Watched => ({ ...list, scope: 'list', name: String(list.id), title: list.name })),
  ...providers
    .filter(({ name }) => name !== '')
    .map((one): Watched => ({ ...one, scope: 'provider', name: one.provider, title: one.name })),
];

function describe({ scope, title, complaints, accepted }: Watched): Message {
  const figures = { count: complaints, total: accepted };
  if (scope === 'list') return message('reputation.list', { ...figures, name: title });
  if (scope === 'provider') return message('reputation.provider', { ...figures, name: title });
  return message('reputation.account', figures);
}

export type Warning = { scope: Scope; id: string; name: string; reason: Message };

/** The warnings that have not ended, with the rates as they are now. @param lists only of these; undefined for all */
export async function warningsOf(db: Queries, accountId: number, lists?: readonly number[]): Promise<Warning[]> {
  const warned = await db.rows<{ scope: Scope; name: string }>(sql`
    select scope, name from reputation_warning where account_id = ${accountId} order by since, scope, name`);
  if (warned.length === 0) return [];
  const watched = watchedIn(await ratesOf(db, accountId));
  return warned.flatMap(({ scope, name }) => {
    const one = watched.find((candidate) => candidate.scope === scope && candidate.name === name);
    const isShown = lists === undefined || (scope === 'list' && lists.includes(Number(name)));
    return one && isShown ? [{ scope, id: name, name: one.title, reason: describe(one) }] : [];
  });
}
