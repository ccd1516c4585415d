// Creating, changing, pausing, ordering and deleting the relays of the application.
// Guarantees that a change is notified to the workers when it commits, that a password is kept unless another one is given, and
// that a stored password never goes to a host it was not entered for.
import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { isThisMachine } from '../../base/client-network.ts';
import type { App, Context } from '../../base/context.ts';
import { Fault, fault } from '../../base/faults.ts';
import type { MessageKey, MessageValue } from '../../base/messages.ts';
import { parseRange, refusal } from '../../base/outbound/addresses.ts';
import { type AuthMethod, parseSmtpUrl, type Relay, type TlsPolicy } from '../../base/relay/relay.ts';
import { parseRamp } from '../../base/relay/warm-up-ramp.ts';
import { type Queries, sql, type Tx } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { relayChannel } from '../../jobs/channels.ts';
import type { AccessToken } from '../oauth/access-token.ts';
import { deleteGrant, readGrant, saveGrant } from '../oauth/grant.ts';
import { type GrantChange, grantAfter, type OauthOptions } from '../oauth/settings.ts';
import { tokenForChange } from '../oauth/tokens.ts';
import { addressesOf } from '../smtp/lookup.ts';
import { hasPlaceholder, presetOf } from './presets.ts';
import { clearLimits } from './relay-limits.ts';
import {
  type Credentials,
  credentialsOf,
  lockRelayRow,
  type RelayRow,
  relayOf,
  relayRows,
  sealCredentials,
} from './relay-row.ts';
import { forgetTest } from './relay-test.ts';

/** What a call gives; a member that is left out keeps its value, or has the default. */
export type RelayOptions = {
  name?: string | undefined;
  preset?: string | undefined;
  host?: string | undefined;
  port?: number | undefined;
  tls?: TlsPolicy | undefined;
  username?: string | undefined;
  password?: string | undefined;
  auth?: AuthMethod | 'any' | undefined;
  oauth?: OauthOptions | undefined;
  connections?: number | undefined;
  messages_per_connection?: number | undefined;
  rate?: number | undefined;
  weight?: number | undefined;
  warm_up?: string | undefined;
  accounts?: string[] | undefined;
  sender_domains?: string[] | undefined;
};

/** The columns that options set directly. */
type Settings = Omit<RelayRow, 'id' | 'position' | 'credentials' | 'pausedAt' | 'grantVersion'>;

const maxRelays = 100;
const lookupMs = 5_000;

/**
 * Refuses a host in a private network that the operator has not allowed. Each connection checks this again; here it gets a
 * clear reply. A name that cannot be resolved now is left to the connection.
 */
export async function checkHost({ app }: { app: App }, given: RelayOptions): Promise<void> {
  const host = hostOf(given.host ?? presetOf(given.preset ?? '')?.host ?? '');
  if (host === '' || hasPlaceholder(host)) return;
  const allowed = app.config.outboundAllow.map((text) => parseRange(text)!);
  for (const address of await resolved(host)) {
    const why = refusal(address, allowed, given.port ?? presetOf(given.preset ?? '')?.port);
    if (why !== null) throw wrong('host', 'relay.host_private', { address, why });
  }
}

async function resolved(host: string): Promise<string[]> {
  if (isIP(host)) return [host];
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<[]>((resolve) => {
    timer = setTimeout(() => resolve([]), lookupMs);
  });
  const found = addressesOf(host)
    .then((list) => list.map(({ address }) => address))
    .catch(() => []);
  return Promise.race([found, late]).finally(() => clearTimeout(timer));
}

/**
 * The relay that these settings would make, to be tested before they are saved.
 * @param id of the relay that they would change: its password is used where none is given, for its host only
 * @returns with access tokens: the one that these settings give
 */
