// Opens a connection to a relay: connects, greets, starts TLS and authenticates as the relay's policy asks for.
// Guarantees either a connection that takes messages or the outcome that names the step that failed.

import type { Relay } from '../../base/relay/relay.ts';
import type { Lost, Replied } from '../verdict/outcome.ts';
import { Channel } from './channel.ts';
import { Connection } from './connection.ts';
import { greet } from './greeting.ts';
import { refusedAddress } from './lookup.ts';

export type ConnectionOptions = {
  /** Our name in EHLO, as the server can look it up. */
  ehloName: string;
  /** Shortens every time limit, for tests. */
  timeScale?: number;
  /** Certificates to trust instead of the system's. */
  ca?: string | Buffer;
  /** The longest wait for a reply until the connection is open, in milliseconds. */
  maxWaitMs?: number;
  /** Called when the server, or what is in front of it, has accepted a connection: before its greeting. */
  connected?: () => void;
  /** Called whenever the server has sent something. */
  heard?: () => void;
};

export type Opened = { ok: true; connection: Connection } | { ok: false; outcome: Replied | Lost };

export async function openConnection(relay: Relay, options: ConnectionOptions): Promise<Opened> {
  if (!/^[A-Za-z0-9._:[\]-]{1,255}$/.test(options.ehloName))
    throw new Error(`${options.ehloName} is not a valid name for EHLO`);
  const refused = refusedAddress(relay);
  if (refused)
    return { ok: false, outcome: { kind: 'lost', stage: 'connect', dotted: false, why: 'closed', text: refused } };
  const notes: string[] = [];
  for (let tryTls = true; ; tryTls = false) {
    const channel = new Channel(relay, {
      timeScale: options.timeScale ?? 1,
      ...(options.ca ? { ca: options.ca } : {}),
      connected: options.connected,
      heard: options.heard,
    });
    channel.maxWaitMs = options.maxWaitMs ?? Number.POSITIVE_INFINITY;
    await channel.ready();
    if (channel.ended)
      return { ok: false, outcome: { kind: 'lost', stage: 'connect', dotted: false, ...channel.ended } };
    const greeted = await greet(channel, relay, options.ehloName, tryTls);
    if (greeted.ok) {
      channel.maxWaitMs = Number.POSITIVE_INFINITY;
      const { tls } = channel;
      if (relay.tls !== 'none' && !tls) notes.push('without TLS');
      if (tls && !tls.verified) notes.push(`certificate not valid: ${tls.problem}`);
      return { ok: true, connection: new Connection(channel, greeted.capabilities, notes) };
    }
    channel.end('closed', 'given up');
    if (!greeted.retryPlain || !tryTls) return { ok: false, outcome: greeted.outcome };
    notes.push(`TLS failed: ${'text' in greeted.outcome ? greeted.outcome.text : ''}`);
  }
}
