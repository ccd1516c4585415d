// Describes a method from its definition: parameters, types, help text and signature. The introspection, the OpenAPI
// description, the reference pages are all generated from this.
import type { z } from 'zod';
import { type FaultName, faults } from '../base/faults.ts';
import type { AnyMethod } from '../method/method.ts';
import { defOf, isOptional, metaOf, unwrapped } from '../method/schema.ts';

/** A parameter, as shown in the reference. */
export type Parameter = {
  name: string;
  type: string;
  required: boolean;
  fallback?: string;
  description: string;
  members?: Parameter[];
};

/** The faults of a method, its own ones first. */
export const faultsOf = (method: Pick<AnyMethod, 'faults'>): FaultName[] => [
  ...new Set([...method.faults, ...commonFaults]),
];

/** Faults that any method can return. */
export const commonFaults: FaultName[] = [
  'KEY_INVALID',
  'ACCOUNT_DISABLED',
  'NOT_ALLOWED',
  'INVALID_PARAMETER',
  'TOO_MANY_CALLS',
  'UNAVAILABLE',
  'INTERNAL',
];

export function paramsOf(method: AnyMethod): Parameter[] {
  return membersOf(method.params);
}

/** XML-RPC signatures: the type of the result, then the one struct. */
export function signatureOf(method: AnyMethod): string[][] {
  return [[typeName(method.family?.answer?.returns ?? method.returns), 'struct']];
}

/** What published clients may send besides the parameters, and whether they get a result of another shape. */
export function familyNotes(method: AnyMethod): string[] {
  const params = Object.entries(method.family?.params ?? {});
  const notes = params.map(([name, { meaning }]) => `${name}: ${meaning}`);
  if (method.family?.answer)
    notes.push(`XML-RPC and form posts return ${method.family.answer.meaning}. The JSON door does not.`);
  return notes;
}

export function helpText(method: AnyMethod): string {
  const lines = [method.summary];
  if (method.description) lines.push('', method.description);
  lines.push('', 'Parameters (members of one struct):', "  apikey (string, required): the account's API key.");
  const write = (list: Parameter[], indent: string) => {
    for (const { name, type, required, fallback, description, members } of list) {
      const state = required ? 'required' : fallback === undefined ? 'optional' : `optional, default ${fallback}`;
      lines.push(`${indent}${name} (${type}, ${state}): ${description}`);
      if (members) write(members, `${indent}  `);
    }
  };
  write(paramsOf(method), '  ');
  const notes = familyNotes(method);
  if (notes.length > 0) lines.push('', 'For published clients of the API family:', ...notes.map((note) => `  ${note}`));
  lines.push('', `Returns: ${signatureOf(method)[0]![0]}.`);
  lines.push('', 'Faults:', ...method.faults.map((name) => `  ${faults[name][0]}: ${faults[name][2]}`));
  return lines.join('\n');
}

/** The example parameters of a method, as indented JSON. */
export function exampleJson(method: AnyMethod): string {
  return JSON.stringify(method.example.params, null, 2);
}

function membersOf(schema: z.ZodType): Parameter[] {
  const shape = defOf(unwrapped(schema)).shape;
  if (!shape) return [];
  return Object.entries(shape).map(([name, member]) => {
    const def = defOf(member);
    const inner = unwrapped(member);
    const element = defOf(inner).element;
    const below = membersOf(element ?? inner);
    return {
      name,
      type: typeName(member),
      required: !isOptional(member),
      ...(def.type === 'default' ? { fallback: JSON.stringify(def.defaultValue) } : {}),
      description: metaOf(member).description ?? '',
      ...(below.length > 0 ? { members: below } : {}),
    };
  });
}

const typeNames: Record<string, string> = {
  string: 'string',
  number: 'double',
  boolean: 'boolean',
  array: 'array',
  object: 'struct',
  record: 'struct',
  enum: 'string',
  literal: 'string',
  unknown: 'string',
  union: 'string',
};

function typeName(schema: z.ZodType): string {
  const named = metaOf(schema).xmlrpc;
  if (named) return named;
  const inner = unwrapped(schema);
  const { type } = defOf(inner);
  if (type === 'number' && (inner as unknown as { format?: string }).format?.includes('int')) return 'int';
  return typeNames[type] ?? 'string';
}