export async function relayToTest(
  app: App,
  id: string | undefined,
  given: RelayOptions,
): Promise<{ relay: Relay; token?: AccessToken }> {
  if (app.config.smtpUrls.some((url) => parseSmtpUrl(url).id === id)) throw wrong('id', 'relay.set_by_operator');
  const row = id === undefined ? undefined : (await relayRows(app.db)).find((row) => row.id === parseId(id));
  if (id !== undefined && !row) throw wrong('id', 'relay.unknown');
  const hasTokens = (given.auth ?? row?.authMethod) === 'oauth';
  const credentials = row ? undefined : hasTokens ? tokenCredentials(given) : newCredentials(given);
  const settings = await settingsOf(app.db, given, row ?? defaultsFor(given, credentials !== undefined));
  const unsaved = { id: 0, position: 0, grantVersion: null, pausedAt: null };
  const sealed = row
    ? hasTokens
      ? sealCredentials(app, row.id, userForTokens(app, row, given))
      : changedCredentials(app, row, settings, given)
    : credentials
      ? sealCredentials(app, unsaved.id, credentials)
      : null;
  checkSignsIn(settings, sealed);
  const relay = relayOf(app, { ...(row ?? unsaved), ...settings, credentials: sealed });
  if (!hasTokens) return { relay };
  return { relay, token: await tokenToTest(app, row, settings, given) };
}

/**
 * The access token of settings that are not saved. A refresh token that is not stored may work only once, so it is not used up for a
 * test; nor can a test wait for a person. @throws Fault INVALID_PARAMETER
 */
async function tokenToTest(
  app: App,
  row: RelayRow | undefined,
  settings: Settings,
  given: RelayOptions,
): Promise<AccessToken> {
  const isElsewhere = row !== undefined && (settings.host !== row.host || settings.port !== row.port);
  const id = row?.id ?? 0;
  const stored = row && (await readGrant(app, app.db, { accountId: 0, id }));
  const change =
    (await grantOf(app, app.db, { id, settings, given, isElsewhere })) ??
    (stored?.secrets && { settings: stored.settings, secrets: stored.secrets });
  if (!change) throw wrong('oauth.client_secret', 'oauth.secrets_lost');
  const isStored = change.secrets.refreshToken !== '' && change.secrets.refreshToken === stored?.secrets?.refreshToken;
  if (change.settings.flow !== 'client_credentials' && !isStored) throw wrong('auth', 'relay.test_tokens');
  const answer = await tokenForChange(app, stored, change);
  if (answer.ok) return { value: answer.issued.accessToken };
  return { problem: answer.problem, mayPass: answer.mayPass };
}

/** @returns its public id */
export async function createRelay({ app, tx }: Context, given: RelayOptions & { paused?: boolean | undefined }) {
  // One at a time: the position is the next one.
  await tx.run(sql`lock table relay in share row exclusive mode`);
  const rows = await relayRows(tx);
  if (rows.length >= maxRelays) throw wrong('name', 'relay.too_many', { count: maxRelays });
  const credentials = given.auth === 'oauth' ? tokenCredentials(given) : newCredentials(given);
  const settings = await settingsOf(tx, given, defaultsFor(given, credentials !== undefined));
  const { id } = (await tx.row<{ id: number }>(sql`select public_id(nextval('relay_seq')) as id`))!;
  const sealed = credentials ? sealCredentials(app, id, credentials) : null;
  checkSignsIn(settings, sealed);
  const grant = await grantOf(app, tx, { id, settings, given, isElsewhere: false });
  await tx.run(sql`
    insert into relay (id, position, name, preset, host, port, tls, auth_method, credentials, connections,
      messages_per_connection, per_second, weight, warm_up, accounts, sender_domains, paused_at)
    values (${id}, ${(rows.at(-1)?.position ?? 0) + 1}, ${settings.name}, ${settings.preset}, ${settings.host},
      ${settings.port}, ${settings.tls}, ${settings.authMethod}, ${sealed}, ${settings.connections},
      ${settings.messagesPerConnection}, ${settings.perSecond}, ${settings.weight}, ${settings.warmUp},
      ${settings.accounts}::int[], ${settings.senderDomains}::text[], case when ${given.paused === true} then now() end)`);
  await tx.run(sql`
    insert into installation (key, value)
    values ('relays_set_up', 'true')
    on conflict do nothing`);
  if (grant) await saveGrant(app, tx, { accountId: 0, id }, grant);
  await notifyWorkers(tx);
  return formatId(id);
}

