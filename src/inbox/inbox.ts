// The built-in inbox: a real SMTP server on loopback that keeps what it gets, for installations without a relay and
// for trying things out. Says 250 only when the message is in the database.
import type { AddressInfo } from 'node:net';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import type { App } from '../base/context.ts';
import { isUnavailable, sql, type Tx } from '../db/connect.ts';
import { parseId } from '../db/ids.ts';

/** The newest messages that are kept. */
const maxKept = 10_000;
const maxBytes = 20 * 1024 * 1024;
const maxInGroup = 200;

export type Inbox = { port: number; close(): Promise<void> };

type Arrived = { mailFrom: string; rcptTo: string[]; source: Buffer };

export async function startInbox(app: App): Promise<Inbox> {
  const keep = groupWriter(app);
  const server = new SMTPServer({
    name: 'postrider.inbox',
    banner: 'Postrider inbox',
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    size: maxBytes,
    logger: false,
    disableReverseLookup: true,
    closeTimeout: 1_000,
    onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (stream.sizeExceeded)
          return callback(Object.assign(new Error('5.3.4 The message is too large'), { responseCode: 552 }));
        const arrived: Arrived = {
          mailFrom: session.envelope.mailFrom ? session.envelope.mailFrom.address : '',
          rcptTo: session.envelope.rcptTo.map((recipient) => recipient.address),
          source: Buffer.concat(chunks),
        };
        keep(arrived).then(
          () => callback(),
          (error) => {
            if (!isUnavailable(error)) app.log.error({ err: error }, 'the built-in inbox could not store a message');
            callback(Object.assign(new Error('4.3.0 Cannot keep the message now'), { responseCode: 451 }));
          },
        );
      });
    },
  });
  server.on('error', (error) => app.log.debug({ err: error }, 'a connection to the inbox failed'));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(app.config.inboxPort, '127.0.0.1', () => resolve());
  });
  const tidy = setInterval(() => void trim(app).catch(() => {}), 30_000);
  return {
    port: (server.server.address() as AddressInfo).port,
    async close() {
      clearInterval(tidy);
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** Writes messages that arrive together in one statement; each is answered after the commit. */
function groupWriter(app: App): (arrived: Arrived) => Promise<void> {
  let waiting: { arrived: Arrived; resolve: () => void; reject: (error: unknown) => void }[] = [];
  let writing = false;
  const pump = async () => {
    if (writing) return;
    writing = true;
    while (waiting.length > 0) {
      const group = waiting.slice(0, maxInGroup);
      waiting = waiting.slice(maxInGroup);
      try {
        await app.db.transaction(async (tx) => {
          for (const { arrived } of group) await insert(tx, arrived);
        });
        for (const message of group) message.resolve();
      } catch (error) {
        for (const message of group) message.reject(error);
      }
    }
    writing = false;
  };
  return (arrived) =>
    new Promise((resolve, reject) => {
      waiting.push({ arrived, resolve, reject });
      setImmediate(pump);
    });
}

async function insert(tx: Tx, { mailFrom, rcptTo, source }: Arrived): Promise<void> {
  const parsed = await PostalMime.parse(headOf(source));
  const header = (name: string) => parsed.headers.find((entry) => entry.key === name)?.value ?? '';
  // Postrider's messages name their account in Feedback-ID. Any sender can forge it, so it only decides whose inbox shows it.
  const account = /:([abcdf][0-9a-f]{7}):/.exec(header('feedback-id'))?.[1];
  await tx.run(sql`
    insert into inbox_message (mail_from, rcpt_to, account_id, subject, from_header, to_header, size, source)
    values (${clean(mailFrom)}, ${rcptTo.map(clean)}::text[], ${account ? parseId(account) : null}, ${clean(parsed.subject ?? '')},
      ${clean(header('from'))}, ${clean(header('to'))}, ${source.length}, ${source})`);
}

/** The header block alone: subject and addresses need no body. */
function headOf(source: Buffer): Buffer {
  const end = source.indexOf('\r\n\r\n');
  return end < 0 ? source : source.subarray(0, end + 4);
}

const clean = (text: string) => text.replaceAll('\0', '').slice(0, 1_000);

async function trim(app: App): Promise<void> {
  await app.db.run(sql`
    delete from inbox_message
    where id <= (select id from inbox_message order by id desc offset ${maxKept} limit 1)`);
}
