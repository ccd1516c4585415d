// The methods about existing relays: their settings, their status in the workers, and whether a connection succeeds now.
// Passwords are never returned. Settings and the replies of a relay are for the account of the operator; other accounts get
// the state of the relays they may use and the stage of a failure. Changing relays is in change-methods.ts.
import { z } from 'zod';
import { isOperatorAccount } from '../../accounts/account/account.ts';
import type { Account, App } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { type MessageLanguage, message, renderMessage, renderPacked } from '../../base/messages.ts';
import { relaysFor } from '../../base/relay/message-sender.ts';
import { authMethods, tlsPolicies } from '../../base/relay/relay.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { formatDate } from '../../method/date.ts';
import { method } from '../../method/method.ts';
import { named } from '../../method/named.ts';
import { params, text } from '../../method/params.ts';
import { type Grant, readGrant } from '../oauth/grant.ts';
import { oauthRecord, oauthRecordOf } from '../oauth/record.ts';
import type { LastConnection, RelayStatus } from '../smtp/line/line-status.ts';
import type { RelayCounts } from '../smtp/relay-tally.ts';
import { emptyWeek, lastDaysOfRelays } from './relay-hours.ts';
import { learnedRates } from './relay-limits.ts';
import { allRelays, type ListedRelay, relaySources } from './relay-list.ts';
import { credentialsOf } from './relay-row.ts';
import { canBeUsed, problemOf, relayStates, stateOfRelay } from './relay-state.ts';
import {
  type FailedTest,
  failedTests,
  hasConnectedSince,
  noteTest,
  testOutcome,
  testRelay,
  tlsMembers,
  tlsRecord,
} from './relay-test.ts';
import { lastConnectionOf, remoteHosts, tlsWarning } from './relay-tls.ts';
import { together, type WaitingEmails, waitingEmails } from './waiting-emails.ts';

const exceptOperator = 'except for the account of the operator.';
const operatorOnly = `Empty ${exceptOperator}`;
/** Over all workers. */
const shownAnswers = 5;

