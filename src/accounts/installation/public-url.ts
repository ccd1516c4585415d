// The public URL of the installation, which all public links begin with: BASE_URL of the operator, otherwise the one that was
// set in the application, otherwise the address the web process listens on. `serve` and `web` record what they use for processes
// that are started without their settings: commands, and workers on other machines. A running process takes over a change within
// seconds. Content that is frozen already keeps its URL.
import type { App, Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { basePathOf } from '../../base/public-paths.ts';
import { type Config, readWebUrl } from '../../config.ts';
import { isUnavailable, type Queries, sql } from '../../db/connect.ts';
import { renewSession } from '../access/session.ts';
import { listIdHost } from './installation.ts';

/** How often a process re-reads it. */
const readEveryMs = 5_000;

export type PublicUrl = { url: string; source: 'operator' | 'application' | 'default' };

/** @param listens whether this process listens at the address in its settings; others use what `serve` or `web` recorded */
export async function publicUrl(db: Queries, config: Config, listens = true): Promise<PublicUrl> {
  if (config.baseUrl !== '') return { url: config.baseUrl, source: 'operator' };
  const rows = await db.rows<{ key: string; value: unknown }>(
    sql`select key, value from installation where key in ('base_url', 'served_url')`,
  );
  const stored = (name: string) => rows.find(({ key }) => key === name)?.value;
  const served = listens ? undefined : (stored('served_url') as PublicUrl | undefined);
  if (served?.source === 'operator') return served;
  const chosen = stored('base_url') as string | undefined;
  if (chosen !== undefined) return { url: chosen, source: 'application' };
  return served ?? { url: listeningUrl(config), source: 'default' };
}

/** Records the URL that `serve` or `web` uses. */
export async function recordPublicUrl(db: Queries, served: PublicUrl): Promise<void> {
  await db.run(sql`
    insert into installation (key, value)
    values ('served_url', ${JSON.stringify(served)})
    on conflict (key) do update
    set value = excluded.value`);
}

/**
 * Sets the URL. A session whose cookie has another name or path under the new URL gets a new token, so that its owner stays
 * signed in.
 * @throws Fault NOT_ALLOWED, INVALID_PARAMETER
 */
export async function setPublicUrl({ app, account, caller, tx }: Context, text: string): Promise<string> {
  if (app.config.baseUrl !== '') throw fault('NOT_ALLOWED', 'setup.set_by_operator', { url: app.config.baseUrl });
  const url = readWebUrl(text.trim());
  if (url === undefined) throw fault('INVALID_PARAMETER', 'setup.not_a_url', { member: 'url' });
  await tx.run(sql`
    insert into installation (key, value)
    values ('base_url', ${JSON.stringify(url)})
    on conflict (key) do update
    set value = excluded.value`);
  const [before, now] = [new URL(app.baseUrl), new URL(url)];
  const moves = before.protocol !== now.protocol || basePathOf(app.baseUrl) !== basePathOf(url);
  if (caller.kind === 'user' && moves) {
    const token = await renewSession(tx, { id: caller.sessionId, userId: caller.userId }, account.id);
    if (token !== undefined) caller.renewed(token);
  }
  return url;
}

/** Takes over a URL that was set in the application, and in a process that does not listen also one that was recorded. */
export async function refreshPublicUrl(app: App, listens = true): Promise<void> {
  const { url, source } = await publicUrl(app.db, app.config, listens);
  // The web process knows its address better than its settings do.
  if ((listens && source !== 'application') || url === app.baseUrl) return;
  app.listIdHost = await listIdHost(app.db, url);
  app.baseUrl = url;
  app.log.info({ url }, 'the public URL has changed');
}

/** Re-reads the URL until the connections of the database are closed. */
export function watchPublicUrl(app: App, listens: boolean): void {
  if (app.config.baseUrl !== '') return;
  let reads = false;
  const timer = setInterval(async () => {
    if (app.db.pool.ending) return clearInterval(timer);
    if (reads) return;
    reads = true;
    try {
      await refreshPublicUrl(app, listens);
    } catch (error) {
      if (!isUnavailable(error)) app.log.error({ err: error }, 'the public URL cannot be read; retrying');
    } finally {
      reads = false;
    }
  }, readEveryMs);
  timer.unref();
}

function listeningUrl({ host: given, port }: Config): string {
  const host = given === '0.0.0.0' || given === '::' ? 'localhost' : given;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
