// What the registry says, in words and in machine form: help texts and signatures of the introspection, the OpenAPI
// 3.1 description, and the facts the reference pages and the generated docs are made from.
import { z } from 'zod';
import { type FaultName, faults } from '../base/faults.ts';
import type { AnyMethod } from '../method/method.ts';
import { methods } from './registry.ts';

/** A parameter as the reference shows it. */
export type Described = {
  name: string;
  type: string;
  required: boolean;
  fallback?: string;
  description: string;
  members?: Described[];
};

/** Faults every method can answer with. */
export const everywhere: FaultName[] = [
  'KEY_INVALID',
  'ACCOUNT_DISABLED',
  'NOT_ALLOWED',
  'INVALID_PARAMETER',
  'TOO_MANY_CALLS',
  'UNAVAILABLE',
  'INTERNAL',
];

export function paramsOf(method: AnyMethod): Described[] {
  return membersOf(method.params);
}

/** XML-RPC signatures: the result's type, then the one struct. */
export function signatureOf(method: AnyMethod): string[][] {
  return [[typeName(method.returns), 'struct']];
}

export function helpText(method: AnyMethod): string {
  const lines = [method.summary];
  if (method.description) lines.push('', method.description);
  lines.push('', 'Parameters (members of one struct):', "  apikey (string, required): the account's API key.");
  const write = (list: Described[], indent: string) => {
    for (const one of list) {
      const state = one.required
        ? 'required'
        : one.fallback === undefined
          ? 'optional'
          : `optional, default ${one.fallback}`;
      lines.push(`${indent}${one.name} (${one.type}, ${state}): ${one.description}`);
      if (one.members) write(one.members, `${indent}  `);
    }
  };
  write(paramsOf(method), '  ');
  lines.push('', `Returns: ${typeName(method.returns)}.`);
  lines.push('', 'Faults:', ...method.faults.map((name) => `  ${faults[name][0]}: ${faults[name][2]}`));
  return lines.join('\n');
}

/** The OpenAPI 3.1 description of the JSON door. */
export function openApi(baseUrl: string, version: string): Record<string, unknown> {
  const errorSchema = {
    type: 'object',
    required: ['error', 'code'],
    properties: {
      error: { type: 'string', description: 'What is wrong, naming the member.' },
      code: { type: 'integer' },
    },
  };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Postrider',
      version,
      description:
        'The named methods of Postrider through its JSON door. The same methods answer XML-RPC and form posts.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl }],
    security: [{ bearer: [] }],
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: 'The API key.' } },
      schemas: { Fault: errorSchema },
    },
    tags: [...new Set(methods.map((method) => method.group))].map((name) => ({ name })),
    paths: Object.fromEntries(methods.map((method) => [`/api/${method.name}`, { post: operation(method) }])),
  };
}

/** The example of a method as pretty JSON, with a stand-in for the key. */
export function exampleJson(method: AnyMethod): string {
  return JSON.stringify(method.example.params, null, 2);
}

function operation(method: AnyMethod): Record<string, unknown> {
  const byStatus = new Map<number, string[]>();
  for (const name of [...method.faults, ...everywhere]) {
    const [code, status, when] = faults[name];
    byStatus.set(status, [...(byStatus.get(status) ?? []), `${code}: ${when}`]);
  }
  const failures = [...byStatus].map(([status, texts]) => [
    String(status),
    {
      description: texts.join(' '),
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Fault' } } },
    },
  ]);
  return {
    operationId: method.name,
    tags: [method.group],
    'x-scope': method.scope,
    'x-changes': method.reads !== true,
    'x-person': method.person === true,
    summary: method.summary,
    ...(method.description ? { description: method.description } : {}),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: jsonSchema(method.params, 'input'), example: method.example.params } },
    },
    responses: {
      200: {
        description: 'The result.',
        content: { 'application/json': { schema: jsonSchema(method.returns, 'output') } },
      },
      ...Object.fromEntries(failures),
    },
  };
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io: 'output',
    unrepresentable: 'any',
    override({ jsonSchema: made, zodSchema }) {
      for (const name of ['fault', 'selfFault', 'xmlrpc']) delete (made as Record<string, unknown>)[name];
      // A member with a default need not be given, though the result always has it.
      const shape = (zodSchema as unknown as { def: { shape?: Record<string, z.ZodType> } }).def.shape;
      if (io === 'input' && shape && Array.isArray(made.required)) {
        made.required = made.required.filter((name) => !isOptional(shape[name]!));
        if (made.required.length === 0) delete made.required;
      }
    },
  }) as Record<string, unknown>;
  return rest;
}

type Def = {
  type: string;
  innerType?: z.ZodType;
  in?: z.ZodType;
  out?: z.ZodType;
  defaultValue?: unknown;
  shape?: Record<string, z.ZodType>;
  element?: z.ZodType;
};
const defOf = (schema: z.ZodType) => schema.def as unknown as Def;

const isOptional = (schema: z.ZodType): boolean => {
  const def = defOf(schema);
  return def.type === 'optional' || def.type === 'default';
};

/** Takes off what wraps a type: optional, default, coercion. */
function bare(schema: z.ZodType): z.ZodType {
  const def = defOf(schema);
  if (def.innerType) return bare(def.innerType);
  if (def.type === 'pipe') return bare(defOf(def.out!).type === 'transform' ? def.in! : def.out!);
  return schema;
}

function metaOf(schema: z.ZodType): z.GlobalMeta {
  const def = defOf(schema);
  const inner = def.innerType ? metaOf(def.innerType) : {};
  return { ...inner, ...schema.meta() };
}

function membersOf(schema: z.ZodType): Described[] {
  const shape = defOf(bare(schema)).shape;
  if (!shape) return [];
  return Object.entries(shape).map(([name, member]) => {
    const def = defOf(member);
    const inner = bare(member);
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
  const inner = bare(schema);
  const { type } = defOf(inner);
  if (type === 'number' && (inner as unknown as { format?: string }).format?.includes('int')) return 'int';
  return typeNames[type] ?? 'string';
}
