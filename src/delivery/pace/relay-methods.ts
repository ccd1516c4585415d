// The methods about relays: which are configured, their status in the workers, and whether a connection succeeds now.
// They come from SMTP_URL and cannot be changed here; passwords and user names are never returned. Host, port and the
// words of a relay are for the account of the operator; other accounts get the state and the stage of a failure.
import { z } from 'zod';
import { isOperatorAccount } from '../../accounts/account.ts';
import type { App } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { type MessageLanguage, message, renderMessage, renderPacked } from '../../base/messages.ts';
import type { Relay } from '../../base/relay/relay.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { method } from '../../method/method.ts';
import { params, text } from '../../method/params.ts';
import { openConnection } from '../smtp/open-connection.ts';
import type { RelayStatus } from '../smtp/relay-line.ts';
import { ehloNameOf, relaysOf } from './relay-list.ts';

/** A person waits: 5 s to connect and for TLS, 10 s to sign in, 25 s for the greeting. */
const testTimeScale = 1 / 12;

const relayRecord = z.object({
  id: z.string().meta({ description: 'For relayTest(); contains the host for the account of the operator only.' }),
  host: z.string().meta({ description: 'Empty except for the account of the operator.' }),
  port: z.int().meta({ description: '0 except for the account of the operator.' }),
  built_in: z.boolean().meta({ description: 'Whether this is the built-in inbox, which keeps all messages here.' }),
  tls: z.string().meta({ description: 'none, opportunistic, require or implicit.' }),
  signs_in: z.boolean().meta({ description: 'Whether a user name and password are set for it.' }),
  max_connections: z.int(),
  rate: z.number().meta({ description: 'Maximum messages a second; 0 without a limit.' }),
  weight: z.number().meta({ description: 'Its share of the messages; 0 is used only while all others rest.' }),
  state: z
    .string()
    .meta({ description: 'working (connected now), ready, resting, or idle if no worker has reported it recently.' }),
  connections: z.int().meta({ description: 'Open now, over all workers.' }),
  rest_seconds: z.int().meta({ description: 'Seconds until it is tried again, while it rests.' }),
  reason: z.string().meta({ description: 'The last failure; empty if it works.' }),
});

export const relayMethods = [
  method({
    name: 'relays',
    group: 'account',
    summary: 'Lists the relays of this installation and their status.',
    description:
      'The operator configures them (SMTP_URL). Without any, messages stay in the built-in inbox. The account of the ' +
      'operator is the first one of the installation; other accounts see neither the host nor the replies of a relay.',
    params: params({}),
    returns: z.array(relayRecord),
    faults: [],
    scope: 'admin',
    reads: true,
    example: { params: {} },
    async run({ app, tx, account, language }) {
      const statuses = await statusByRelay(tx);
      const records = relaysOf(app).map((relay) => ({
        ...recordOf(app, relay),
        ...stateOf(statuses.get(relay.id) ?? [], language),
      }));
      if (await isOperatorAccount(tx, account)) return records;
      return records.map((record, index) => ({
        ...record,
        id: publicIdOf(index),
        host: '',
        port: 0,
        reason: record.reason === '' ? '' : hiddenReason(language),
      }));
    },
  }),
  method({
    name: 'relayTest',
    group: 'account',
    summary: 'Connects and signs in to the relays as a worker does, sends nothing, and reports the result.',
    params: params({ id: text('The id of a relay from relays(); all if not given.', 300).optional() }),
    returns: z.array(
      z.object({
        id: z.string(),
        ok: z.boolean(),
        ms: z.int().meta({ description: 'How long it took, in milliseconds.' }),
        tls: z.string().meta({ description: 'The TLS version; empty without TLS.' }),
        stage: z
          .string()
          .meta({ description: 'Where it failed: connect, ehlo, starttls or auth; empty if it did not.' }),
        problem: z.string().meta({
          description: 'The reply of the relay or the error, in the account of the operator; empty if it succeeded.',
        }),
        notes: z
          .array(z.string())
          .meta({ description: 'Warnings of a connection that succeeded, such as an invalid certificate.' }),
      }),
    ),
    faults: ['INVALID_PARAMETER'],
    scope: 'admin',
    reads: true,
    example: { params: {} },
    async prepare({ app, account, language }, { id }) {
      const sees = await isOperatorAccount(app.db, account);
      const named = relaysOf(app).map((relay, index) => ({ relay, id: sees ? relay.id : publicIdOf(index) }));
      const chosen = named.filter((named) => id === undefined || named.id === id);
      if (id !== undefined && chosen.length === 0) throw fault('INVALID_PARAMETER', 'relay.unknown', { member: 'id' });
      const outcomes = chosen.map(async ({ relay, id }) => ({ ...(await testRelay(app, relay)), id }));
      return (await Promise.all(outcomes)).map((outcome) =>
        sees ? outcome : { ...outcome, problem: outcome.ok ? '' : hiddenReason(language), notes: [] },
      );
    },
    run: async (_context, _params, outcomes) => outcomes,
  }),
];

/** A relay for accounts that do not see its host: its place in the settings. */
const publicIdOf = (index: number) => String(index + 1);

const hiddenReason = (language: MessageLanguage) => renderMessage(message('relay.hidden'), language);

const recordOf = (app: App, relay: Relay) => ({
  id: relay.id,
  host: relay.host,
  port: relay.port,
  built_in: app.config.smtpUrls.length === 0,
  tls: relay.tls,
  signs_in: relay.auth !== undefined,
  max_connections: relay.connections,
  rate: relay.ratePerSecond ?? 0,
  weight: relay.weight,
});

/** What the live workers reported about each relay in the last half minute. */
async function statusByRelay(tx: Queries): Promise<Map<string, RelayStatus[]>> {
  const rows = await tx.rows<{ relays: RelayStatus[] }>(sql`
    select f.relays
    from worker_status f
    join worker w on w.id = f.worker_id
    where w.ended_at is null
      and f.at > now() - interval '30 seconds'`);
  return Map.groupBy(
    rows.flatMap((row) => row.relays),
    (status) => status.id,
  );
}

/** A relay works if it works for one worker; the others find out with their next attempt. */
function stateOf(statuses: readonly RelayStatus[], language: MessageLanguage) {
  const connections = statuses.reduce((sum, status) => sum + status.connections, 0);
  const works = statuses.some((status) => status.connections > 0 || status.reason === '');
  const restMs = works ? [] : statuses.map((status) => status.restMs);
  return {
    state: statuses.length === 0 ? 'idle' : connections > 0 ? 'working' : works ? 'ready' : 'resting',
    connections,
    rest_seconds: restMs.length > 0 ? Math.ceil(Math.min(...restMs) / 1_000) : 0,
    reason: works ? '' : renderPacked(statuses.find((status) => status.reason !== '')?.reason ?? '', language),
  };
}

async function testRelay(app: App, relay: Relay) {
  const startedAt = performance.now();
  const opened = await openConnection(relay, { ehloName: ehloNameOf(app), timeScale: testTimeScale });
  const ms = Math.round(performance.now() - startedAt);
  if (!opened.ok) {
    const { outcome } = opened;
    const code = outcome.kind === 'reply' && !outcome.local ? `${outcome.code} ` : '';
    return { id: relay.id, ok: false, ms, tls: '', stage: outcome.stage, problem: `${code}${outcome.text}`, notes: [] };
  }
  const { connection } = opened;
  await connection.close();
  return {
    id: relay.id,
    ok: true,
    ms,
    tls: connection.encrypted ?? '',
    stage: '',
    problem: '',
    notes: [...connection.notes],
  };
}
