// Adds and changes bounce mailboxes. Guarantees that a mailbox is opened before it is saved, that a password is kept unless another
// one is given, and that a stored password goes to the host that it was entered for only, there to its own port or a usual one.
import type { App, Context, PrepareContext } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { jsonb } from '../../db/jsonb.ts';
import { readMailbox, type StoredMailbox, sealedPassword, storedMailbox } from './mailbox.ts';
import { type Mailbox, MailboxProblem } from './protocol.ts';
import { queueReading } from './read.ts';

const maxMailboxes = 10;

type Given = {
  protocol: Mailbox['protocol'];
  host: string;
  port?: number | undefined;
  security?: Mailbox['security'] | undefined;
  user_name: string;
  password: string;
  folder?: string | undefined;
  remove?: boolean | undefined;
  title?: string | undefined;
};

const usualPorts = { imap: { tls: 993, starttls: 143, none: 143 }, pop3: { tls: 995, starttls: 110, none: 110 } };
const mailPorts = Object.values(usualPorts).flatMap((ports) => Object.values(ports));

type Opened = { mailbox: Mailbox; problem: string };

/** With the settings that were read to open it. */
type OpenedChange = Opened & { before: StoredMailbox };

type GivenChange = Partial<Given> & { id: string };

export const connectionSettings = ['protocol', 'host', 'port', 'security', 'user_name', 'password', 'folder'] as const;
export const isGiven = (value: unknown) => value !== undefined && value !== '';

/** @returns undefined when nothing about the connection changes */
export async function openChanged(
  { app, account }: PrepareContext,
  given: GivenChange,
): Promise<OpenedChange | undefined> {
  const before = await storedMailbox(app, app.db, account.id, parseId(given.id));
  // run() names what is wrong.
  if (!before || !connectionSettings.some((name) => isGiven(given[name]))) return undefined;
  const changed = changedMailbox(before, given);
  return hasSameConnection(changed, before) ? undefined : { ...(await open(app, changed)), before };
}

const hasSameConnection = (one: StoredMailbox, other: StoredMailbox): boolean =>
  (['protocol', 'host', 'port', 'security', 'user', 'password', 'folder'] as const).every(
    (name) => one[name] === other[name],
  );

/** @throws Fault BOUNCE_MAILBOX_INVALID when the password must be given again */
function changedMailbox(before: StoredMailbox, given: GivenChange): Mailbox {
  const protocol = given.protocol ?? before.protocol;
  const security = given.security ?? before.security;
  const host = given.host ? needHost(given.host) : before.host;
  const keepsPort = protocol === before.protocol && security === before.security;
  const port = given.port ?? (keepsPort ? before.port : usualPorts[protocol][security]);
  const isElsewhere = host !== before.host || (port !== before.port && !mailPorts.includes(port));
  const losesEncryption = security === 'none' && before.security !== 'none';
  const password = given.password || before.password;
  if (password === null || (!given.password && (isElsewhere || losesEncryption)))
    throw fault('BOUNCE_MAILBOX_INVALID', 'bounce_mailbox.password_again', { member: 'password' });
  const changed = {
    ...before,
    protocol,
    security,
    host,
    port,
    user: given.user_name || before.user,
    password,
    folder: given.folder || before.folder,
    remove: given.remove ?? before.remove,
  };
  const isSamePlace = (['protocol', 'host', 'port', 'user', 'folder'] as const).every(
    (name) => changed[name] === before[name],
  );
  return isSamePlace ? changed : { ...changed, position: {} };
}

