// The only way to run a method: find → authenticate → rate limit → parse → prepare → transaction → run → check the result →
// commit → one log line. A door turns bytes into a name, raw parameters and credentials, and the outcome into bytes.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { needSession } from '../accounts/access/session.ts';
import { isOperatorAccount } from '../accounts/account/account.ts';
import { isMoving } from '../accounts/account/moves.ts';
import { noteName, writeAudit } from '../accounts/audit/audit.ts';
import { changesBetween, snapshotFor } from '../accounts/audit/changes.ts';
import type { Credentials, Identity } from '../accounts/keys/authenticate.ts';
import { asSeenBy } from '../accounts/keys/lists.ts';
import {
  isBarredByActing,
  isBarredByLists,
  isBarredByTest,
  lackedBy,
  mayCall,
  mayDo,
} from '../accounts/keys/permissions.ts';
import { noteRefusal } from '../accounts/keys/refusals.ts';
import type { Account, App, Caller, Context, Door, PrepareContext } from '../base/context.ts';
import { Fault, fault } from '../base/faults.ts';
import { withoutQuotedAddresses } from '../base/hide-addresses.ts';
import { message } from '../base/messages.ts';
import { inSpan, type OpenSpan } from '../base/spans.ts';
import { withDocuments } from '../base/threads/outside.ts';
import { inTurnOf } from '../base/threads/turns.ts';
import { ChangeRefused, isContended, isLostRace, isUnavailable, sql, type Tx } from '../db/connect.ts';
import { formatId } from '../db/ids.ts';
import { countedWrite, countWrite, type Writes } from '../db/standby/writes.ts';
import { cleanInput } from '../method/clean-input.ts';
import { isBefore18, ownParams } from '../method/family.ts';
import { claimKey, type IdempotentCall, idempotentCall, recordAnswer, recordedAnswer } from '../method/idempotency.ts';
import type { AnyMethod } from '../method/method.ts';
import { asPublished, rowsOf, withTidyNames } from '../method/published.ts';
import { readValue } from '../method/read-value.ts';
import { defOf, metaOf } from '../method/schema.ts';
import { withinShare } from './admission/account-share.ts';
import { allowanceOf, checkRate } from './admission/rate-limit.ts';
import { authenticateCaller } from './admission/refused-keys.ts';
import { methods, smsMethods } from './registry.ts';

/** What a door adds to a call. */
export type Extra = {
  /** Of the API family, as a path such as /1.5/ names it. */
  version?: string | undefined;
  /** A condition that the method itself does not have, on the parameters as the method reads them. @throws Fault */
  check?: ((context: PrepareContext, params: never) => Promise<void>) | undefined;
};

/**
 * Runs a method and returns its result.
 * @throws Fault for everything a caller can do something about; a bug becomes INTERNAL with a request id
 */
export function call(
  app: App,
  name: string,
  raw: unknown,
  credentials: Credentials,
  door: Door,
  extra: Extra = {},
): Promise<unknown> {
  const method = byName.get(name.toLowerCase())?.name ?? 'unknown';
  const attributes = { 'rpc.method': method, 'postrider.door': door };
  return inSpan(`call ${method}`, { attributes }, (span) =>
    runCall(app, { name, raw, credentials, door, ...extra }, span),
  );
}

type Call = Extra & { name: string; raw: unknown; credentials: Credentials; door: Door };

async function runCall(app: App, given: Call, span: OpenSpan): Promise<unknown> {
  const { name, raw, credentials, door, version, check } = given;
  const startedAt = performance.now();
  const requestId = randomUUID();
  const log = app.log.child({ requestId, method: name.slice(0, 60), door });
  let outcome: string = 'ok';
  let caller: Caller | undefined;
  let account: Account | undefined;
  try {
    const method = findMethod(name);
    const identity = await identify(app, method, raw, credentials, door);
    ({ account, caller } = identity);
    const release = checkRate(app, caller);
    try {
      await checkPermission(app, method, account, caller);
      const language = 'language' in credentials ? (credentials.language ?? 'en') : 'en';
      const context: PrepareContext = { app: asSeenBy(app, caller), account, caller, log, requestId, language };
      const params = parseParams(method, raw, door);
      if (isBarredByActing(caller, method, params)) throw fault('NOT_ALLOWED', 'call.acting', { method: method.name });
      if (caller.kind === 'user' && !caller.confirmed && method.confirm?.(params))
        throw fault('CONFIRMATION_NEEDED', 'session.confirm', { method: 'sessionConfirm' });
      const { addresses } = method;
      if (typeof addresses === 'function' && addresses(params))
        await needRights(app, { ...method, addresses: true }, account, caller);
      await check?.(context, params as never);
      const result = await run(context, method, params, door, identity.writes);
      const shown = mayDo(caller, 'contacts:read') ? result : withoutQuotedAddresses(result);
      return answerAt(door, method, shown, version);
    } finally {
      release();
    }
  } catch (error) {
    const fault = asFault(error, requestId);
    outcome = fault.fault;
    const isFailure = fault.fault === 'INTERNAL' || fault.fault === 'UNAVAILABLE';
    if (isFailure && !isUnavailable(error)) log.error({ err: error }, 'call failed');
    throw fault;
  } finally {
    if (credentials.kind === 'key' && caller?.kind === 'key') credentials.allowance?.(allowanceOf(app, caller));
    const ip = 'ip' in credentials ? credentials.ip : '';
    span.set({
      'postrider.outcome': outcome,
      'postrider.request': requestId,
      ...(account && { 'postrider.account': formatId(account.id) }),
    });
    log.info(
      { ip, outcome, ...namesOf(account, caller), ms: Math.round((performance.now() - startedAt) * 10) / 10 },
      'call',
    );
  }
}

