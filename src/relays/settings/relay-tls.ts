// The TLS of relays as people see it: what the last connection had, and a warning for a relay at a public address whose policy
// does not verify TLS. On loopback and in private networks that does not matter. Names are resolved here, outside transactions.
import { isIP } from 'node:net';
import type { Log } from '../../base/log.ts';
import { type Message, message } from '../../base/messages.ts';
import { refusal } from '../../base/outbound/addresses.ts';
import { describeRelay, type Relay } from '../../base/relay/relay.ts';
import { remember } from '../../base/remember.ts';
import type { LastConnection, RelayStatus } from '../smtp/line/line-status.ts';
import { addressesOf } from '../smtp/lookup.ts';

type Lookup = (host: string) => Promise<{ address: string }[]>;

const lookupMs = 2_000;
/** A screen asks every few seconds. */
const rememberMs = 60_000;
const maxNames = 200;

/** Warns once of the relays in a public network whose TLS anyone on the way can remove or imitate. */
export async function warnOfUnverifiedRelays(
  relays: readonly Relay[],
  log: Log,
  lookup: Lookup = addressesOf,
): Promise<void> {
  for (const relay of relays)
    if (isUnverified(relay) && (await isPublic(relay.host, lookup)))
      log.warn({ relay: describeRelay(relay) }, 'mail goes to a remote relay without verified TLS; set TLS to require');
}

/** The hosts among those of relays without verified TLS that are in a public network. Takes two seconds at most. */
export async function remoteHosts(relays: readonly Relay[]): Promise<Set<string>> {
  const hosts = [...new Set(relays.filter(isUnverified).map(({ host }) => host))];
  const remote = await Promise.all(hosts.map(isRemote));
  return new Set(hosts.filter((_, index) => remote[index]));
}

/** The most recent connection that any worker opened. */
export function lastConnectionOf(statuses: readonly RelayStatus[]): LastConnection | null {
  const opened = statuses.flatMap(({ last }) => last ?? []);
  return opened.sort((a, b) => b.at.localeCompare(a.at))[0] ?? null;
}

/** What to change; null when the TLS of the relay is verified, or no one else is on the way to it. */
export function tlsWarning(relay: Relay, isRemote: boolean, last: LastConnection | null): Message | null {
  if (!isRemote || !isUnverified(relay)) return null;
  if (relay.tls === 'none' || last?.tls === null) return message('relay.tls_plain');
  if (last?.tls.verified) return message('relay.tls_not_required');
  return message('relay.tls_unverified');
}

/** Whether a policy lets messages go to a server that did not prove its name. */
function isUnverified({ tls }: Pick<Relay, 'tls'>): boolean {
  return tls === 'opportunistic' || tls === 'none';
}

const answers = new Map<string, { isRemote: Promise<boolean>; until: number }>();

async function isRemote(host: string): Promise<boolean> {
  const known = answers.get(host);
  if (known && performance.now() < known.until) return known.isRemote;
  const answer = within(lookupMs, isPublic(host, addressesOf));
  remember(answers, host, { isRemote: answer, until: performance.now() + rememberMs }, maxNames);
  return answer;
}

/** A name that cannot be resolved is reported when a connection to it fails. */
async function isPublic(host: string, lookup: Lookup): Promise<boolean> {
  const addresses = isIP(host) ? [{ address: host }] : await lookup(host).catch(() => []);
  return addresses.some(({ address }) => refusal(address, []) === null);
}

async function within(limitMs: number, answer: Promise<boolean>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), limitMs);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}
