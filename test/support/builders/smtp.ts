// Relays, messages and connections for the tests of the SMTP client, with every member overridable.
import { createHash } from 'node:crypto';
import type { Relay } from '../../../src/base/relay/relay.ts';
import type { Connection } from '../../../src/relays/smtp/connection.ts';
import type { Message } from '../../../src/relays/smtp/envelope.ts';
import { type ConnectionOptions, openConnection } from '../../../src/relays/smtp/open-connection.ts';
import type { Outcome } from '../../../src/relays/verdict/outcome.ts';

export function relayTo(port: number, overrides: Partial<Relay> = {}): Relay {
  return { id: `127.0.0.1:${port}`, host: '127.0.0.1', port, tls: 'none', connections: 4, weight: 1, ...overrides };
}

export function mailTo(rcptTo: string, overrides: Partial<Message> = {}): Message {
  return {
    mailFrom: 'bounce@sender.example',
    rcptTo,
    message: text(`Message-ID: <${createHash('sha1').update(rcptTo).digest('hex')}@sender.example>`, '', 'Hello.'),
    onDot: () => true,
    ...overrides,
  };
}

export function text(...lines: string[]): Buffer {
  return Buffer.from(lines.map((line) => `${line}\r\n`).join(''));
}

export function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

export async function connectTo(
  port: number,
  relay: Partial<Relay> = {},
  options: Partial<ConnectionOptions> = {},
): Promise<Connection> {
  const opened = await openConnection(relayTo(port, relay), { ehloName: 'client.example', ...options });
  if (!opened.ok) throw new Error(`not opened: ${JSON.stringify(opened.outcome)}`);
  return opened.connection;
}

/** An outcome in one word, for tables: "250 at dot", "lost at mail: timeout", "lost at dot: closed, dotted". */
export function inShort(outcome: Outcome): string {
  if (outcome.kind === 'notSent') return 'notSent';
  const dotted = outcome.dotted ? ', dotted' : '';
  if (outcome.kind === 'lost')
    return `lost at ${outcome.stage}: ${outcome.why}${dotted}${outcome.untried ? ', untried' : ''}`;
  return `${outcome.code} at ${outcome.stage}${dotted}`;
}