/** Who called, for the log line: after an incident it shows where a key or session was used. */
function namesOf(account: Account | undefined, caller: Caller | undefined) {
  return {
    ...(account && { account: formatId(account.id) }),
    ...(caller?.kind === 'key' && { key: formatId(caller.keyId) }),
    ...(caller?.kind === 'user' && { user: formatId(caller.userId) }),
  };
}

/** Finds a method, without regard to case. @throws Fault UNKNOWN_METHOD, SENDING_NOT_ALLOWED */
export function findMethod(name: string): AnyMethod {
  if (smsMethods.has(name.toLowerCase())) throw fault('SENDING_NOT_ALLOWED', 'call.no_sms', { method: name });
  const method = byName.get(name.toLowerCase());
  if (!method) throw fault('UNKNOWN_METHOD', 'call.unknown_method', { method: name.slice(0, 60) });
  return method;
}

/**
 * Cleans and parses what a door received.
 * @throws Fault with the path of the invalid member and the reason
 */
function parseParams(method: AnyMethod, raw: unknown, door: Door): unknown {
  const tidy = isPublished(door) ? withTidyNames(method.params, raw) : raw;
  const given = cleanInput(tidy, '', separatelyRead(method));
  if (!isPublished(door)) return readValue(method.params, ownParams(method.family, given));
  return readValue(method.params, asPublished(method.params, ownParams(method.family, given, rowsOf)));
}

/** Whether published clients of the API family call through a door. */
const isPublished = (door: Door) => door === 'xmlrpc' || door === 'form';

/** The result as a door returns it. */
function answerAt(door: Door, method: AnyMethod, result: unknown, version: string | undefined): unknown {
  const { answer } = method.family ?? {};
  return answer && isPublished(door) ? answer.returns.parse(answer.of(result, isBefore18(version))) : result;
}

/** Attempts of a transaction that loses against others, which end sooner or later. */
const maxAttempts = 4;

/** The members whose items the method cleans and reads one by one, under all their names. */
function separatelyRead({ params, family }: AnyMethod): string[] {
  const shape = defOf(params).shape ?? {};
  const names = Object.keys(shape).filter((name) => metaOf(shape[name]!).separateItems);
  return names.length === 0 ? [] : [...names, ...Object.keys(family?.params ?? {})];
}

const byName = new Map(methods.map((method) => [method.name.toLowerCase(), method]));

async function identify(
  app: App,
  method: AnyMethod,
  raw: unknown,
  credentials: Credentials,
  door: Door,
): Promise<Identity> {
  if (!method.identify) return authenticateCaller(app, credentials, method.whileSuspended);
  const identity = await method.identify(
    app,
    parseParams(method, raw, door),
    'ip' in credentials ? credentials.ip : '',
  );
  if (!identity.account.active) throw fault('ACCOUNT_DISABLED', 'call.account_off');
  return identity;
}

/** @throws Fault NOT_ALLOWED */
async function checkPermission(app: App, method: AnyMethod, account: Account, caller: Caller): Promise<void> {
  const { name, person, operator } = method;
  await needRights(app, method, account, caller);
  if (person && caller.kind !== 'user') throw fault('NOT_ALLOWED', 'call.person_only', { method: name });
  if (operator && !(await isOperatorAccount(app.db, account)))
    throw fault('NOT_ALLOWED', 'call.operator_only', { method: name });
}

/** @throws Fault NOT_ALLOWED */
async function needRights(app: App, method: AnyMethod, account: Account, caller: Caller): Promise<void> {
  if (mayCall(caller, method)) return;
  const { name, scope } = method;
  const lacked = lackedBy(caller, method) || scope;
  if (caller.kind === 'key')
    await noteRefusal(app, { accountId: account.id, keyId: caller.keyId, ip: caller.ip }, lacked);
  if (isBarredByLists(caller, method)) throw fault('NOT_ALLOWED', 'call.all_lists_only', { method: name });
  if (isBarredByTest(caller, method)) throw fault('NOT_ALLOWED', 'call.test_key', { method: name });
  throw fault('NOT_ALLOWED', 'call.missing_permission', { method: name, scope: lacked, caller: caller.kind });
}

