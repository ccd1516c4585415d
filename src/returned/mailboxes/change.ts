// Adds and changes bounce mailboxes. Guarantees that a mailbox is opened before it is saved, that a password is kept unless another
// one is given, and that a stored password goes to the host that it was entered for only, there to its own port or a usual one.
import { isThisMachine } from '../../base/client-network.ts';
import type { App, Context, PrepareContext } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { jsonb } from '../../db/jsonb.ts';
import { canRenew, deleteGrant, type Grant, type IssuedToken, readGrant, saveGrant } from '../../relays/oauth/grant.ts';
import { queueReading } from '../../relays/oauth/queue-reading.ts';
import { type GrantChange, grantAfter, type OauthOptions } from '../../relays/oauth/settings.ts';
import { signInFirst, tokenForChange } from '../../relays/oauth/tokens.ts';
import { readMailbox, type StoredMailbox, sealedPassword, storedMailbox } from './mailbox.ts';
import { type Mailbox, MailboxProblem } from './protocol.ts';

const maxMailboxes = 10;

type Given = {
  protocol: Mailbox['protocol'];
  host: string;
  port?: number | undefined;
  security?: Mailbox['security'] | undefined;
  user_name: string;
  password?: string | undefined;
  auth?: Mailbox['auth'] | undefined;
  oauth?: OauthOptions | undefined;
  folder?: string | undefined;
  remove?: boolean | undefined;
  title?: string | undefined;
};

const usualPorts = { imap: { tls: 993, starttls: 143, none: 143 }, pop3: { tls: 995, starttls: 110, none: 110 } };
const mailPorts = Object.values(usualPorts).flatMap((ports) => Object.values(ports));

/** How its access tokens are had from now on, with what is stored about it. */
type MailboxGrant = GrantChange & { before?: Grant | undefined };

/** `first`: the first token, if there is one already. */
type Opened = { mailbox: Mailbox; problem: string; grant?: MailboxGrant & { first?: IssuedToken } };

/** With the settings that were read to open it. */
type OpenedChange = Opened & { before: StoredMailbox };

type GivenChange = Partial<Given> & { id: string };

export const connectionSettings = [
  'protocol',
  'host',
  'port',
  'security',
  'user_name',
  'password',
  'folder',
  'auth',
  'oauth',
] as const;
export const isGiven = (value: unknown): boolean =>
  typeof value === 'object' && value !== null
    ? Object.values(value).some(isGiven)
    : value !== undefined && value !== '';

/** @returns undefined when nothing about the connection changes */
export async function openChanged(
  { app, account }: PrepareContext,
  given: GivenChange,
): Promise<OpenedChange | undefined> {
  const before = await storedMailbox(app, app.db, account.id, parseId(given.id));
  // run() names what is wrong.
  if (!before || !connectionSettings.some((name) => isGiven(given[name]))) return undefined;
  const changed = changedMailbox(before, given);
  const grant = await grantOf(app, changed, given.oauth, before);
  if (hasSameConnection(changed, before) && !grant) return undefined;
  return { ...(await open(app, changed, grant)), before };
}

const hasSameConnection = (one: StoredMailbox, other: StoredMailbox): boolean =>
  (['protocol', 'host', 'port', 'security', 'user', 'password', 'folder', 'auth'] as const).every(
    (name) => one[name] === other[name],
  );

/** Whether the refresh token is still the one that was stored when the mailbox was opened, or the one that replaced it then. */
async function hasSameGrant({ app, tx, account }: Context, id: number, grant: Opened['grant']): Promise<boolean> {
  if (!grant?.before) return true;
  const now = await readGrant(app, tx, { accountId: account.id, id });
  return [grant.before.secrets?.refreshToken, grant.first?.refreshToken].includes(now?.secrets?.refreshToken);
}

