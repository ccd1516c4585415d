// The relays as people see them: which there are, how they fare in the workers, and whether a connection succeeds now.
// They come from SMTP_URL, so nothing here changes them; passwords and user names are never told.
import { z } from 'zod';
import type { App } from '../../base/context.ts';
import { Fault } from '../../base/faults.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { method } from '../../method/method.ts';
import { params, text } from '../../method/params.ts';
import { openConnection } from '../smtp/open-connection.ts';
import type { Relay } from '../smtp/relay.ts';
import type { RelayStatus } from '../smtp/relay-pool.ts';
import { ehloNameOf, relaysOf } from './relay-list.ts';

/** A person waits: 5 s to connect and for TLS, 10 s to sign in, 25 s for the greeting. */
const testTimeScale = 1 / 12;

const relayRecord = z.object({
  id: z.string(),
  host: z.string(),
  port: z.int(),
  built_in: z.boolean().meta({ description: 'Whether this is the built-in inbox, which keeps all mail here.' }),
  tls: z.string().meta({ description: 'none, opportunistic, require or implicit.' }),
  signs_in: z.boolean().meta({ description: 'Whether a user name and password are set for it.' }),
  most_connections: z.int(),
  rate: z.number().meta({ description: 'Most messages a second; 0 when there is no limit.' }),
  weight: z.number().meta({ description: 'Its share of the mail; 0 serves only while all others rest.' }),
  state: z
    .string()
    .meta({ description: 'working (connected now), ready, resting, or idle when no worker has told of it lately.' }),
  connections: z.int().meta({ description: 'Open at the moment, of all workers.' }),
  rest_seconds: z.int().meta({ description: 'Until it is tried again, while it rests.' }),
  reason: z.string().meta({ description: 'What went wrong last; empty when nothing is wrong.' }),
});

export const relayMethods = [
  method({
    name: 'relays',
    group: 'account',
    summary: 'Lists the relays that carry the mail of this installation, and how they fare.',
    description: 'They are configured by the operator (SMTP_URL). Without any, mail stays in the built-in inbox.',
    params: params({}),
    returns: z.array(relayRecord),
    faults: [],
    scope: 'admin',
    reads: true,
    example: { params: {} },
    async run({ app, tx }) {
      const fares = await faresOf(tx);
      return relaysOf(app).map((relay) => ({ ...recordOf(app, relay), ...stateOf(fares.get(relay.id) ?? []) }));
    },
  }),
  method({
    name: 'relayTest',
    group: 'account',
    summary: 'Connects to the relays as a worker does, up to signing in, sends nothing, and tells how it went.',
    params: params({ id: text('One relay as relays() tells it; all when not given.', 300).optional() }),
    returns: z.array(
      z.object({
        id: z.string(),
        ok: z.boolean(),
        ms: z.int().meta({ description: 'How long it took, in milliseconds.' }),
        tls: z.string().meta({ description: 'The version of TLS; empty without.' }),
        stage: z
          .string()
          .meta({ description: 'Where it failed: connect, ehlo, starttls or auth; empty when it did not.' }),
        problem: z.string().meta({ description: 'What the relay said, or what happened; empty when all is well.' }),
        notes: z
          .array(z.string())
          .meta({ description: 'What to know although it succeeded, such as a bad certificate.' }),
      }),
    ),
    faults: ['INVALID_PARAMETER'],
    scope: 'admin',
    reads: true,
    example: { params: {} },
    async prepare({ app }, { id }) {
      const chosen = relaysOf(app).filter((relay) => id === undefined || relay.id === id);
      if (id !== undefined && chosen.length === 0) throw new Fault('INVALID_PARAMETER', 'id: there is no such relay');
      return Promise.all(chosen.map((relay) => tried(app, relay)));
    },
    run: async (_context, _params, outcomes) => outcomes,
  }),
];

const recordOf = (app: App, relay: Relay) => ({
  id: relay.id,
  host: relay.host,
  port: relay.port,
  built_in: app.config.smtpUrls.length === 0,
  tls: relay.tls,
  signs_in: relay.auth !== undefined,
  most_connections: relay.connections,
  rate: relay.ratePerSecond ?? 0,
  weight: relay.weight,
});

/** What the live workers told of each relay in the last half minute. */
async function faresOf(tx: Queries): Promise<Map<string, RelayStatus[]>> {
  const rows = await tx.rows<{ relays: RelayStatus[] }>(sql`
    select f.relays
    from worker_figures f
    join worker w on w.id = f.worker_id
    where w.ended_at is null
      and f.at > now() - interval '30 seconds'`);
  return Map.groupBy(
    rows.flatMap((row) => row.relays),
    (fare) => fare.id,
  );
}

/** It works while it works for one worker: the others find that out when they try next. */
function stateOf(fares: readonly RelayStatus[]) {
  const connections = fares.reduce((sum, fare) => sum + fare.connections, 0);
  const well = fares.some((fare) => fare.connections > 0 || fare.reason === '');
  const rests = well ? [] : fares.map((fare) => fare.restMs);
  return {
    state: fares.length === 0 ? 'idle' : connections > 0 ? 'working' : well ? 'ready' : 'resting',
    connections,
    rest_seconds: rests.length > 0 ? Math.ceil(Math.min(...rests) / 1_000) : 0,
    reason: well ? '' : (fares.find((fare) => fare.reason !== '')?.reason ?? ''),
  };
}

async function tried(app: App, relay: Relay) {
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