async function run(
  context: PrepareContext,
  method: AnyMethod,
  params: unknown,
  door: Door,
  writes: Writes | undefined,
): Promise<unknown> {
  const { app, account, caller, log } = context;
  const once = idempotentCall(account.id, method.name, params, caller.lists);
  const earlier = once && (await recordedAnswer(app.db, once));
  if (earlier) return method.returns.parse(earlier.answer);
  const prepared = method.prepare ? await inTurnOf(account.id, () => method.prepare!(context, params)) : undefined;
  const step = { method, params, prepared, once, door };
  for (let attempt = 1; ; attempt++) {
    const commit: Commit = {};
    try {
      return await withDocuments(account.id, () =>
        method.reads && !method.notes
          ? read(context, method, writes, (tx, now) => runIn(tx, context, step, commit, now))
          : withinShare(app.db, account.id, () => app.db.transaction((tx) => runIn(tx, context, step, commit))),
      );
    } catch (error) {
      // The connection broke at the COMMIT: the database knows whether it took effect.
      if (commit.xid && isUnavailable(error) && (await wasCommitted(app, commit.xid))) return commit.result;
      if (attempt === maxAttempts || !isLostRace(error)) throw error;
      log.info({ code: (error as { code?: string }).code, attempt }, 'lost a race against another call; retrying');
    }
  }
}

/** Runs a method that reads, where it can be read; the database refuses it any change. */
async function read(
  { app, account, log }: PrepareContext,
  method: AnyMethod,
  writes: Writes | undefined,
  work: (tx: Tx, now?: Date) => Promise<unknown>,
): Promise<unknown> {
  const { standby } = app;
  if (standby && writes && mayReadElsewhere(method)) {
    const reader = { accountId: account.id, writes, narrowing: app.db.narrowing };
    const found = await withinShare(standby.db, account.id, () => standby.read(reader, work));
    if (found) return found.value;
  }
  try {
    return await withinShare(app.db, account.id, () => app.db.reading(work));
  } catch (error) {
    if (!(error instanceof ChangeRefused)) throw error;
    // A bug of the method, for which its callers do not pay: test/conformance/reading.test.ts finds it.
    log.error({ err: error, method: method.name }, 'a method that reads tried to change something');
    return withinShare(app.db, account.id, () => app.db.transaction((tx) => work(tx)));
  }
}

/** What is about the signed-in person or the installation changes by more than the calls of the account. */
const mayReadElsewhere = ({ primary, person, operator }: AnyMethod) => !primary && !person && !operator;

type Step = {
  method: AnyMethod;
  params: unknown;
  prepared: unknown;
  once: IdempotentCall | undefined;
  door: Door;
};
/** The transaction that is about to be committed, and the result it will have. */
type Commit = { xid?: string; result?: unknown };

/** The part of a call within its transaction. */
async function runIn(tx: Tx, outside: PrepareContext, step: Step, commit: Commit, at?: Date): Promise<unknown> {
  const { method, params, prepared, once, door } = step;
  const now = at ?? (await tx.row<{ now: Date }>(sql`select now() as now`))!.now;
  const published = isPublished(door) ? { ignored: new Map<string, number>() } : undefined;
  const context: Context = { ...outside, tx, now, noted: new Map(), published };
  if (once && !(await claimKey(tx, once))) return method.returns.parse((await recordedAnswer(tx, once))!.answer);
  const { account, caller } = context;
  if (caller.kind === 'user' && !method.reads && (method.person || method.confirm)) await needSession(tx, caller);
  const before = method.reads ? undefined : await snapshotFor(context, method.name, params);
  if (!method.reads) await noteName(context, method.name, params);
  const result = await method.run(context, params, prepared);
  if (method.notes) await countWrite(tx, account.id);
  if (method.reads) return method.returns.parse(result);
  const after = before && (await snapshotFor(context, method.name, params));
  await writeAudit(context, door, method.name, params, result, changesBetween(before, after));
  const checked = method.returns.parse(result);
  if (once) await recordAnswer(tx, once, checked);
  const row = await tx.row<{ xid: string }>(sql`
    with counted as (${countedWrite(account.id)}) select pg_current_xact_id()::text as xid`);
  commit.xid = row!.xid;
  commit.result = checked;
  return checked;
}

/** @throws Fault UNAVAILABLE if the database does not come back soon enough */
async function wasCommitted(app: App, xid: string): Promise<boolean> {
  for (let attempt = 1; attempt <= 5; attempt++) {
    if (attempt > 1) await sleep(100 * 2 ** attempt);
    const row = await app.db
      .row<{ status: string }>(sql`select pg_xact_status(${xid}::xid8) as status`)
      .catch(() => undefined);
    if (row?.status === 'committed' || row?.status === 'aborted') return row.status === 'committed';
  }
  throw new Fault('UNAVAILABLE', message('call.outcome_unknown'), 5);
}

function asFault(error: unknown, requestId: string): Fault {
  if (error instanceof Fault) return error;
  // Its transaction came after the fence of a move.
  if (isMoving(error)) return new Fault('UNAVAILABLE', message('call.moving'), 5);
  if (isUnavailable(error)) return new Fault('UNAVAILABLE', message('call.nothing_changed', { id: requestId }), 5);
  if (isContended(error)) return new Fault('UNAVAILABLE', message('call.contended', { id: requestId }), 5);
  return fault('INTERNAL', 'call.internal', { id: requestId });
}
