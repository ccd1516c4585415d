// The relays of this installation from the settings, a warning about those without verified TLS, and our name in EHLO.
import type { App } from '../../base/context.ts';
import type { Log } from '../../base/log.ts';
import { refusal } from '../../base/outbound/addresses.ts';
import { describeRelay, parseSmtpUrl, type Relay } from '../../base/relay/relay.ts';
import { addressesOf } from '../smtp/lookup.ts';

/** The relays of SMTP_URL, else the built-in inbox; none if this process does not know the inbox's port. */
export function relaysOf(app: App): Relay[] {
  const { smtpUrls, inboxPort } = app.config;
  if (smtpUrls.length > 0) return smtpUrls.map(parseSmtpUrl);
  return inboxPort > 0 ? [parseSmtpUrl(`smtp://127.0.0.1:${inboxPort}?tls=none&connections=4`)] : [];
}

/** @throws Error if there is no relay */
export function needRelays(app: App): Relay[] {
  const relays = relaysOf(app);
  if (relays.length === 0) throw new Error('No relay: set SMTP_URL, or INBOX_PORT of a running built-in inbox.');
  return relays;
}

/**
 * Warns of relays in a public network whose TLS anyone on the way can remove or imitate. On loopback and in private networks
 * that is no matter; a name that cannot be resolved is reported when a connection to it fails.
 */
export async function warnOfUnverifiedRelays(
  relays: readonly Relay[],
  log: Log,
  lookup: (host: string) => Promise<{ address: string }[]> = addressesOf,
): Promise<void> {
  for (const relay of relays) {
    if (relay.tls !== 'opportunistic' && relay.tls !== 'none') continue;
    const addresses = await lookup(relay.host).catch(() => []);
    if (addresses.some(({ address }) => refusal(address, []) === null))
      log.warn(
        { relay: describeRelay(relay) },
        'mail goes to a remote relay without verified TLS; set tls=require in SMTP_URL',
      );
  }
}

/** The host of the public URL if it is a name, else the address literal of loopback. */
export function ehloNameOf(app: App): string {
  const { hostname } = new URL(app.baseUrl);
  return /^[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(hostname) && !/^[\d.]+$/.test(hostname) ? hostname : '[127.0.0.1]';
}
