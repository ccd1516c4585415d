// The relays of this installation as the settings name them, and the name we greet them with.
import type { App } from '../../base/context.ts';
import { parseSmtpUrl, type Relay } from '../smtp/relay.ts';

/** The relays of SMTP_URL, else the built-in inbox; none when this process was not told where that listens. */
export function relaysOf(app: App): Relay[] {
  const { smtpUrls, inboxPort } = app.config;
  if (smtpUrls.length > 0) return smtpUrls.map(parseSmtpUrl);
  return inboxPort > 0 ? [parseSmtpUrl(`smtp://127.0.0.1:${inboxPort}?tls=none&connections=4`)] : [];
}

/** @throws Error when there is no way for mail to leave */
export function needRelays(app: App): Relay[] {
  const relays = relaysOf(app);
  if (relays.length === 0)
    throw new Error('No way for mail to leave: give SMTP_URL, or INBOX_PORT of a running built-in inbox.');
  return relays;
}

/** The host of the public address when it is a name, else what says nothing wrong. */
export function ehloNameOf(app: App): string {
  const { hostname } = new URL(app.baseUrl);
  return /^[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(hostname) && !/^[\d.]+$/.test(hostname) ? hostname : '[127.0.0.1]';
}
