// Notice sources: which account a URL belongs to, and what its requests are verified with. Only a hash of the
// token in a URL is stored; keys are sealed.

import { hashToken } from '../../accounts/access/token.ts';
import { seal, unseal } from '../../accounts/installation/seal.ts';
import type { App } from '../../base/context.ts';
import { remember } from '../../base/remember.ts';
import { sql } from '../../db/connect.ts';
import type { ServiceName } from '../../delivery/message/notice-fields.ts';

export type Source = { account: number; id: number; service: ServiceName; key: string; topic: string };

const tokenForm = /^[A-Za-z0-9_-]{43}$/;

export const sealedKey = (app: App, accountId: number, key: string): Buffer | null =>
  key === '' ? null : seal(app, purposeOf(accountId), key);

const purposeOf = (accountId: number) => `notice source of ${accountId}`;

/** How long a token that was replaced or deleted in another process still works. */
const cachedMs = 2_000;
const maxCached = 10_000;
type Cached = { source: Source; until: number };
const caches = new WeakMap<App, Map<string, Cached>>();

/** The source of a URL; undefined when there is none with this token for this service, or the account is disabled. */
export async function sourceOf(app: App, service: string, token: string): Promise<Source | undefined> {
  if (!tokenForm.test(token)) return undefined;
  const hash = hashToken(token);
  const name = hash.toString('base64');
  const cache = caches.get(app) ?? new Map<string, Cached>();
  caches.set(app, cache);
  const cached = cache.get(name);
  if (cached && cached.until > performance.now()) return cached.source.service === service ? cached.source : undefined;
  const row = await app.db.row<Omit<Source, 'key'> & { key: Buffer | null }>(sql`
    select s.account_id as account, s.id, s.service, s.key, s.topic
    from notice_source s
    join account a on a.id = s.account_id and a.active
    where s.token_hash = ${hash}`);
  if (!row) {
    cache.delete(name);
    return undefined;
  }
  const key = row.key === null ? '' : (unseal(app, purposeOf(row.account), row.key) ?? '');
  const source = { ...row, key };
  remember(cache, name, { source, until: performance.now() + cachedMs }, maxCached);
  return source.service === service ? source : undefined;
}

/** After a change in this process. */
export function forgetSources(app: App): void {
  caches.get(app)?.clear();
}

/** Whether the key of a service that signs can be opened: SEAL_KEY may have changed. */
export const canOpen = (app: App, accountId: number, key: Buffer): boolean =>
  unseal(app, purposeOf(accountId), key) !== null;
