// A bounce mailbox: its settings, and how its messages are read, whatever the protocol. Connects only to an address that
// the rules for outbound connections allow.
import { isIP } from 'node:net';
import { seal, unseal } from '../../accounts/seal.ts';
import type { App } from '../../base/context.ts';
import { sql } from '../../db/connect.ts';
import { readImap } from './imap.ts';
import { readPop3 } from './pop3.ts';

export type Mailbox = {
  account: number;
  id: number;
  protocol: 'imap' | 'pop3';
  host: string;
  port: number;
  security: 'tls' | 'starttls' | 'none';
  user: string;
  password: string;
  folder: string;
  remove: boolean;
  position: Position;
};

/** IMAP: messages up to `uid` were read. POP3: the unique ids of messages that were read and are still there. */
export type Position = { validity?: string; uid?: number; seen?: string[] };

/** Whether the message is to be deleted. */
export type Take = (raw: Buffer) => Promise<boolean>;

/** How a protocol reads: at most `max` new messages. @returns the new position, and whether there may be more */
export type Read = (
  server: Server,
  mailbox: Mailbox,
  take: Take,
  max: number,
) => Promise<{ position: Position; more: boolean }>;

/** The checked address of the server, and its name for the certificate. */
export type Server = { address: string; port: number; servername?: string };

/** What is read of a message: bounce.ts reads no further. */
export const keptBytes = 1024 * 1024;
export const timeoutMs = 20_000;

/** An error whose message may be shown to the owner of the account. */
export class MailboxProblem extends Error {
  /** The server cannot be reached, so the settings may be right. */
  readonly mayPass: boolean;

  constructor(message: string, mayPass = false) {
    super(message);
    this.mayPass = mayPass;
  }
}

/** @throws MailboxProblem */
export async function readMailbox(app: App, mailbox: Mailbox, take: Take, max: number) {
  const server = await serverOf(app, mailbox);
  const read: Read = mailbox.protocol === 'imap' ? readImap : readPop3;
  return read(server, mailbox, take, max);
}

async function serverOf(app: App, { host, port }: Mailbox): Promise<Server> {
  const judged = await app.outbound.judge(`https://${isIP(host) === 6 ? `[${host}]` : host}/`);
  if (!judged.ok) {
    app.log.info({ why: judged.why, detail: judged.detail }, 'the server of a bounce mailbox is not allowed');
    throw new MailboxProblem(
      judged.why === 'refused'
        ? 'connections to this server are not allowed'
        : 'the name of the server is not known now',
      judged.why !== 'refused',
    );
  }
  return { address: judged.addresses[0]!, port, ...(isIP(host) === 0 && { servername: host }) };
}

export const sealedPassword = (app: App, accountId: number, password: string): Buffer =>
  seal(app, purposeOf(accountId), password);

const purposeOf = (accountId: number) => `bounce mailbox of ${accountId}`;

/** @returns undefined when it was deleted, or its password cannot be opened */
export async function mailboxOf(app: App, accountId: number, id: number): Promise<Mailbox | undefined> {
  const row = await app.db.row<Omit<Mailbox, 'password'> & { sealed: Buffer }>(sql`
    select m.account_id as account, m.id, m.protocol, m.host, m.port, m.security, m.user_name as user, m.password as sealed,
      m.folder, m.remove, m.position
    from bounce_mailbox m
    join account a on a.id = m.account_id and a.active
    where m.account_id = ${accountId}
      and m.id = ${id}`);
  if (!row) return undefined;
  const { sealed, ...mailbox } = row;
  const password = unseal(app, purposeOf(accountId), sealed);
  return password === null ? undefined : { ...mailbox, password };
}