const relayRecord = named(
  'Relay',
  z.object({
    id: z.string().meta({ description: 'For relayTest() and the methods that change a relay.' }),
    name: z.string().meta({ description: operatorOnly }),
    source: z.enum(relaySources).meta({
      description:
        'application: set up here; operator: set in SMTP_URL, cannot be changed here; inbox: the built-in inbox, which keeps all messages.',
    }),
    preset: z.string().meta({ description: 'The service it began with; empty for none.' }),
    host: z.string().meta({ description: operatorOnly }),
    port: z.int().meta({ description: '0 except for the account of the operator.' }),
    built_in: z.boolean().meta({ description: 'Whether this is the built-in inbox, which keeps all messages here.' }),
    tls: z.enum(tlsPolicies).meta({
      description:
        'The policy in effect. none: plain text. opportunistic: TLS if offered, with any certificate. require (STARTTLS) and ' +
        'implicit (from the first byte): TLS with a verified certificate, or nothing is sent.',
    }),
    tls_warning: z.string().meta({
      description: `What to change if it is at a public address without verified TLS; empty otherwise. ${operatorOnly}`,
    }),
    last_connection: z
      .object({
        at: z.string().meta({ description: 'When it was opened; empty if no worker has opened one since its start.' }),
        protocol: z.string().meta({ description: 'The TLS version, such as TLSv1.3; empty for plain text.' }),
        ...tlsMembers,
        problem: z
          .string()
          .meta({ description: `Why the certificate is not verified; empty if it is. ${operatorOnly}` }),
      })
      .meta({ description: 'The most recent connection of any worker that runs.' }),
    signs_in: z.boolean().meta({ description: 'Whether a user name and password are set for it.' }),
    username: z.string().meta({
      description:
        'Of a relay of the application, for the account of the operator; empty if it is the password as well.',
    }),
    auth: z.enum(['any', ...authMethods]),
    oauth: oauthRecord,
    max_connections: z.int(),
    messages_per_connection: z.int().meta({
      description: 'Messages after which a connection ends and another one is opened; 0 without a limit.',
    }),
    rate: z.number().meta({ description: 'Maximum messages a second; 0 without a limit.' }),
    learned_rate: z.number().meta({
      description:
        'Messages a second that it has shown to take, by refusing faster ones; it rises slowly while nothing is refused. 0 while none is known.',
    }),
    weight: z.number().meta({ description: 'Its share of the messages; 0 is used only while all others rest.' }),
    warm_up: z.string().meta({ description: 'The ramp of a relay of the application; empty for none.' }),
    accounts: z.array(z.string()).meta({ description: 'The accounts it is limited to; empty for all.' }),
    sender_domains: z.array(z.string()).meta({ description: 'The domains in From it is limited to; empty for all.' }),
    paused: z.boolean(),
    state: z.enum([...relayStates, 'paused', 'unusable']).meta({
      description:
        'working (connected now), ready, failing (its last test or connection failed), resting, not_answering (it accepts connections and says nothing), paused, unusable (its password cannot be decrypted), or idle if no worker has reported it recently.',
    }),
    connections: z.int().meta({ description: 'Open now, over all workers.' }),
    rest_seconds: z.int().meta({ description: 'Seconds until it is tried again, while it rests.' }),
    failing_since: z.string().meta({
      description:
        'While its state is failing or not_answering: when its test failed, or when it last took a connection; empty if neither is known.',
    }),
    reason: z.string().meta({ description: 'The last failure; empty if it works.' }),
    waiting: z.int().meta({
      description:
        'While it cannot be used, and no other relay takes them: emails that are due and wait for it. They are sent when it works again; none is marked as delivered before.',
    }),
    waiting_since: z.string().meta({ description: 'Since when the first of them is due; empty without any.' }),
    last_day: z
      .object({ accepted: z.int(), deferred: z.int(), refused: z.int() })
      .meta({ description: `Its answers to messages of all accounts in the last 24 hours; 0 ${exceptOperator}` }),
    last_days: z.array(z.object({ accepted: z.int(), deferred: z.int(), refused: z.int() })).meta({
      description: `The same of each of the last seven times 24 hours, the last at the end; all 0 ${exceptOperator}`,
    }),
    last_answers: z
      .array(z.object({ at: z.string(), code: z.int(), text: z.string() }))
      .meta({ description: `Its last replies that were no acceptance, newest first. ${operatorOnly}` }),
  }),
);

type Relay = z.infer<typeof relayRecord>;

