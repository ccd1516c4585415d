// The only way to run a method: find → who asks → rate → parse → prepare → transaction → run → check the result →
// commit → one log line. The doors turn bytes into (name, raw parameters, credentials) and the outcome into bytes.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeAudit } from '../accounts/audit/audit.ts';
import { authenticate, type Credentials } from '../accounts/keys/authenticate.ts';
import type { App, Context, PrepareContext } from '../base/context.ts';
import { Fault } from '../base/faults.ts';
import { message } from '../base/messages.ts';
import { isLostRace, isUnavailable, sql } from '../db/connect.ts';
import { earlierAnswer, keepAnswer, onceOf, takeKey } from '../method/idempotency.ts';
import type { AnyMethod } from '../method/method.ts';
import { readValue } from '../method/parameter-fault.ts';
import { readable } from './normalise.ts';
import { checkRate } from './rate.ts';
import { methods } from './registry.ts';

export type Door = 'xmlrpc' | 'form' | 'json' | 'cli' | 'web';

/**
 * Runs a method and answers its result.
 * @throws Fault for everything a caller can do something about; a bug becomes INTERNAL with a request id.
 */
export async function call(
  app: App,
  name: string,
  raw: unknown,
  credentials: Credentials,
  door: Door,
): Promise<unknown> {
  const startedAt = performance.now();
  const requestId = randomUUID();
  const log = app.log.child({ requestId, method: name.slice(0, 60), door });
  let outcome: string = 'ok';
  try {
    return await run(app, name, raw, credentials, door, requestId, log);
  } catch (error) {
    const fault = asFault(error, requestId);
    outcome = fault.fault;
    if (fault.fault === 'INTERNAL' || fault.fault === 'UNAVAILABLE') log.error({ err: error }, 'call failed');
    throw fault;
  } finally {
    log.info({ outcome, ms: Math.round((performance.now() - startedAt) * 10) / 10 }, 'call');
  }
}

/** The method of a name, without regard to case. @throws Fault UNKNOWN_METHOD */
export function findMethod(name: string): AnyMethod {
  const found = byName.get(name.toLowerCase());
  if (!found) throw new Fault('UNKNOWN_METHOD', message('call.unknown_method', { method: name.slice(0, 60) }));
  return found;
}

/**
 * The parameters a method works with, from what a door received.
 * @throws Fault naming the member, as a path, and the reason
 */
export function parseParams(method: AnyMethod, raw: unknown): unknown {
  return readValue(method.params, readable(raw));
}

/** Tries of a transaction that loses against others, which end sooner or later. */
const maxAttempts = 4;

const byName = new Map(methods.map((method) => [method.name.toLowerCase(), method]));

async function run(
  app: App,
  name: string,
  raw: unknown,
  credentials: Credentials,
  door: Door,
  requestId: string,
  log: Context['log'],
) {
  const method = findMethod(name);
  const { account, caller } = method.identify
    ? await method.identify(app, parseParams(method, raw), 'ip' in credentials ? credentials.ip : '')
    : await authenticate(app, credentials);
  if (!account.active) throw new Fault('ACCOUNT_DISABLED', message('call.account_off'));
  const release = checkRate(caller);
  try {
    if (!caller.scopes.includes(method.scope)) {
      throw new Fault(
        'NOT_ALLOWED',
        message('call.missing_permission', { method: method.name, scope: method.scope, caller: caller.kind }),
      );
    }
    if (method.person && caller.kind !== 'user')
      throw new Fault('NOT_ALLOWED', message('call.person_only', { method: method.name }));
    const params = parseParams(method, raw);
    const once = onceOf(account.id, method.name, params);
    const earlier = once && (await earlierAnswer(app.db, once));
    if (earlier) return method.returns.parse(earlier.answer);
    const language = 'language' in credentials ? (credentials.language ?? 'en') : 'en';
    const outside: PrepareContext = { app, account, caller, log, requestId, language };
    const prepared = method.prepare ? await method.prepare(outside, params) : undefined;
    for (let tries = 1; ; tries++) {
      let done: { xid: string; result: unknown } | undefined;
      try {
        return await app.db.transaction(async (tx) => {
          const clock = await tx.row<{ now: Date }>(sql`select now() as now`);
          const context: Context = { ...outside, tx, now: clock!.now };
          if (once && !(await takeKey(tx, once))) return method.returns.parse((await earlierAnswer(tx, once))!.answer);
          const result = await method.run(context, params, prepared);
          if (method.reads) return method.returns.parse(result);
          await writeAudit(context, door, method.name, params);
          const checked = method.returns.parse(result);
          if (once) await keepAnswer(tx, once, checked);
          done = {
            xid: (await tx.row<{ xid: string }>(sql`select pg_current_xact_id()::text as xid`))!.xid,
            result: checked,
          };
          return checked;
        });
      } catch (error) {
        // The connection broke at the COMMIT: the database knows whether it was done.
        if (done && isUnavailable(error) && (await wasCommitted(app, done.xid))) return done.result;
        if (tries === maxAttempts || !isLostRace(error)) throw error;
        log.info({ code: (error as { code?: string }).code, tries }, 'lost against another call; trying again');
      }
    }
  } finally {
    release();
  }
}

/** @throws Fault UNAVAILABLE when the database does not come back soon enough to tell */
async function wasCommitted(app: App, xid: string): Promise<boolean> {
  for (let tries = 1; tries <= 5; tries++) {
    if (tries > 1) await sleep(100 * 2 ** tries);
    const row = await app.db
      .row<{ status: string }>(sql`select pg_xact_status(${xid}::xid8) as status`)
      .catch(() => undefined);
    if (row?.status === 'committed' || row?.status === 'aborted') return row.status === 'committed';
  }
  throw new Fault('UNAVAILABLE', message('call.outcome_unknown'), 5);
}

function asFault(error: unknown, requestId: string): Fault {
  if (error instanceof Fault) return error;
  if (isUnavailable(error)) return new Fault('UNAVAILABLE', message('call.nothing_changed', { id: requestId }), 5);
  return new Fault('INTERNAL', message('call.internal', { id: requestId }));
}
