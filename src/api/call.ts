// The only way to run a method: find → who asks → rate → parse → prepare → transaction → run → check the result →
// commit → one log line. The doors turn bytes into (name, raw parameters, credentials) and the outcome into bytes.
import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import { writeAudit } from '../accounts/audit.ts';
import { authenticate, type Credentials } from '../accounts/authenticate.ts';
import type { App, Context, PrepareContext } from '../context.ts';
import { isUnavailable, sql } from '../db/connect.ts';
import { Fault, type FaultName } from '../faults.ts';
import type { AnyMethod } from './method.ts';
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
  if (!found)
    throw new Fault(
      'UNKNOWN_METHOD',
      `There is no method "${name.slice(0, 60)}"; system.listMethods tells which there are`,
    );
  return found;
}

/**
 * The parameters a method works with, from what a door received.
 * @throws Fault naming the member, as a path, and the reason
 */
export function parseParams(method: AnyMethod, raw: unknown): unknown {
  const result = method.params.safeParse(withoutNulls(raw));
  if (result.success) return result.data;
  throw parameterFault(method.params, result.error);
}

/** The fault for what a schema found wrong: the innermost fault mark on the way to the member, and the member's path. */
export function parameterFault(schema: z.ZodType, error: z.ZodError): Fault {
  const issue = deepest(error.issues);
  const unknown = issue.code === 'unrecognized_keys' ? String(issue.keys[0]) : undefined;
  const path = issue.path.map(String);
  const { fault, children } = faultOnTheWay(schema, path, unknown !== undefined);
  const where = [...path, ...(unknown === undefined ? [] : [unknown])].join('.');
  if (unknown !== undefined) {
    const known = children.length > 0 ? `; known are ${children.slice(0, 40).join(', ')}` : '';
    return new Fault(fault, `${where.slice(0, 200)} is not known here${known}`);
  }
  if (where === '') return new Fault(fault, `The parameters must be one struct`);
  const missing = issue.code === 'invalid_type' && issue.input === undefined;
  return new Fault(
    fault,
    `${where.slice(0, 200)} ${missing ? 'is required' : issue.message.replace(/^Invalid input: /, 'is wrong: ')}`,
  );
}

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
  const { account, caller } = await authenticate(app, credentials);
  const release = checkRate(caller);
  try {
    if (!caller.scopes.includes(method.scope)) {
      throw new Fault(
        'NOT_ALLOWED',
        `${method.name} needs the permission "${method.scope}", which this ${caller.kind} does not have`,
      );
    }
    const params = parseParams(method, raw);
    const outside: PrepareContext = { app, account, caller, log, requestId };
    const prepared = method.prepare ? await method.prepare(outside, params) : undefined;
    return await app.db.transaction(async (tx) => {
      const clock = await tx.row<{ now: Date }>(sql`select now() as now`);
      const context: Context = { ...outside, tx, now: clock!.now };
      const result = await method.run(context, params, prepared);
      if (!method.reads) await writeAudit(context, door, method.name, params);
      return method.returns.parse(result);
    });
  } finally {
    release();
  }
}

function asFault(error: unknown, requestId: string): Fault {
  if (error instanceof Fault) return error;
  if (isUnavailable(error))
    return new Fault('UNAVAILABLE', `The database is out of reach; nothing was changed (request ${requestId})`, 5);
  return new Fault('INTERNAL', `Something failed inside (request ${requestId})`);
}

/** JSON null and XML-RPC nil mean "not given". */
function withoutNulls(value: unknown): unknown {
  if (
    typeof value !== 'object' ||
    value === null ||
    Array.isArray(value) ||
    Object.getPrototypeOf(value) === Uint8Array.prototype
  )
    return value;
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  return Object.fromEntries(members.map(([key, member]) => [key, withoutNulls(member)]));
}

type Issue = z.core.$ZodIssue;

/** The first issue, and within a union the branch that came furthest. */
function deepest(issues: Issue[], prefix: PropertyKey[] = []): Issue {
  const first = issues[0]!;
  const path = [...prefix, ...first.path];
  if (first.code === 'invalid_union') {
    const branches = first.errors.filter((branch) => branch.length > 0).map((branch) => deepest(branch, path));
    const furthest = branches.sort((a, b) => b.path.length - a.path.length)[0];
    if (furthest && furthest.path.length > path.length) return furthest;
  }
  return { ...first, path } as Issue;
}

/** Walks from the root of a schema along a path; tells the fault that applies there and the known members. */
function faultOnTheWay(root: z.ZodType, path: string[], inside: boolean): { fault: FaultName; children: string[] } {
  let fault: FaultName = 'INVALID_PARAMETER';
  let self: FaultName | undefined;
  let here: z.ZodType | undefined = root;
  const enter = (schema: z.ZodType | undefined): z.ZodType | undefined => {
    self = undefined;
    let current = schema;
    while (current) {
      const meta = current.meta();
      if (meta?.selfFault) self = meta.selfFault;
      if (meta?.fault) pending = meta.fault;
      const def = current.def as unknown as { type: string; innerType?: z.ZodType; in?: z.ZodType; out?: z.ZodType };
      if (def.innerType) current = def.innerType;
      else if (def.type === 'pipe') current = (def.out as z.ZodType).def.type === 'transform' ? def.in : def.out;
      else break;
    }
    return current;
  };
  let pending: FaultName | undefined;
  here = enter(here);
  for (const step of path) {
    if (pending) fault = pending;
    pending = undefined;
    const def = here?.def as unknown as {
      type?: string;
      shape?: Record<string, z.ZodType>;
      element?: z.ZodType;
      valueType?: z.ZodType;
    };
    const next = def?.shape?.[step] ?? def?.element ?? def?.valueType;
    here = next ? enter(next) : undefined;
    if (!here) break;
  }
  if (inside && pending) fault = pending;
  else if (!inside) fault = self ?? (isLeaf(here) && pending ? pending : fault);
  const shape = (here?.def as unknown as { shape?: Record<string, unknown> })?.shape;
  return { fault, children: shape ? Object.keys(shape) : [] };
}

const isLeaf = (schema: z.ZodType | undefined) => !['object', 'array', 'record'].includes(String(schema?.def.type));