export const relayMethods = [
  method({
    name: 'relays',
    group: 'sending',
    summary: 'Lists the relays of this installation and their status.',
    description:
      'Those of SMTP_URL come first, then those set up with relayCreate(). Without any, messages stay in the built-in inbox, ' +
      'unless the last one was deleted: then nothing is sent until another is set up, or relayUseInbox() is called. ' +
      'The account of the operator is the first one of the installation; other accounts see the relays they may use, ' +
      'without their settings and replies.',
    params: params({}),
    returns: z.array(relayRecord),
    faults: [],
    scope: 'admin',
    reads: true,
    example: { params: {} },
    async prepare({ app, account }) {
      if (!(await isOperatorAccount(app.db, account))) return new Set<string>();
      return remoteHosts((await allRelays(app, app.db)).map(({ relay }) => relay));
    },
    async run({ app, tx, account, language }, _params, remote) {
      const statuses = await statusByRelay(tx);
      const sees = await isOperatorAccount(tx, account);
      const learned = await learnedRates(tx);
      const failed = await failedTests(tx);
      const weeks = sees ? await lastDaysOfRelays(tx) : new Map<string, RelayCounts[]>();
      const all = await allRelays(app, tx);
      const grants = sees ? await grantsOf(app, tx, all) : new Map<string, Grant>();
      const states = new Map(
        all.map((listed) => {
          const { id } = listed.relay;
          return [id, stateOf(listed, statuses.get(id) ?? [], failed.get(id), language)];
        }),
      );
      const waiting = await waitingByRelay(tx, all, states, sees ? undefined : account.id);
      return visibleTo(account, sees, all).map(({ listed, id }) => {
        const { relay } = listed;
        const last = lastConnectionOf(statuses.get(relay.id) ?? []);
        const warning = tlsWarning(relay, remote.has(relay.host), last);
        const week = weeks.get(relay.id) ?? emptyWeek();
        const { count, since } = together(waiting.get(relay.id) ?? []);
        const record = {
          ...recordOf(app, listed),
          ...states.get(relay.id)!,
          waiting: count,
          waiting_since: formatDate(since),
          learned_rate: Math.round((learned.get(relay.id) ?? 0) * 100) / 100,
          tls_warning: warning ? renderMessage(warning, language) : '',
          last_connection: connectionRecord(last),
          last_day: week.at(-1)!,
          last_days: week,
          last_answers: lastAnswers(statuses.get(relay.id) ?? []),
          oauth: oauthRecordOf(grants.get(relay.id)),
          id,
        };
        return sees ? record : withoutSettings(record, language);
      });
    },
  }),
  method({
    name: 'relayTest',
    group: 'sending',
    summary: 'Tests the connection and sign-in of the relays without sending anything.',
    params: params({ id: text('The id of a relay from relays(); all if not given.', 300).optional() }),
    returns: z.array(testOutcome),
    faults: ['INVALID_PARAMETER'],
    scope: 'admin',
    reads: true,
    notes: true,
    example: { params: {} },
    async prepare({ app, account }, { id }) {
      const sees = await isOperatorAccount(app.db, account);
      const named = visibleTo(account, sees, await allRelays(app, app.db));
      const chosen = named.filter((named) => id === undefined || named.id === id);
      if (id !== undefined && chosen.length === 0) throw fault('INVALID_PARAMETER', 'relay.unknown', { member: 'id' });
      const tested = await Promise.all(
        chosen.map(async ({ listed, id }) => ({ id, outcome: await testRelay(app, listed) })),
      );
      return { sees, tested };
    },
    async run({ tx, language }, _params, { sees, tested }) {
      for (const { outcome } of tested) await noteTest(tx, outcome);
      return tested.map(({ id, outcome }) =>
        sees
          ? { ...outcome, id, problem: renderPacked(outcome.problem, language) }
          : { ...outcome, id, certificate: '', problem: outcome.ok ? '' : hiddenReason(language), notes: [] },
      );
    },
  }),
];

/** The emails that wait for each relay: those whose relays can none of them be used. @param account all if not given */
async function waitingByRelay(
  tx: Queries,
  listed: readonly ListedRelay[],
  states: ReadonlyMap<string, { state: Relay['state'] }>,
  account: number | undefined,
): Promise<Map<string, WaitingEmails[]>> {
  const byRelay = new Map<string, WaitingEmails[]>();
  const carries = ({ id }: { id: string }) => {
    const { state } = states.get(id)!;
    return state !== 'paused' && state !== 'unusable' && canBeUsed(state);
  };
  const relays = listed.map(({ relay }) => relay);
  // Nothing to read while all are used.
  if (relays.every(carries)) return byRelay;
  for (const emails of await waitingEmails(tx, account)) {
    const taking = relaysFor(relays, emails);
    if (taking.some(carries)) continue;
    for (const { id } of taking) byRelay.set(id, [...(byRelay.get(id) ?? []), emails]);
  }
  return byRelay;
}

/** Of the relays that use access tokens, by their ids. */
async function grantsOf(app: App, tx: Queries, listed: readonly ListedRelay[]): Promise<Map<string, Grant>> {
  const grants = new Map<string, Grant>();
  for (const { relay, row } of listed) {
    const grant = row?.authMethod === 'oauth' ? await readGrant(app, tx, { accountId: 0, id: row.id }) : undefined;
    if (grant) grants.set(relay.id, grant);
  }
  return grants;
}

/** The relays that an account sees, with the ids for it: for all but the operator, the place in the list. */
function visibleTo(account: Account, sees: boolean, listed: readonly ListedRelay[]) {
  if (sees) return listed.map((listed) => ({ listed, id: listed.relay.id }));
  return listed
    .filter(({ row }) => !row || row.accounts.length === 0 || row.accounts.includes(account.id))
    .map((listed, index) => ({ listed, id: String(index + 1) }));
}

