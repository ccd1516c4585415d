// The OpenAPI 3.1 description of the JSON door, generated from the list of methods.

import { neededBy } from '../../accounts/keys/permissions.ts';
import { faults } from '../../base/faults.ts';
import type { AnyMethod } from '../../method/method.ts';
import { faultsOf } from '../describe.ts';
import { methods } from '../registry.ts';
import { type Json, referring, type Shapes } from './json-schema.ts';

export function openApi(baseUrl: string, version: string): Json {
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
  const named: Named = { schemas: {}, responses: {} };
  const paths = methods.map((method) => [`/api/${method.name}`, { post: operation(method, named) }] as const);
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
      schemas: { Fault: errorSchema, ...sorted(named.schemas) },
      responses: sorted(named.responses),
    },
    tags: [...new Set(methods.map((method) => method.group))].map((name) => ({ name })),
    paths: Object.fromEntries(paths),
  };
}

/** What is described once: the shapes that have a name, and the answers with the same faults. */
type Named = { schemas: Shapes; responses: Record<string, Json> };

function operation(method: AnyMethod, named: Named): Json {
  const failures = [...Map.groupBy(faultsOf(method), (name) => faults[name][1])].map(([status, names]) => {
    const name = `Faults.${names.map((name) => faults[name][0]).join('_')}`;
    named.responses[name] = {
      description: names.map((name) => `${faults[name][0]}: ${faults[name][2]}`).join(' '),
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Fault' } } },
    };
    return [String(status), { $ref: `#/components/responses/${name}` }];
  });
  return {
    operationId: method.name,
    tags: [method.group],
    // One permission of each of these.
    'x-permissions': neededBy(method),
    'x-changes': method.reads !== true,
    'x-person': method.person === true,
    summary: method.summary,
    ...(method.description ? { description: method.description } : {}),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: referring(method.params, 'input', named.schemas),
          example: method.example.params,
        },
      },
    },
    responses: {
      200: {
        description: 'The result.',
        content: { 'application/json': { schema: referring(method.returns, 'output', named.schemas) } },
      },
      ...Object.fromEntries(failures),
    },
  };
}

const sorted = (named: Shapes): Shapes =>
  Object.fromEntries(Object.entries(named).sort(([a], [b]) => (a < b ? -1 : 1)));
