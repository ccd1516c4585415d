// A bounce mailbox: where its settings are kept, and how its messages are read, whatever the protocol. Connects only to an address that
// the rules for outbound connections allow.

import { isIP } from 'node:net';
import { isWorking } from '../../accounts/account/moves.ts';
import { seal, unseal } from '../../accounts/installation/seal.ts';
import type { App } from '../../base/context.ts';
import { type Queries, sql } from '../../db/connect.ts';
import type { AccessToken } from '../../relays/oauth/access-token.ts';
import { tokenFor } from '../../relays/oauth/tokens.ts';
import { readImap } from './imap.ts';
import { readPop3 } from './pop3.ts';
import {
  type Done,
  type Limits,
  type Mailbox,
  MailboxProblem,
  notReached,
  type Read,
  type Server,
  type Take,
  usualLimits,
} from './protocol.ts';

/** @throws MailboxProblem */
export async function readMailbox(
  app: App,
  mailbox: Mailbox,
  take: Take,
  max: number,
  limits: Limits = usualLimits,
): Promise<Done> {
  const protocol: Read = mailbox.protocol === 'imap' ? readImap : readPop3;
  const read = async (token = mailbox.token) =>
    protocol(await serverOf(app, mailbox), token === undefined ? mailbox : { ...mailbox, token }, take, max, limits);
  if (mailbox.auth !== 'oauth' || mailbox.token !== undefined) return read();
  const key = { accountId: mailbox.account, id: mailbox.id };
  // Without a token it does not matter whether the server is there.
  const token = tokenIn(await tokenFor(app, key));
  // A refusal comes before the first message.
  return read(token).catch(async (error: unknown) => {
    if (!(error instanceof MailboxProblem && error.isRefusedToken)) throw error;
    return read(tokenIn(await tokenFor(app, key, token)));
  });
}

/** @throws MailboxProblem */
function tokenIn(token: AccessToken): string {
  if ('problem' in token) throw new MailboxProblem(token.problem, token.mayPass);
  return token.value;
}

async function serverOf(app: App, { host, port }: Mailbox): Promise<Server> {
  const judged = await app.outbound.judgeHost(host, port);
  if (judged.ok) return { addresses: judged.addresses, port, ...(isIP(host) === 0 && { servername: host }) };
  app.log.info({ why: judged.why, detail: judged.detail }, 'the server of a bounce mailbox is not allowed');
  if (judged.why === 'refused') throw new MailboxProblem('connections to this server are not allowed');
  throw notReached(judged.detail);
}

export const sealedPassword = (app: App, accountId: number, password: string): Buffer =>
  seal(app, purposeOf(accountId), password);

const purposeOf = (accountId: number) => `bounce mailbox of ${accountId}`;

export type StoredMailbox = Omit<Mailbox, 'password'> & { password: string | null };

/** @returns undefined when it was deleted, or its password cannot be opened */
export async function mailboxOf(app: App, accountId: number, id: number): Promise<Mailbox | undefined> {
  const stored = await storedMailbox(app, app.db, accountId, id);
  return stored && stored.password !== null ? { ...stored, password: stored.password } : undefined;
}

/** The password is null when it cannot be opened: it was sealed with another SEAL_KEY. */
export async function storedMailbox(
  app: App,
  db: Queries,
  accountId: number,
  id: number,
): Promise<StoredMailbox | undefined> {
  const row = await db.row<Omit<Mailbox, 'password'> & { sealed: Buffer }>(sql`
    select m.account_id as account, m.id, m.protocol, m.host, m.port, m.security, m.user_name as user, m.auth, m.password as sealed,
      m.folder, m.remove, m.position
    from bounce_mailbox m
    join account a on a.id = m.account_id and a.active
    where m.account_id = ${accountId}
      and m.id = ${id}
      -- What is deleted from a mailbox must be counted in the installation that the account moves to.
      and ${isWorking(sql`m.account_id`)}`);
  if (!row) return undefined;
  const { sealed, ...mailbox } = row;
  return { ...mailbox, password: unseal(app, purposeOf(accountId), sealed) };
}
