// The session before the first message: banner, EHLO (or HELO), STARTTLS by policy, AUTH.
// Guarantees a session that accepts messages, or the outcome with the step that failed and why.
// Never sends a password in plain text unless the relay's policy is `none`, or the relay is on this machine.

import type { Relay } from '../../base/relay/relay.ts';
import { type Lost, limitsMs, type Replied, type Stage } from '../verdict/outcome.ts';
import { authenticate } from './auth.ts';
import type { Ask, Channel, End } from './channel.ts';
import { type Reply, replied } from './replies.ts';

/** The extensions the server offers (RFC 1869, 1870, 2920, 3461, 6152, 6531). */
export type Capabilities = {
  pipelining: boolean;
  eightBit: boolean;
  smtpUtf8: boolean;
  starttls: boolean;
  dsn?: boolean;
  /** The limit of the SIZE extension in octets; 0 means no fixed limit. */
  size?: number;
  auth: string[];
};

export type Greeted =
  | { ok: true; capabilities: Capabilities }
  /** `retryPlain`: TLS failed but the policy allows plain text, which needs a new connection. */
  | { ok: false; outcome: Replied | Lost; retryPlain?: true };

export async function greet(channel: Channel, relay: Relay, ehloName: string, tryTls: boolean): Promise<Greeted> {
  const ask = askOver(channel);
  const banner = await ask(undefined, 'connect');
  if ('lost' in banner) return { ok: false, outcome: banner.lost };
  if (banner.reply.code !== 220) return refused(banner.reply, 'connect');

  let hello = await sendHello(ask, ehloName);
  if (!hello.ok) return hello;

  const useTls = relay.tls === 'require' || (relay.tls === 'opportunistic' && tryTls);
  if (useTls && !hello.capabilities.starttls && relay.tls === 'require')
    return lost('starttls', 'tls', 'the server offers no STARTTLS and the relay demands TLS');
  if (useTls && hello.capabilities.starttls) {
    const go = await ask('STARTTLS', 'starttls');
    if ('lost' in go) return { ok: false, outcome: go.lost, ...retryPlain(relay) };
    if (go.reply.code === 220) {
      await channel.secure(relay.tls === 'require');
      if (channel.ended) return { ok: false, outcome: lostWith('starttls', channel.ended), ...retryPlain(relay) };
      // RFC 3207 4.2: what the server offered before TLS is discarded.
      hello = await sendHello(ask, ehloName);
      if (!hello.ok) return hello;
    } else if (relay.tls === 'require' || go.reply.code === 421) return refused(go.reply, 'starttls');
  }
  if (relay.auth) {
    const clearAllowed = channel.tls !== undefined || relay.tls === 'none' || channel.local;
    const denied = await authenticate(
      ask,
      relay.auth,
      hello.capabilities.auth,
      channel.tls !== undefined,
      clearAllowed,
    );
    if (denied) return { ok: false, outcome: denied };
  }
  return hello;
}

/** The capabilities in an EHLO reply. */
export function capabilitiesOf(lines: readonly string[]): Capabilities {
  const capabilities: Capabilities = { pipelining: false, eightBit: false, smtpUtf8: false, starttls: false, auth: [] };
  // The first line is the server's name.
  for (const line of lines.slice(1)) {
    const [keyword = '', ...rest] = line
      .trim()
      .toUpperCase()
      .split(/[\s=]+/);
    if (keyword === 'PIPELINING') capabilities.pipelining = true;
    else if (keyword === '8BITMIME') capabilities.eightBit = true;
    else if (keyword === 'SMTPUTF8') capabilities.smtpUtf8 = true;
    else if (keyword === 'STARTTLS') capabilities.starttls = true;
    else if (keyword === 'DSN') capabilities.dsn = true;
    else if (keyword === 'SIZE') capabilities.size = /^\d{1,15}$/.test(rest[0] ?? '') ? Number(rest[0]) : 0;
    // Old servers write AUTH=LOGIN, some both forms.
    else if (keyword === 'AUTH') capabilities.auth.push(...rest.filter((name) => !capabilities.auth.includes(name)));
  }
  return capabilities;
}

async function sendHello(ask: Ask, name: string): Promise<Greeted> {
  const ehlo = await ask(`EHLO ${name}`, 'ehlo');
  if ('lost' in ehlo) return { ok: false, outcome: ehlo.lost };
  if (ehlo.reply.code === 250) return { ok: true, capabilities: capabilitiesOf(ehlo.reply.lines) };
  if (ehlo.reply.code < 500) return refused(ehlo.reply, 'ehlo');
  // RFC 5321 3.2: a server that does not know EHLO may know HELO, without extensions.
  const helo = await ask(`HELO ${name}`, 'ehlo');
  if ('lost' in helo) return { ok: false, outcome: helo.lost };
  return helo.reply.code === 250 ? { ok: true, capabilities: capabilitiesOf([]) } : refused(helo.reply, 'ehlo');
}

function askOver(channel: Channel): Ask {
  return (line, stage) =>
    new Promise((resolve) => {
      const ended = (end: End) => resolve({ lost: lostWith(stage, end) });
      if (channel.ended) return ended(channel.ended);
      channel.onEnd = ended;
      channel.onReply = (reply) => {
        channel.onReply = () => channel.end('garbage', 'the server replied twice to one command');
        channel.clearDeadline();
        resolve({ reply });
      };
      channel.within(limitsMs[stage], stage === 'connect' ? 'the banner' : `the reply to ${stage}`);
      if (line !== undefined) channel.write(`${line}\r\n`);
    });
}

function retryPlain(relay: Relay): { retryPlain?: true } {
  return relay.tls === 'opportunistic' ? { retryPlain: true } : {};
}

function refused(reply: Reply, stage: Stage): Greeted & { ok: false } {
  // Only 4yz and 5yz are refusals; any other unexpected code is a protocol error, so that it never counts as success.
  return reply.code >= 400
    ? { ok: false, outcome: replied(reply, stage, false) }
    : lost(stage, 'garbage', `an unexpected ${reply.code}`);
}

function lost(stage: Stage, why: Lost['why'], text: string): Greeted & { ok: false } {
  return { ok: false, outcome: lostWith(stage, { why, text }) };
}

const lostWith = (stage: Stage, end: End): Lost => ({ kind: 'lost', stage, dotted: false, ...end });
