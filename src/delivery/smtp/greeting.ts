// The conversation before the first mail: banner, EHLO (or HELO), STARTTLS by policy, AUTH.
// Promises a session in which mail may be given, or the outcome that says at which step it ended and why.
// Never gives a password over plain text unless the relay's policy is `none`, or the relay is this machine.
import { prove } from './auth.ts';
import type { Ask, Channel } from './channel.ts';
import { type Lost, limitsMs, type Replied, type Stage } from './outcome.ts';
import type { Relay } from './relay.ts';
import { type Reply, replied } from './replies.ts';

/** What the server said it can do (RFC 1869, 1870, 2920, 6152, 6531). */
export type Capabilities = {
  pipelining: boolean;
  eightBit: boolean;
  smtpUtf8: boolean;
  starttls: boolean;
  /** The server knows SIZE; 0 octets means without a fixed limit. */
  size?: number;
  auth: string[];
};

export type Greeted =
  | { ok: true; capabilities: Capabilities }
  /** `plainAgain`: TLS failed where the policy allows plain text, which takes a new connection. */
  | { ok: false; outcome: Replied | Lost; plainAgain?: true };

export async function greet(channel: Channel, relay: Relay, ehloName: string, tryTls: boolean): Promise<Greeted> {
  const ask = asker(channel);
  const banner = await ask(undefined, 'connect');
  if ('lost' in banner) return { ok: false, outcome: banner.lost };
  if (banner.reply.code !== 220) return refused(banner.reply, 'connect');

  let hello = await sayHello(ask, ehloName);
  if (!hello.ok) return hello;

  const wanted = relay.tls === 'require' || (relay.tls === 'opportunistic' && tryTls);
  if (wanted && !hello.capabilities.starttls && relay.tls === 'require')
    return lost('starttls', 'tls', 'the server offers no STARTTLS and the relay demands TLS');
  if (wanted && hello.capabilities.starttls) {
    const go = await ask('STARTTLS', 'starttls');
    if ('lost' in go) return { ok: false, outcome: go.lost, ...plainAgain(relay) };
    if (go.reply.code === 220) {
      await channel.secure(relay.tls === 'require');
      if (channel.ended) return { ...lost('starttls', channel.ended.why, channel.ended.text), ...plainAgain(relay) };
      // RFC 3207 4.2: all that was learnt before is forgotten.
      hello = await sayHello(ask, ehloName);
      if (!hello.ok) return hello;
    } else if (relay.tls === 'require' || go.reply.code === 421) return refused(go.reply, 'starttls');
  }
  if (relay.auth) {
    const open = channel.encrypted !== undefined || relay.tls === 'none' || channel.local;
    const denied = await prove(ask, relay.auth, hello.capabilities.auth, channel.encrypted !== undefined, open);
    if (denied) return { ok: false, outcome: denied };
  }
  return hello;
}

/** What an EHLO reply offers. */
export function capabilitiesOf(lines: readonly string[]): Capabilities {
  const found: Capabilities = { pipelining: false, eightBit: false, smtpUtf8: false, starttls: false, auth: [] };
  // The first line is the server's name.
  for (const line of lines.slice(1)) {
    const [keyword = '', ...rest] = line
      .trim()
      .toUpperCase()
      .split(/[\s=]+/);
    if (keyword === 'PIPELINING') found.pipelining = true;
    else if (keyword === '8BITMIME') found.eightBit = true;
    else if (keyword === 'SMTPUTF8') found.smtpUtf8 = true;
    else if (keyword === 'STARTTLS') found.starttls = true;
    else if (keyword === 'SIZE') found.size = /^\d{1,15}$/.test(rest[0] ?? '') ? Number(rest[0]) : 0;
    // Old servers write AUTH=LOGIN, some both forms.
    else if (keyword === 'AUTH') found.auth.push(...rest.filter((name) => !found.auth.includes(name)));
  }
  return found;
}

async function sayHello(ask: Ask, name: string): Promise<Greeted> {
  const ehlo = await ask(`EHLO ${name}`, 'ehlo');
  if ('lost' in ehlo) return { ok: false, outcome: ehlo.lost };
  if (ehlo.reply.code === 250) return { ok: true, capabilities: capabilitiesOf(ehlo.reply.lines) };
  if (ehlo.reply.code < 500) return refused(ehlo.reply, 'ehlo');
  // RFC 5321 3.2: a server that does not know EHLO may know HELO; it has no extensions then.
  const helo = await ask(`HELO ${name}`, 'ehlo');
  if ('lost' in helo) return { ok: false, outcome: helo.lost };
  return helo.reply.code === 250 ? { ok: true, capabilities: capabilitiesOf([]) } : refused(helo.reply, 'ehlo');
}

function asker(channel: Channel): Ask {
  return (line, stage) =>
    new Promise((resolve) => {
      const ended = (why: Lost['why'], text: string) =>
        resolve({ lost: { kind: 'lost', stage, dotted: false, why, text } });
      if (channel.ended) return ended(channel.ended.why, channel.ended.text);
      channel.onEnd = (end) => ended(end.why, end.text);
      channel.onReply = (reply) => {
        // A second reply to one command has nobody to answer to.
        channel.onReply = () => channel.end('garbage', 'the server replied twice to one command');
        channel.unhurried();
        resolve({ reply });
      };
      channel.within(limitsMs[stage], stage === 'connect' ? 'the banner' : `the reply to ${stage}`);
      if (line !== undefined) channel.write(`${line}\r\n`);
    });
}

function plainAgain(relay: Relay): { plainAgain?: true } {
  return relay.tls === 'opportunistic' ? { plainAgain: true } : {};
}

function refused(reply: Reply, stage: Stage): Greeted & { ok: false } {
  // Anything but the code waited for is a refusal; a 2yz out of place is none and would read as success.
  return reply.code >= 400
    ? { ok: false, outcome: replied(reply, stage, false) }
    : lost(stage, 'garbage', `an unexpected ${reply.code}`);
}

function lost(stage: Stage, why: Lost['why'], text: string): Greeted & { ok: false } {
  return { ok: false, outcome: { kind: 'lost', stage, dotted: false, why, text } };
}