/** What other accounts than that of the operator see. */
function withoutSettings<R extends { reason: string; last_connection: ReturnType<typeof connectionRecord> }>(
  record: R,
  language: MessageLanguage,
) {
  return {
    ...record,
    ...{ name: '', host: '', port: 0, username: '', accounts: [], sender_domains: [], tls_warning: '' },
    last_answers: [],
    last_connection: { ...record.last_connection, certificate: '', problem: '' },
    reason: record.reason === '' ? '' : hiddenReason(language),
  };
}

const hiddenReason = (language: MessageLanguage) => renderMessage(message('relay.hidden'), language);

const recordOf = (app: App, { relay, source, row }: ListedRelay) => ({
  id: relay.id,
  name: row?.name ?? '',
  source,
  preset: row?.preset ?? '',
  host: relay.host,
  port: relay.port,
  built_in: source === 'inbox',
  tls: relay.tls,
  signs_in: row ? row.credentials !== null : relay.auth !== undefined,
  username: row ? usernameOf(app, row) : '',
  auth: relay.auth?.method ?? ('any' as const),
  max_connections: relay.connections,
  messages_per_connection: relay.messagesPerConnection ?? 0,
  rate: relay.ratePerSecond ?? 0,
  weight: relay.weight,
  warm_up: row?.warmUp ?? '',
  accounts: (row?.accounts ?? []).map(formatId),
  sender_domains: row?.senderDomains ?? [],
  paused: row !== undefined && row.pausedAt !== null,
});

const connectionRecord = (last: LastConnection | null) => ({
  at: formatDate(last ? new Date(last.at) : null),
  protocol: last?.tls?.protocol ?? '',
  ...tlsRecord(last?.tls),
  problem: last?.tls?.problem ?? '',
});

/** Some services use one token as user name and password: such a user name is a secret. */
function usernameOf(app: App, row: NonNullable<ListedRelay['row']>): string {
  const credentials = credentialsOf(app, row);
  return credentials && credentials.user !== credentials.password ? credentials.user : '';
}

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

/** Those of all workers, newest first. */
const lastAnswers = (statuses: readonly RelayStatus[]) =>
  statuses
    .flatMap(({ answers }) => answers ?? [])
    .sort((a, b) => b.at.localeCompare(a.at))
    .slice(0, shownAnswers)
    .map(({ at, code, text }) => ({ at: formatDate(new Date(at)), code, text }));

function stateOf(
  { unused }: ListedRelay,
  statuses: readonly RelayStatus[],
  failedTest: FailedTest | undefined,
  language: MessageLanguage,
) {
  if (unused !== '') {
    const reason = unused === 'sealed' ? renderMessage(message('relay.sealed'), language) : '';
    return {
      state: unused === 'sealed' ? ('unusable' as const) : ('paused' as const),
      connections: 0,
      rest_seconds: 0,
      failing_since: '',
      reason,
    };
  }
  const state = stateOfRelay(statuses);
  if (failedTest && (state === 'ready' || state === 'idle') && !hasConnectedSince(failedTest, statuses)) {
    const reason = renderPacked(failedTest.problem, language);
    const failing_since = formatDate(failedTest.at);
    return { state: 'failing' as const, connections: 0, rest_seconds: 0, failing_since, reason };
  }
  const works = canBeUsed(state);
  const restMs = works ? [] : statuses.map((status) => status.restMs);
  return {
    state,
    connections: statuses.reduce((sum, status) => sum + status.connections, 0),
    rest_seconds: restMs.length > 0 ? Math.ceil(Math.min(...restMs) / 1_000) : 0,
    failing_since: state === 'failing' || state === 'not_answering' ? failingSince(failedTest, statuses) : '',
    reason: works ? '' : renderPacked(problemOf(statuses), language),
  };
}

/** A test that failed after the last good connection is the first known failure; otherwise it worked until that connection. */
function failingSince(failedTest: FailedTest | undefined, statuses: readonly RelayStatus[]): string {
  if (failedTest && !hasConnectedSince(failedTest, statuses)) return formatDate(failedTest.at);
  const last = lastConnectionOf(statuses);
  return formatDate(last ? new Date(last.at) : null);
}
