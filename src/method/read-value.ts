// Parses a value by its schema and turns what is wrong into a fault that names the member by its path.
// A type may carry the fault for its wrong members (`fault`) and for itself (`selfFault`); the innermost on the path wins.
import type { z } from 'zod';
import { Fault, type FaultName, fault } from '../base/faults.ts';
import { readMessage } from '../base/messages.ts';
import { withoutEmpty } from './empty.ts';

/** Parses a value. @throws Fault with the path of the invalid member */
export function readValue<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  // reportInput: only the input shows whether a member is missing or has a wrong type.
  const result = schema.safeParse(withoutEmpty(schema, value), { reportInput: true });
  if (result.success) return result.data;
  throw parameterFault(schema, result.error);
}

function parameterFault(schema: z.ZodType, error: z.ZodError): Fault {
  const issue = deepest(error.issues);
  const unknown = issue.code === 'unrecognized_keys' ? String(issue.keys[0]) : undefined;
  const path = issue.path.map(String);
  const { fault: name, children } = faultAlongPath(schema, path, unknown !== undefined);
  const where = [...path, ...(unknown === undefined ? [] : [unknown])].join('.');
  if (unknown !== undefined) {
    const member = where.slice(0, 200);
    if (children.length === 0) return fault(name, 'parameter.unknown', { member });
    return fault(name, 'parameter.unknown_of', { member, choices: children.slice(0, 40).join(', ') });
  }
  if (where === '') return fault(name, 'parameter.one_struct');
  const missing = issue.input === undefined && ['invalid_type', 'invalid_value', 'invalid_union'].includes(issue.code);
  const member = where.slice(0, 200);
  if (missing) return fault(name, 'parameter.required', { member });
  const problem = readMessage(issue.message) ?? nameProblem(issue);
  if (problem) return new Fault(name, { ...problem, values: { member, ...problem.values } });
  // The validator's own words are about schemas, not about calls.
  return fault(name, problemOf(issue), { member });
}

const expected = {
  string: 'parameter.not_a_string',
  number: 'parameter.not_a_number',
  int: 'parameter.not_whole',
  boolean: 'parameter.not_a_boolean',
  array: 'parameter.not_an_array',
  object: 'parameter.not_a_struct',
  record: 'parameter.not_a_struct',
} as const;
const problemOf = (issue: Issue) =>
  issue.code === 'invalid_type' && Object.hasOwn(expected, issue.expected)
    ? expected[issue.expected as keyof typeof expected]
    : 'parameter.invalid';

/** What is wrong with the name of a member. */
const nameProblem = (issue: Issue) =>
  issue.code === 'invalid_key' ? readMessage(issue.issues[0]?.message ?? '') : undefined;

type Issue = z.core.$ZodIssue;

/** The first issue; within a union, that of the branch that got furthest. */
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

/** Walks from the root of a schema along a path. Returns the fault that applies there and the members it has. */
function faultAlongPath(root: z.ZodType, path: string[], inside: boolean): { fault: FaultName; children: string[] } {
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
