// The relays that were set up in the application, as the table has them, and the relay that a row stands for.
// Guarantees that user name and password are in the table in sealed form only.
import { seal, unseal } from '../../accounts/installation/seal.ts';
import type { App } from '../../base/context.ts';
import { parseRange } from '../../base/outbound/addresses.ts';
import type { AuthMethod, Relay, TlsPolicy } from '../../base/relay/relay.ts';
import { parseRamp } from '../../base/relay/warm-up-ramp.ts';
import { type Queries, type Sql, sql, type Tx } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';

export type Credentials = { user: string; password: string };

export type RelayRow = {
  id: number;
  position: number;
  name: string;
  preset: string;
  host: string;
  port: number;
  tls: TlsPolicy;
  authMethod: AuthMethod | '';
  /** Of its access by OAuth; null without. */
  grantVersion: number | null;
  credentials: Buffer | null;
  connections: number;
  messagesPerConnection: number | null;
  perSecond: number | null;
  weight: number;
  warmUp: string;
  accounts: number[];
  senderDomains: string[];
  pausedAt: Date | null;
};

const columns: Sql = sql`
  id, position, name, preset, host, port, tls, auth_method as "authMethod",
  (select version from oauth_grant g where g.account_id = 0 and g.id = relay.id) as "grantVersion", credentials, connections,
  messages_per_connection as "messagesPerConnection", per_second as "perSecond", weight, warm_up as "warmUp", accounts,
  sender_domains as "senderDomains", paused_at as "pausedAt"`;

/** All rows, in their order. */
export function relayRows(db: Queries): Promise<RelayRow[]> {
  return db.rows<RelayRow>(sql`select ${columns} from relay order by position, id`);
}

/** The row, locked until the end of the transaction. */
export function lockRelayRow(tx: Tx, id: number): Promise<RelayRow | undefined> {
  return tx.row<RelayRow>(sql`select ${columns} from relay where id = ${id} for update`);
}

/** What the credentials of a relay are sealed for. */
const purposeOf = (id: number) => `relay ${id}`;

export const sealCredentials = (app: App, id: number, { user, password }: Credentials): Buffer =>
  seal(app, purposeOf(id), JSON.stringify([user, password]));

/** Undefined when the relay has none, null when they cannot be decrypted. */
export function credentialsOf(app: App, row: Pick<RelayRow, 'id' | 'credentials'>): Credentials | undefined | null {
  if (row.credentials === null) return undefined;
  const text = unseal(app, purposeOf(row.id), row.credentials);
  if (text === null) return null;
  const [user, password] = JSON.parse(text) as [string, string];
  return { user, password };
}

/** The relay of a row. One whose credentials cannot be decrypted has none here: it must not be connected to. */
export function relayOf(app: App, row: RelayRow): Relay {
  const credentials = credentialsOf(app, row);
  const ramp = row.warmUp === '' ? undefined : parseRamp(row.warmUp);
  const isLimited = row.accounts.length > 0 || row.senderDomains.length > 0;
  return {
    id: formatId(row.id),
    host: row.host,
    port: row.port,
    tls: row.tls,
    ...(credentials ? { auth: authOf(row, credentials) } : {}),
    connections: row.connections,
    ...(row.messagesPerConnection === null ? {} : { messagesPerConnection: row.messagesPerConnection }),
    ...(row.perSecond === null ? {} : { ratePerSecond: row.perSecond }),
    weight: row.weight,
    ...(ramp && !('wrong' in ramp) ? { warmUp: ramp } : {}),
    ...(isLimited ? { limitedTo: { accounts: row.accounts, senderDomains: row.senderDomains } } : {}),
    allowedNetworks: app.config.outboundAllow.map((text) => parseRange(text)!),
  };
}

function authOf({ id, authMethod, grantVersion }: RelayRow, credentials: Credentials): NonNullable<Relay['auth']> {
  if (authMethod === '') return credentials;
  if (authMethod !== 'oauth') return { ...credentials, method: authMethod };
  return {
    user: credentials.user,
    password: '',
    method: authMethod,
    grant: { accountId: 0, id, version: grantVersion ?? 0 },
  };
}