export async function updateRelay(context: Context, id: string, given: RelayOptions): Promise<true> {
  const { app, tx } = context;
  const row = await needRow(context, id);
  const settings = await settingsOf(tx, given, row);
  const isElsewhere = settings.host !== row.host || settings.port !== row.port;
  const grant = await grantOf(app, tx, { id: row.id, settings, given, isElsewhere });
  const sealed =
    settings.authMethod === 'oauth'
      ? sealCredentials(app, row.id, userForTokens(app, row, given))
      : changedCredentials(app, row, settings, given);
  checkSignsIn(settings, sealed);
  await tx.run(sql`
    update relay
    set name = ${settings.name}, preset = ${settings.preset}, host = ${settings.host}, port = ${settings.port},
      tls = ${settings.tls}, auth_method = ${settings.authMethod}, credentials = ${sealed},
      connections = ${settings.connections}, messages_per_connection = ${settings.messagesPerConnection},
      per_second = ${settings.perSecond}, weight = ${settings.weight}, warm_up = ${settings.warmUp}, accounts = ${settings.accounts}::int[],
      sender_domains = ${settings.senderDomains}::text[], changed_at = now()
    where id = ${row.id}`);
  if (grant) await saveGrant(app, tx, { accountId: 0, id: row.id }, grant);
  if (settings.authMethod !== 'oauth') await deleteGrant(tx, { accountId: 0, id: row.id });
  // Another account, or a higher limit: what it refused before says nothing any more.
  await clearLimits(tx, formatId(row.id));
  await forgetTest(tx, formatId(row.id));
  await notifyWorkers(tx);
  return true;
}

/** A relay that is paused or resumed again stays as it is. */
export async function pauseRelay(context: Context, id: string, paused: boolean): Promise<true> {
  const { tx } = context;
  const row = await needRow(context, id);
  if (paused !== (row.pausedAt !== null)) {
    await tx.run(sql`
      update relay
      set paused_at = case when ${paused} then now() end, changed_at = now()
      where id = ${row.id}`);
    if (!paused) await clearLimits(tx, formatId(row.id));
    await notifyWorkers(tx);
  }
  return true;
}

export async function deleteRelay(context: Context, id: string): Promise<true> {
  const { tx } = context;
  const row = await needRow(context, id);
  await tx.run(sql`delete from relay where id = ${row.id}`);
  await tx.run(sql`delete from day_quota where account_id = 0 and relay = ${formatId(row.id)}`);
  await clearLimits(tx, formatId(row.id));
  await forgetTest(tx, formatId(row.id));
  await notifyWorkers(tx);
  return true;
}

/** @param ids all relays of the application, each once */
export async function orderRelays({ tx }: Context, ids: readonly string[]): Promise<true> {
  await tx.run(sql`lock table relay in share row exclusive mode`);
  const rows = await relayRows(tx);
  const given = ids.map(parseId);
  if (given.length !== rows.length || !rows.every(({ id }) => given.includes(id)))
    throw wrong('ids', 'relay.order_incomplete');
  await tx.run(sql`
    update relay r
    set position = o.position
    from unnest(${given}::int[]) with ordinality as o (id, position)
    where r.id = o.id`);
  await notifyWorkers(tx);
  return true;
}

/** Mail goes to the built-in inbox again. */
export async function useInbox({ app, tx }: Context): Promise<true> {
  await tx.run(sql`lock table relay in share row exclusive mode`);
  if (app.config.smtpUrls.length > 0 || (await relayRows(tx)).length > 0)
    throw fault('NOT_ALLOWED', 'relay.inbox_with_relays');
  await tx.run(sql`delete from installation where key = 'relays_set_up'`);
  await notifyWorkers(tx);
  return true;
}