/** @throws Fault BOUNCE_MAILBOX_UNKNOWN, BOUNCE_MAILBOX_INVALID when another call changed the connection since it was opened */
export async function updateMailbox(
  context: Context,
  given: GivenChange,
  opened: OpenedChange | undefined,
): Promise<boolean> {
  const { app, tx, account } = context;
  const mailboxId = await needMailbox(context, given.id);
  const title = given.title ?? null;
  await tx.run(sql`
    update bounce_mailbox
    set title = coalesce(${title}, title), remove = coalesce(${given.remove ?? null}, remove)
    where account_id = ${account.id}
      and id = ${mailboxId}`);
  if (!opened) return true;
  const { mailbox, problem, before } = opened;
  const now = await storedMailbox(app, tx, account.id, mailboxId);
  if (!now || !hasSameConnection(now, before))
    throw fault('BOUNCE_MAILBOX_INVALID', 'bounce_mailbox.changed', { member: 'id' });
  await tx.run(sql`
    update bounce_mailbox
    set protocol = ${mailbox.protocol}, host = ${mailbox.host}, port = ${mailbox.port}, security = ${mailbox.security},
      user_name = ${mailbox.user}, password = ${sealedPassword(app, account.id, mailbox.password)},
      folder = ${mailbox.folder}, problem = ${problem},
      -- It may have been read since it was opened.
      position = ${jsonb(mailbox.position === before.position ? now.position : mailbox.position)}::jsonb
    where account_id = ${account.id}
      and id = ${mailboxId}`);
  await queueReading(tx, account.id, mailboxId);
  return true;
}

export async function openFirst({ app, account }: PrepareContext, given: Given): Promise<Opened> {
  const { protocol, security = 'tls', password, remove = true } = given;
  return open(app, {
    account: account.id,
    id: 0,
    protocol,
    host: needHost(given.host),
    port: given.port ?? usualPorts[protocol][security],
    security,
    user: given.user_name,
    password,
    folder: given.folder || 'INBOX',
    remove,
    position: {},
  });
}

function needHost(given: string): string {
  const host = given.trim().toLowerCase();
  if (!/^[a-z0-9.:-]{1,253}$/.test(host) || !URL.canParse(`https://${host.includes(':') ? `[${host}]` : host}/`))
    throw fault('BOUNCE_MAILBOX_INVALID', 'bounce_mailbox.host', { member: 'host' });
  return host;
}

/** Opens the mailbox without reading a message. */
async function open(app: App, mailbox: Mailbox): Promise<Opened> {
  try {
    await readMailbox(app, mailbox, async () => false, 0);
    return { mailbox, problem: '' };
  } catch (error) {
    if (!(error instanceof MailboxProblem)) throw error;
    if (error.mayPass) return { mailbox, problem: error.message };
    throw fault('BOUNCE_MAILBOX_INVALID', 'bounce_mailbox.not_opened', { member: 'host', reason: error.message });
  }
}

export async function createMailbox(
  { app, tx, account }: Context,
  { title = '' }: Given,
  { mailbox, problem }: Opened,
) {
  const counted = await tx.row<{ count: number }>(sql`
    select count(*)::int as count from bounce_mailbox where account_id = ${account.id}`);
  if (counted!.count >= maxMailboxes)
    throw fault('BOUNCE_MAILBOX_INVALID', 'bounce_mailbox.too_many', { member: 'host', count: maxMailboxes });
  const { protocol, host, port, security, user, password, folder, remove } = mailbox;
  const row = await tx.row<{ id: number }>(sql`
    insert into bounce_mailbox (account_id, title, protocol, host, port, security, user_name, password, folder, remove, problem)
    values (${account.id}, ${title}, ${protocol}, ${host}, ${port}, ${security}, ${user},
      ${sealedPassword(app, account.id, password)}, ${folder}, ${remove}, ${problem})
    returning id`);
  await queueReading(tx, account.id, row!.id);
  return formatId(row!.id);
}

export async function needMailbox({ tx, account }: Pick<Context, 'tx' | 'account'>, given: string): Promise<number> {
  const row = await tx.row<{ id: number }>(sql`
    select id from bounce_mailbox where account_id = ${account.id} and id = ${parseId(given)} for update`);
  if (!row) throw fault('BOUNCE_MAILBOX_UNKNOWN', 'bounce_mailbox.unknown', { member: 'id', id: given.slice(0, 80) });
  return row.id;
}
