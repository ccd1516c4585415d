// Testing a relay: connects and signs in, and sends nothing. A test that failed is kept until one succeeds, the relay is changed,
// or it takes a message: until then the relay is not shown as ready.
import { z } from 'zod';
import type { App } from '../../base/context.ts';
import { message, packMessage } from '../../base/messages.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { named } from '../../method/named.ts';
import type { AccessToken, TokenSource } from '../oauth/access-token.ts';
import { tokensOf } from '../oauth/tokens.ts';
import type { NegotiatedTls } from '../smtp/channel.ts';
import { failureInWords } from '../smtp/failure-words.ts';
import type { RelayStatus } from '../smtp/line/line-status.ts';
import { openConnection } from '../smtp/open-connection.ts';
import { openSignedIn } from '../smtp/signed-in.ts';
import { stages } from '../verdict/outcome.ts';
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
export const testOutcome = named(
  'RelayTest',
  z.object({
    id: z.string(),
    ok: z.boolean(),
    ms: z.int().meta({ description: 'How long it took, in milliseconds.' }),
    tls: z.string().meta({ description: 'The TLS version; empty without TLS.' }),
    ...tlsMembers,
    stage: z
      .enum(['', ...stages])
      .meta({ description: 'Where it failed: connect, ehlo, starttls or auth; empty if it did not.' }),
    problem: z.string().meta({
      description:
        'Why it failed and what to look at, or the reply of the relay, in the account of the operator; empty if it succeeded.',
    }),
    notes: z
      .array(z.string())
      .meta({ description: 'Warnings of a connection that succeeded, such as an invalid certificate.' }),
  }),
);

type Outcome = z.input<typeof testOutcome>;

export type FailedTest = {
  at: Date;
  /** It may be a packed message. */
  problem: string;
};

/**
 * @param tokens where access tokens come from, for one that is not stored yet
 * @returns an outcome whose problem may be a packed message
 */
export async function testRelay(
  app: App,
  { relay, row }: Pick<ListedRelay, 'relay' | 'row'>,
  tokens: TokenSource = tokensOf(app),
): Promise<Outcome> {
  const failed = { id: relay.id, ok: false, tls: '', ...tlsRecord(null), notes: [] };
  if (row && credentialsOf(app, row) === null)
    return { ...failed, ms: 0, stage: 'auth', problem: packMessage(message('relay.sealed')) };
  const startedAt = performance.now();
  const opened = await openSignedIn(relay, tokens, (signedIn) =>
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

/** One token, of settings or of a sign-in that are not stored yet. */
export const onlyToken = (token: AccessToken): TokenSource => ({
  current: async () => token,
  // Refused: the test ends with the reply of the relay.
  renewed: async () => token,
});

export const tlsRecord = (tls: NegotiatedTls | null | undefined) => ({
  cipher: tls?.cipher ?? '',
  certificate: tls?.certificate ?? '',
  verified: tls?.verified ?? false,
});

/** Keeps a failed test, and forgets it once one has succeeded. */
export async function noteTest(
  db: Queries,
  { id, ok, problem }: Pick<Outcome, 'id' | 'ok' | 'problem'>,
): Promise<void> {
  if (ok) return forgetTest(db, id);
  await db.run(sql`
    insert into relay_test (relay, at, problem)
    values (${id}, clock_timestamp(), ${problem})
    on conflict (relay) do update
    set at = excluded.at, problem = excluded.problem`);
}

/** Its settings have changed, or it no longer exists. */
export async function forgetTest(db: Queries, id: string): Promise<void> {
  await db.run(sql`delete from relay_test where relay = ${id}`);
}

/** The failed tests by relay. One that has taken messages in a later hour works again. */
export async function failedTests(db: Queries): Promise<Map<string, FailedTest>> {
  const rows = await db.rows<{ relay: string } & FailedTest>(sql`
    select relay, at, problem
    from relay_test t
    where not exists (
      select from relay_hour h
      where h.relay = t.relay
        and h.accepted > 0
        and h.hour > floor(extract(epoch from t.at) / 3600))`);
  return new Map(rows.map(({ relay, at, problem }) => [relay, { at, problem }]));
}

export function hasConnectedSince({ at }: FailedTest, statuses: readonly RelayStatus[]): boolean {
  const last = lastConnectionOf(statuses);
  return last !== null && Date.parse(last.at) > at.getTime();
}