async function notifyWorkers(tx: Tx): Promise<void> {
  await tx.run(sql`select pg_notify(${relayChannel}, '')`);
}

async function needRow({ app, tx }: Context, id: string): Promise<RelayRow> {
  if (app.config.smtpUrls.some((url) => parseSmtpUrl(url).id === id)) throw wrong('id', 'relay.set_by_operator');
  const row = await lockRelayRow(tx, parseId(id));
  if (!row) throw wrong('id', 'relay.unknown');
  return row;
}

function defaultsFor(given: RelayOptions, signsIn: boolean): Settings {
  const preset = presetOf(given.preset ?? '');
  return {
    name: preset?.title ?? '',
    preset: '',
    host: preset?.host ?? '',
    port: preset?.port ?? (given.tls === 'implicit' ? 465 : 587),
    tls: defaultTls(given, signsIn),
    authMethod: '',
    connections: preset?.connections ?? 20,
    messagesPerConnection: null,
    perSecond: preset?.rate || null,
    weight: 1,
    warmUp: '',
    accounts: [],
    senderDomains: [],
  };
}

/** As for SMTP_URL: a password goes to a verified relay only. */
function defaultTls(given: RelayOptions, signsIn: boolean): TlsPolicy {
  if (given.port === 465) return 'implicit';
  if (signsIn && !isThisMachine(hostOf(given.host ?? ''))) return 'require';
  return presetOf(given.preset ?? '')?.tls ?? 'opportunistic';
}

/** The settings after the call, checked. @throws Fault INVALID_PARAMETER */
async function settingsOf(tx: Queries, given: RelayOptions, before: Settings): Promise<Settings> {
  const host = hostOf(given.host ?? before.host);
  if (host === '') throw wrong('host', 'relay.host_missing');
  if (hasPlaceholder(host)) throw wrong('host', 'relay.host_placeholder', { host });
  if (host.length > 255 || (!/^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/.test(host) && isIP(host) !== 6))
    throw wrong('host', 'relay.host_invalid', { host });
  const warmUp = given.warm_up ?? before.warmUp;
  const ramp = warmUp === '' ? undefined : parseRamp(warmUp);
  if (ramp && 'wrong' in ramp) throw new Fault('INVALID_PARAMETER', ramp.wrong);
  return {
    name: given.name?.trim() || before.name || host,
    preset: given.preset ?? before.preset,
    host,
    port: given.port ?? before.port,
    tls: given.tls ?? before.tls,
    authMethod: given.auth === undefined ? before.authMethod : given.auth === 'any' ? '' : given.auth,
    connections: given.connections ?? before.connections,
    messagesPerConnection:
      given.messages_per_connection === undefined
        ? before.messagesPerConnection
        : given.messages_per_connection || null,
    perSecond: given.rate === undefined ? before.perSecond : given.rate || null,
    weight: given.weight ?? before.weight,
    warmUp,
    accounts: given.accounts ? await accountIds(tx, given.accounts) : before.accounts,
    senderDomains: given.sender_domains ? [...new Set(given.sender_domains.map(domainOf))] : before.senderDomains,
  };
}

/** A name in ASCII and lower case, or an IP address without brackets. */
function hostOf(text: string): string {
  const host = text
    .trim()
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1');
  return /^[\x20-\x7e]*$/.test(host) ? host : domainToASCII(host) || host;
}

function domainOf(text: string): string {
  const name = text.trim().toLowerCase().replace(/^@/, '');
  const domain = domainToASCII(name);
  if (!/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(domain)) throw wrong('sender_domains', 'relay.not_a_domain', { text });
  return domain;
}