/** @throws Fault BOUNCE_MAILBOX_INVALID when the password must be given again */
function changedMailbox(before: StoredMailbox, given: GivenChange): Mailbox {
  const protocol = given.protocol ?? before.protocol;
  const security = given.security ?? before.security;
  const host = given.host ? needHost(given.host) : before.host;
  const keepsPort = protocol === before.protocol && security === before.security;
  const port = given.port ?? (keepsPort ? before.port : usualPorts[protocol][security]);
  const auth = given.auth ?? before.auth ?? 'password';
  const isLessSafe = goesElsewhere({ host, port, security }, before);
  const password = auth === 'oauth' ? '' : given.password || before.password;
  if (password === null || (auth === 'password' && (password === '' || (!given.password && isLessSafe))))
    throw fault('BOUNCE_MAILBOX_INVALID', 'bounce_mailbox.password_again', { member: 'password' });
  const changed = {
    ...before,
    protocol,
    security,
    host,
    port,
    user: given.user_name || before.user,
    password,
    auth,
    folder: given.folder || before.folder,
    remove: given.remove ?? before.remove,
  };
  const isSamePlace = (['protocol', 'host', 'port', 'user', 'folder'] as const).every(
    (name) => changed[name] === before[name],
  );
  return isSamePlace ? changed : { ...changed, position: {} };
}

type Place = Pick<Mailbox, 'host' | 'port' | 'security'>;

/** Whether a password or a token would go to another server, or without encryption. */
const goesElsewhere = ({ host, port, security }: Place, before: Place): boolean =>
  host !== before.host ||
  (port !== before.port && !mailPorts.includes(port)) ||
  (security === 'none' && before.security !== 'none');

/** How the mailbox gets its access tokens; undefined when it has none, or nothing changes. */
async function grantOf(
  app: App,
  mailbox: Mailbox,
  given: OauthOptions | undefined,
  former?: StoredMailbox,
): Promise<MailboxGrant | undefined> {
  const { auth, account, id, host, security, protocol } = mailbox;
  const invalid = (member: string, key: 'oauth.not_used' | 'oauth.security') =>
    fault('BOUNCE_MAILBOX_INVALID', key, { member });
  if (auth !== 'oauth') {
    if (isGiven(given)) throw invalid('oauth', 'oauth.not_used');
    return undefined;
  }
  if (security === 'none' && !isThisMachine(host)) throw invalid('security', 'oauth.security');
  const before = former ? await readGrant(app, app.db, { accountId: account, id }) : undefined;
  const isElsewhere = former !== undefined && goesElsewhere(mailbox, former);
  const change = grantAfter(before, given, { protocol, isElsewhere, faultName: 'BOUNCE_MAILBOX_INVALID' });
  return change && { ...change, before };
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
  const { mailbox, problem, before, grant } = opened;
  const now = await storedMailbox(app, tx, account.id, mailboxId);
  if (!now || !hasSameConnection(now, before) || !(await hasSameGrant(context, mailboxId, grant)))
    throw fault('BOUNCE_MAILBOX_INVALID', 'bounce_mailbox.changed', { member: 'id' });
  await tx.run(sql`
    update bounce_mailbox
    set protocol = ${mailbox.protocol}, host = ${mailbox.host}, port = ${mailbox.port}, security = ${mailbox.security},
      user_name = ${mailbox.user}, auth = ${mailbox.auth ?? 'password'}, password = ${sealedPassword(app, account.id, mailbox.password)},
      folder = ${mailbox.folder}, problem = ${problem},
      -- It may have been read since it was opened.
      position = ${jsonb(mailbox.position === before.position ? now.position : mailbox.position)}::jsonb
    where account_id = ${account.id}
      and id = ${mailboxId}`);
  if (grant) await saveGrant(app, tx, { accountId: account.id, id: mailboxId }, grant);
  if (mailbox.auth !== 'oauth') await deleteGrant(tx, { accountId: account.id, id: mailboxId });
  await queueReading(tx, account.id, mailboxId);
  return true;
}

