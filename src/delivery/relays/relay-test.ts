// Testing a relay: connects and signs in, and sends nothing. A test that failed is kept until one succeeds, the relay is changed,
// or it takes a message: until then the relay is not shown as ready.
import { z } from 'zod';
import type { App } from '../../base/context.ts';
import { message, packMessage } from '../../base/messages.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { jsonb } from '../../db/jsonb.ts';
import { tokensOf } from '../oauth/tokens.ts';
import type { NegotiatedTls } from '../smtp/channel.ts';
import { failureInWords } from '../smtp/failure-words.ts';
import type { RelayStatus } from '../smtp/line/line-status.ts';
import { openConnection } from '../smtp/open-connection.ts';
import { openSignedIn } from '../smtp/signed-in.ts';
import { ehloNameOf, type ListedRelay } from './relay-list.ts';
import { credentialsOf } from './relay-row.ts';
import { lastConnectionOf } from './relay-tls.ts';

/** A person waits: 5 s to connect and for TLS, 10 s to sign in, 25 s for the greeting. */
const testTimeScale = 1 / 12;

/** The TLS of a connection: in relays(), and as the answer of a test. */
export const tlsMembers = {
  cipher: z.string().meta({ description: 'Its cipher suite, by the name at IANA; empty without TLS.' }),
  certificate: z.string().meta({
    description: 'The name in the certificate of the relay. Empty except for the account of the operator.',
  }),
  verified: z.boolean().meta({
    description: 'Whether the certificate is valid and for the host of the relay. False without TLS.',
  }),
};

/** The answer of relayTest() and relayTestSettings(). */
export const testOutcome = z.object({
  id: z.string(),
  ok: z.boolean(),
  ms: z.int().meta({ description: 'How long it took, in milliseconds.' }),
  tls: z.string().meta({ description: 'The TLS version; empty without TLS.' }),
  ...tlsMembers,
  stage: z.string().meta({ description: 'Where it failed: connect, ehlo, starttls or auth; empty if it did not.' }),
  problem: z.string().meta({
    description:
      'Why it failed and what to look at, or the reply of the relay, in the account of the operator; empty if it succeeded.',
  }),
  notes: z
    .array(z.string())
    .meta({ description: 'Warnings of a connection that succeeded, such as an invalid certificate.' }),
});

type Outcome = z.input<typeof testOutcome>;

export type FailedTest = {
  at: string;
  /** It may be a packed message. */
  problem: string;
};

/** @returns an outcome whose problem may be a packed message */
export async function testRelay(app: App, { relay, row }: Pick<ListedRelay, 'relay' | 'row'>): Promise<Outcome> {
  const failed = { id: relay.id, ok: false, tls: '', ...tlsRecord(null), notes: [] };
  if (row && credentialsOf(app, row) === null)
    return { ...failed, ms: 0, stage: 'auth', problem: packMessage(message('relay.sealed')) };
  const startedAt = performance.now();
  const opened = await openSignedIn(relay, tokensOf(app), (signedIn) =>
    openConnection(signedIn, { ehloName: ehloNameOf(app), timeScale: testTimeScale }),
  );
  const ms = Math.round(performance.now() - startedAt);
  if (!opened.ok) {
    const { outcome } = opened;
    const words = failureInWords(outcome, relay);
    const code = outcome.kind === 'reply' && !outcome.local ? `${outcome.code} ` : '';
    return {
      ...failed,
      ms,
      stage: outcome.stage,
      problem: words ? packMessage(words) : `${code}${outcome.text}`,
    };
  }
  const { connection } = opened;
  await connection.close();
  return {
    id: relay.id,
    ok: true,
    ms,
    tls: connection.tls?.protocol ?? '',
    ...tlsRecord(connection.tls),
    stage: '',
    problem: '',
    notes: [...connection.notes],
  };
}

export const tlsRecord = (tls: NegotiatedTls | null | undefined) => ({
  cipher: tls?.cipher ?? '',
  certificate: tls?.certificate ?? '',
  verified: tls?.verified ?? false,
});

const keyPrefix = 'failed relay test ';

/** Keeps a failed test, and forgets it once one has succeeded. */
export async function noteTest(db: Queries, { id, ok, problem }: Outcome): Promise<void> {
  if (ok) return forgetTest(db, id);
  await db.run(sql`
    insert into installation (key, value)
    values (${keyPrefix + id}, ${jsonb({ at: new Date().toISOString(), problem })}::jsonb)
    on conflict (key) do update
    set value = excluded.value`);
}

/** Its settings have changed, or it no longer exists. */
export async function forgetTest(db: Queries, id: string): Promise<void> {
  await db.run(sql`delete from installation where key = ${keyPrefix + id}`);
}

/** The failed tests by relay. One that has taken messages in a later hour works again. */
export async function failedTests(db: Queries): Promise<Map<string, FailedTest>> {
  const rows = await db.rows<{ id: string; value: FailedTest }>(sql`
    select substr(key, ${keyPrefix.length + 1}) as id, value
    from installation
    where starts_with(key, ${keyPrefix})
      and not exists (
        select from relay_hour h
        where h.relay = substr(key, ${keyPrefix.length + 1})
          and h.accepted > 0
          and h.hour > floor(extract(epoch from (value ->> 'at')::timestamptz) / 3600))`);
  return new Map(rows.map(({ id, value }) => [id, value]));
}

export function hasConnectedSince({ at }: FailedTest, statuses: readonly RelayStatus[]): boolean {
  const last = lastConnectionOf(statuses);
  return last !== null && Date.parse(last.at) > Date.parse(at);
}