async function accountIds(tx: Queries, ids: readonly string[]): Promise<number[]> {
  const given = [...new Set(ids.map(parseId))];
  const found = await tx.rows<{ id: number }>(sql`select id from account where id = any (${given}::int[])`);
  const unknown = ids.find((id) => !found.some((account) => account.id === parseId(id)));
  if (unknown !== undefined) throw wrong('accounts', 'relay.account_unknown', { id: unknown });
  return given;
}

/** With access tokens there is a user name only. */
function tokenCredentials({ username = '' }: { username?: string | undefined }): Credentials {
  return { ...checked({ user: username, password: 'none' }), password: '' };
}

const userForTokens = (app: App, row: RelayRow, given: RelayOptions): Credentials =>
  tokenCredentials({ username: credentialsOf(app, row)?.user, ...withoutEmpty(given) });

const withoutEmpty = ({ username }: RelayOptions) => (username ? { username } : {});

/** How a relay gets its access tokens after the call; undefined when it has none, or nothing changes. */
async function grantOf(
  app: App,
  tx: Queries,
  { id, settings, given, isElsewhere }: { id: number; settings: Settings; given: RelayOptions; isElsewhere: boolean },
): Promise<GrantChange | undefined> {
  if (settings.authMethod !== 'oauth') {
    if (given.oauth && Object.values(given.oauth).some((value) => value)) throw wrong('oauth', 'oauth.not_used');
    return undefined;
  }
  if (given.password) throw wrong('password', 'oauth.no_password');
  if (!['require', 'implicit'].includes(settings.tls) && !isThisMachine(settings.host)) throw wrong('tls', 'oauth.tls');
  const before = await readGrant(app, tx, { accountId: 0, id });
  return grantAfter(before, given.oauth, { protocol: 'smtp', isElsewhere, faultName: 'INVALID_PARAMETER' });
}

function newCredentials({ preset = '', username = '', password = '' }: RelayOptions): Credentials | undefined {
  if (username === '' && password === '') return undefined;
  const usual = presetOf(preset)?.username ?? '';
  return checked({ user: username || (hasPlaceholder(usual) ? '' : usual), password });
}

/** The sealed credentials after a change. A password that is left out, or empty, is kept for its host. */
function changedCredentials(app: App, row: RelayRow, after: Settings, given: RelayOptions): Buffer | null {
  const { username, password = '' } = given;
  const before = credentialsOf(app, row);
  if (password === '') {
    if (username === '') return null;
    if (before === undefined) {
      if (username !== undefined) throw wrong('password', 'relay.half_credentials');
      return null;
    }
    if (after.host !== row.host || before === null)
      throw wrong('password', before ? 'relay.password_again' : 'relay.credentials_lost');
    return username === undefined
      ? row.credentials
      : sealCredentials(app, row.id, checked({ user: username, password: before.password }));
  }
  if (before === null && username === undefined) throw wrong('username', 'relay.credentials_lost');
  return sealCredentials(app, row.id, checked({ user: username ?? before?.user ?? '', password }));
}

/** A relay that its service refuses would rest while it takes all messages. @throws Fault INVALID_PARAMETER */
function checkSignsIn(settings: Settings, credentials: Buffer | null): void {
  const preset = presetOf(settings.preset);
  if (preset?.needsPassword && credentials === null)
    throw wrong('password', 'relay.password_required', { service: preset.title });
}

function checked(credentials: Credentials): Credentials {
  const { user, password } = credentials;
  if (user === '') throw wrong('username', 'relay.half_credentials');
  if (password === '') throw wrong('password', 'relay.half_credentials');
  if (hasPlaceholder(user)) throw wrong('username', 'relay.username_placeholder');
  // NUL separates the parts of AUTH PLAIN (RFC 4616); a line end would be a second command.
  for (const [member, text] of [
    ['username', user],
    ['password', password],
  ] as const)
    if (/[\0\r\n]/.test(text)) throw wrong(member, 'relay.control_character');
  return credentials;
}

function wrong(member: string, key: MessageKey, values: Record<string, MessageValue> = {}): Fault {
  return new Fault('INVALID_PARAMETER', { key, values: { member, ...values } });
}
