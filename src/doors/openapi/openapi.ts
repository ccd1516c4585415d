// The OpenAPI 3.1 description of the JSON door, generated from the list of methods.
import { z } from 'zod';
import { faults } from '../../base/faults.ts';
import type { AnyMethod } from '../../method/method.ts';
import { isOptional } from '../../method/schema.ts';
import { faultsOf } from '../describe.ts';
import { methods } from '../registry.ts';

export function openApi(baseUrl: string, version: string): Record<string, unknown> {
  const errorSchema = {
    type: 'object',
    required: ['error', 'code'],
    properties: {
      error: {
        type: 'string',
        description: 'What is wrong; begins with the path of the parameter, if it is about one.',
      },
      code: { type: 'integer' },
      text: {
        type: 'object',
        description: 'The text by key, with its values. values.member is the path of the parameter it is about.',
        required: ['key', 'values'],
        properties: { key: { type: 'string' }, values: { type: 'object' } },
      },
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

function operation(method: AnyMethod): Record<string, unknown> {
  const byStatus = new Map<number, string[]>();
  for (const name of faultsOf(method)) {
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

/** The JSON Schema of the parameters or the result of a method. */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io: 'output',
    unrepresentable: 'any',
    override({ jsonSchema: generated, zodSchema }) {
      for (const name of ['fault', 'selfFault', 'neverEmpty', 'separateItems', 'date', 'aliases', 'xmlrpc'])
        delete (generated as Record<string, unknown>)[name];
      // A member with a default is optional in a call, though the schema's output always has it.
      const shape = (zodSchema as unknown as { def: { shape?: Record<string, z.ZodType> } }).def.shape;
      if (io === 'input' && shape && Array.isArray(generated.required)) {
        generated.required = generated.required.filter((name) => !isOptional(shape[name]!));
        if (generated.required.length === 0) delete generated.required;
      }
    },
  }) as Record<string, unknown>;
  return rest;
}
