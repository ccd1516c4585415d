// The relays of this installation: those of SMTP_URL first, then those that were set up in the application. Without any, the
// built-in inbox, unless relays were set up before: removing the last one in mid-campaign must not deliver the rest to the
// inbox. Also our name in EHLO.
import type { App } from '../../base/context.ts';
import { parseSmtpUrl, type Relay } from '../../base/relay/relay.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { credentialsOf, type RelayRow, relayOf, relayRows } from './relay-row.ts';

/** Set in SMTP_URL, set up in the application, or the built-in inbox. */
export const relaySources = ['operator', 'application', 'inbox'] as const;

/** `row` is there for relays that were set up in the application. */
export type ListedRelay = {
  source: (typeof relaySources)[number];
  relay: Relay;
  row?: RelayRow;
  /** Why it takes no messages, whatever its state. */
  unused: '' | 'paused' | 'sealed';
};

/** All relays, also those that take no messages now. */
export async function allRelays(app: App, db: Queries): Promise<ListedRelay[]> {
  const { smtpUrls, inboxPort } = app.config;
  const rows = await relayRows(db);
  const listed: ListedRelay[] = [
    ...smtpUrls.map((url) => ({ source: 'operator' as const, relay: parseSmtpUrl(url), unused: '' as const })),
    ...rows.map((row) => ({
      source: 'application' as const,
      relay: relayOf(app, row),
      row,
      unused: whyUnused(app, row),
    })),
  ];
  if (listed.length > 0 || inboxPort <= 0 || !(await usesInbox(db))) return listed;
  return [
    {
      source: 'inbox',
      // Its port may be another at each start; what it has counted is found by its id.
      relay: { ...parseSmtpUrl(`smtp://127.0.0.1:${inboxPort}?tls=none&connections=16`), id: 'inbox' },
      unused: '',
    },
  ];
}

/** All relays, as the pool needs them: those that take no messages are paused, whatever the reason. */
export async function relaysOf(app: App): Promise<Relay[]> {
  const listed = await allRelays(app, app.db);
  return listed.map(({ relay, unused }) => (unused === '' ? relay : { ...relay, isPaused: true }));
}

/** Whether mail stays in the built-in inbox while no relay is set up. */
export async function usesInbox(db: Queries): Promise<boolean> {
  const row = await db.row<{ had: boolean }>(sql`
    select exists (select from installation where key = 'relays_set_up') as had`);
  return !row!.had;
}

function whyUnused(app: App, row: RelayRow): ListedRelay['unused'] {
  if (row.pausedAt !== null) return 'paused';
  return credentialsOf(app, row) === null ? 'sealed' : '';
}

/** The host of the public URL if it is a name, else the address literal of loopback. */
export function ehloNameOf(app: App): string {
  const { hostname } = new URL(app.baseUrl);
  return /^[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(hostname) && !/^[\d.]+$/.test(hostname) ? hostname : '[127.0.0.1]';
}
