// Composes an automatic message and sends it over the service's relays, with one connection for this message only.
// Throws on a temporary failure, so that the queue retries; a message that a server refused is logged and dropped.
import { randomBytes } from 'node:crypto';
import type { App } from '../base/context.ts';
import type { Log } from '../base/log.ts';
import { needRelays } from '../delivery/pace/relay-list.ts';
import { RelayPool } from '../delivery/smtp/relay-pool.ts';
import { verdict } from '../delivery/verdict/verdict.ts';

type AutomaticMessage = {
  /** Appears in the Message-ID and the log. */
  kind: string;
  from: { name: string; address: string };
  replyTo?: string;
  to: string;
  subject: string;
  text: string;
  html?: string;
  headers?: Record<string, string>;
};

/** @param sign returns the message with its signature; without it the message is sent unsigned */
export async function sendMessage(
  app: App,
  log: Log,
  { kind, headers, ...parts }: AutomaticMessage,
  sign = async (message: Buffer) => message,
): Promise<void> {
  const { from, to } = parts;
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
  // Loaded on first use: it takes 10 MB.
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer/index.js');
  const message = await new MailComposer({
    ...parts,
    messageId: `<${kind}.${randomBytes(12).toString('hex')}@${domain}>`,
    headers: { 'Auto-Submitted': 'auto-generated', ...headers },
    textEncoding: 'quoted-printable',
  })
    .compile()
    .build();
  const relayPool = new RelayPool(needRelays(app), { ehloName: '[127.0.0.1]', log, maxConnections: 1 });
  try {
    const outcome = await relayPool.send({
      mailFrom: from.address,
      rcptTo: to,
      message: dotStuffed(await sign(message)),
      onDot: () => true,
    });
    const result = verdict(outcome);
    if (result.kind === 'later' || result.kind === 'notSent')
      throw new Error(`no relay took the ${kind} message; retrying`);
    if (result.kind !== 'accepted') log.warn({ kind, reply: result.text }, 'an automatic message was refused');
  } finally {
    await relayPool.close();
  }
}

/** CRLF line ends, a dot before every dot that starts a line (RFC 5321 4.5.2), CRLF at the end. */
function dotStuffed(message: Buffer): Buffer {
  const lines = message
    .toString('latin1')
    .replace(/\r\n|\r|\n/g, '\r\n')
    .replace(/^\./gm, '..');
  return Buffer.from(lines.endsWith('\r\n') ? lines : `${lines}\r\n`, 'latin1');
}