export async function openFirst({ app, account }: PrepareContext, given: Given): Promise<Opened> {
  const { protocol, security = 'tls', password = '', auth = 'password', remove = true } = given;
  if (auth === 'password' && password === '')
    throw fault('BOUNCE_MAILBOX_INVALID', 'bounce_mailbox.password_missing', { member: 'password' });
  const mailbox: Mailbox = {
    account: account.id,
    id: 0,
    protocol,
    host: needHost(given.host),
    port: given.port ?? usualPorts[protocol][security],
    security,
    user: given.user_name,
    password: auth === 'oauth' ? '' : password,
    auth,
    folder: given.folder || 'INBOX',
    remove,
    position: {},
  };
  return open(app, mailbox, await grantOf(app, mailbox, given.oauth));
}

function needHost(given: string): string {
  const host = given.trim().toLowerCase();
  if (!/^[a-z0-9.:-]{1,253}$/.test(host) || !URL.canParse(`https://${host.includes(':') ? `[${host}]` : host}/`))
    throw fault('BOUNCE_MAILBOX_INVALID', 'bounce_mailbox.host', { member: 'host' });
  return host;
}

/** Opens the mailbox without reading a message. */
async function open(app: App, mailbox: Mailbox, change?: MailboxGrant): Promise<Opened> {
  const opened: Opened = { mailbox, problem: '', ...(change && { grant: change }) };
  if (change && !canRenew(change.settings, change.secrets)) return { ...opened, problem: signInFirst };
  try {
    let token: string | undefined;
    if (change) {
      const answer = await tokenForChange(app, change.before, change);
      if (!answer.ok) throw new MailboxProblem(answer.problem, answer.mayPass);
      token = answer.issued.accessToken;
      opened.grant = { ...change, first: answer.issued };
    }
    await readMailbox(app, { ...mailbox, ...(token !== undefined && { token }) }, async () => false, 0);
    return opened;
  } catch (error) {
    if (!(error instanceof MailboxProblem)) throw error;
    if (error.mayPass) return { ...opened, problem: error.message };
    throw fault('BOUNCE_MAILBOX_INVALID', 'bounce_mailbox.not_opened', { member: 'host', reason: error.message });
  }
}

export async function createMailbox(
  { app, tx, account }: Context,
  { title = '' }: Given,
  { mailbox, problem, grant }: Opened,
) {
  const counted = await tx.row<{ count: number }>(sql`
    select count(*)::int as count from bounce_mailbox where account_id = ${account.id}`);
  if (counted!.count >= maxMailboxes)
    throw fault('BOUNCE_MAILBOX_INVALID', 'bounce_mailbox.too_many', { member: 'host', count: maxMailboxes });
  const { protocol, host, port, security, user, password, auth, folder, remove } = mailbox;
  const row = await tx.row<{ id: number }>(sql`
    insert into bounce_mailbox (account_id, title, protocol, host, port, security, user_name, auth, password,
      folder, remove, problem)
    values (${account.id}, ${title}, ${protocol}, ${host}, ${port}, ${security}, ${user}, ${auth ?? 'password'},
      ${sealedPassword(app, account.id, password)}, ${folder}, ${remove}, ${problem})
    returning id`);
  if (grant) await saveGrant(app, tx, { accountId: account.id, id: row!.id }, grant);
  await queueReading(tx, account.id, row!.id);
  return formatId(row!.id);
}

export async function needMailbox({ tx, account }: Pick<Context, 'tx' | 'account'>, given: string): Promise<number> {
  const row = await tx.row<{ id: number }>(sql`
    select id from bounce_mailbox where account_id = ${account.id} and id = ${parseId(given)} for update`);
  if (!row) throw fault('BOUNCE_MAILBOX_UNKNOWN', 'bounce_mailbox.unknown', { member: 'id', id: given.slice(0, 80) });
  return row.id;
}
