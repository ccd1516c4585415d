// Composes an automatic message and sends it over the worker's relay pool, within the connections, rate and warm-up of its
// relays. Throws on a temporary failure, so that the queue retries; a message that a server refused is logged and dropped.
import { createHash, randomBytes } from 'node:crypto';
import { senderOf } from '../base/relay/message-sender.ts';
import { ehloNameOf, relaysOf } from '../delivery/relays/relay-list.ts';
import { RelayPool, type Submission } from '../delivery/smtp/relay-pool.ts';
import { type Verdict, verdict } from '../delivery/verdict/verdict.ts';
import type { TaskContext } from '../jobs/tasks.ts';

/** A message waits at most this long for the relay pool, so that a slow relay does not occupy the slots for jobs. */
const maxWaitMs = 30_000;

type AutomaticMessage = {
  /** Decides with From which relays may take it; 0 for the installation. */
  account: number;
  /** Appears in the Message-ID and the log. */
  kind: string;
  from: { name: string; address: string };
  replyTo?: string;
  to: string;
  /** The envelope sender; the From address by default. */
  returnPath?: string;
  subject: string;
  text: string;
  html?: string;
  headers?: Record<string, string>;
  /**
   * The job that sends it. Its attempts send one Message-ID, so that a mailbox recognises a duplicate: a worker may die
   * between the server's reply and the end of the job.
   */
  job?: string | undefined;
};

/** The pool is the worker's; without it a message gets a connection of its own. */
export type MailContext = TaskContext & { relayPool?: RelayPool };
export type SendContext = Pick<MailContext, 'app' | 'log' | 'signal' | 'relayPool'>;

type Sent = Exclude<Verdict, { kind: 'later' | 'notSent' }>;

/**
 * Returns what became of the message, if it is not sent again.
 * @param sign returns the message with its signature; without it the message is sent unsigned
 * @throws Error on a temporary failure, so that the queue retries
 */
export async function sendMessage(
  context: SendContext,
  { account, kind, headers, job, returnPath, ...parts }: AutomaticMessage,
  sign = async (message: Buffer) => message,
): Promise<Sent> {
  const { from, to } = parts;
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
  // Loaded on first use: it takes 10 MB.
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer/index.js');
  const message = await new MailComposer({
    ...parts,
    messageId: `<${kind}.${messageNameOf(job, to)}@${domain}>`,
    headers: { 'Auto-Submitted': 'auto-generated', ...headers },
    textEncoding: 'quoted-printable',
  })
    .compile()
    .build();
  const result = await sendOverRelays(context, {
    sender: senderOf(account, from.address),
    mailFrom: returnPath ?? from.address,
    rcptTo: to,
    message: dotStuffed(await sign(message)),
  });
  if (result.kind === 'later' || result.kind === 'notSent')
    throw new Error(`no relay took the ${kind} message; retrying`);
  const { log } = context;
  // Not repeated: the recipient can ask again, and would otherwise get two.
  if (result.kind === 'unclear') log.warn({ kind, reply: result.text }, 'an automatic message may have been sent');
  else if (result.kind !== 'accepted') log.warn({ kind, reply: result.text }, 'an automatic message was refused');
  return result;
}

/** Sends a message over the worker's relay pool; without one, over a connection of its own. */
export async function sendOverRelays(
  { app, log, signal, relayPool }: SendContext,
  message: Pick<Submission, 'sender' | 'mailFrom' | 'rcptTo' | 'message'>,
): Promise<Verdict> {
  const given = { ...message, onDot: () => true };
  if (relayPool) {
    const deadline = performance.now() + maxWaitMs;
    const mayBegin = () => !signal.aborted && performance.now() < deadline;
    return verdict(await relayPool.send({ ...given, mayBegin }));
  }
  const ownPool = new RelayPool(await relaysOf(app), { ehloName: ehloNameOf(app), log, maxConnections: 1 });
  try {
    return verdict(await ownPool.send(given));
  } finally {
    await ownPool.close();
  }
}

function messageNameOf(job: string | undefined, to: string): string {
  const bytes =
    job === undefined ? randomBytes(12) : createHash('sha256').update(`${job} ${to}`).digest().subarray(0, 12);
  return bytes.toString('hex');
}

/** CRLF line ends, a dot before every dot that starts a line (RFC 5321 4.5.2), CRLF at the end. */
function dotStuffed(message: Buffer): Buffer {
  const lines = message
    .toString('latin1')
    .replace(/\r\n|\r|\n/g, '\r\n')
    .replace(/^\./gm, '..');
  return Buffer.from(lines.endsWith('\r\n') ? lines : `${lines}\r\n`, 'latin1');
}
