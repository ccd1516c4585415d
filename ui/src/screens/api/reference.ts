// The methods as the server describes them (/api/openapi.json, generated from its registry).
import { queryOptions } from '@tanstack/react-query';
import { request } from '../../api/call.ts';
import type { Permission } from '../../session/session.ts';

/** The subset of JSON Schema that the description uses. */
export type Schema = {
  type?: string | string[];
  description?: string;
  default?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  const?: unknown;
  /** Of a shape that is described in components.schemas. */
  $ref?: string;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  maximum?: number;
  minimum?: number;
};

export type Operation = {
  name: string;
  group: string;
  /** One of each is needed. */
  permissions: Permission[][];
  /** False for methods that only read. */
  changes: boolean;
  /** For signed-in users only, not for API keys. */
  person: boolean;
  summary: string;
  description: string;
  params: Schema;
  returns: Schema;
  example: Record<string, unknown>;
  /** The faults and their meaning, by HTTP status. */
  faults: { status: string; text: string }[];
};

export type Reference = { server: string; operations: Operation[] };

export const referenceQuery = queryOptions({
  queryKey: ['reference'],
  queryFn: async () => readReference((await request('GET', '/api/openapi.json')) as OpenApi),
  staleTime: Number.POSITIVE_INFINITY,
});

type Json = { 'application/json': { schema: Schema; example?: Record<string, unknown> } };
type Answer = { description: string; content: Json };
type OpenApi = {
  servers: { url: string }[];
  components: { schemas: Shapes; responses: Record<string, Answer> };
  paths: Record<
    string,
    {
      post: {
        operationId: string;
        tags: string[];
        'x-permissions': Permission[][];
        'x-changes': boolean;
        'x-person': boolean;
        summary: string;
        description?: string;
        requestBody: { content: Json };
        responses: Record<string, Answer | { $ref: string }>;
      };
    }
  >;
};

export function readReference({ servers, paths, components: { schemas, responses } }: OpenApi): Reference {
  const answerOf = (answer: Answer | { $ref: string }) =>
    '$ref' in answer ? responses[answer.$ref.replace('#/components/responses/', '')]! : answer;
  const schemaOf = (json: Json) => inlined(json['application/json'].schema, schemas);
  return {
    server: servers[0]!.url,
    operations: Object.values(paths).map(({ post }) => ({
      name: post.operationId,
      group: post.tags[0]!,
      permissions: post['x-permissions'],
      changes: post['x-changes'],
      person: post['x-person'],
      summary: post.summary,
      description: post.description ?? '',
      params: schemaOf(post.requestBody.content),
      returns: schemaOf(answerOf(post.responses['200']!).content),
      example: post.requestBody.content['application/json'].example ?? {},
      faults: Object.entries(post.responses)
        .filter(([status]) => status !== '200')
        .map(([status, answer]) => ({ status, text: answerOf(answer).description })),
    })),
  };
}

/** By name. */
type Shapes = Record<string, Schema>;

/** With the shape in place of each reference, and all members of a struct of one of several types. A shape within itself is any. */
function inlined({ $ref, oneOf, ...schema }: Schema, shapes: Shapes): Schema {
  if ($ref !== undefined) {
    const { [$ref.replace('#/components/schemas/', '')]: shape = {}, ...others } = shapes;
    return { ...inlined(shape, others), ...schema };
  }
  if (oneOf) return { ...schema, ...merged(oneOf.map((one) => inlined(one, shapes))) };
  return {
    ...schema,
    ...(schema.anyOf && { anyOf: schema.anyOf.map((one) => inlined(one, shapes)) }),
    ...(schema.items && { items: inlined(schema.items, shapes) }),
    ...(schema.properties && {
      properties: Object.fromEntries(
        Object.entries(schema.properties).map(([name, member]) => [name, inlined(member, shapes)]),
      ),
    }),
  };
}

function merged(structs: readonly Schema[]): Schema {
  const types = structs.map(({ properties }) => properties?.['type']?.const);
  const all = Object.assign({}, ...structs.map(({ properties }) => properties)) as Record<string, Schema>;
  const required = Object.keys(all).filter((name) => structs.every((one) => one.required?.includes(name)));
  return { type: 'object', properties: { ...all, type: { type: 'string', enum: types } }, required };
}

/**
 * The methods that match every word of a search: first those by their name, then by their group or summary, then by the name of a
 * parameter or of what they return.
 */
export function searched(operations: readonly Operation[], query: string): Operation[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [...operations];
  const isIn = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  const rankOf = ({ name, group, summary, params, returns }: Operation) => {
    if (isIn(name)) return 0;
    if (isIn(`${name} ${group} ${summary}`)) return 1;
    return isIn([name, ...namesIn(params), ...namesIn(returns)].join(' ')) ? 2 : 3;
  };
  return operations
    .map((operation) => ({ operation, rank: rankOf(operation) }))
    .filter(({ rank }) => rank < 3)
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ operation }) => operation);
}

/** The names of all members. */
function namesIn({ properties = {}, items }: Schema): string[] {
  return [
    ...Object.entries(properties).flatMap(([name, member]) => [name, ...namesIn(member)]),
    ...(items ? namesIn(items) : []),
  ];
}

/** A type in a few words: "string", "array of struct". */
export function typeOf(schema: Schema): string {
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(' or ');
  const [type = 'any'] = [schema.type ?? (schema.enum ? 'string' : 'any')].flat();
  if (type === 'array') return schema.items ? `array of ${typeOf(schema.items)}` : 'array';
  return type === 'object' ? 'struct' : type;
}

/** The words of a name, between which a line may break: contactTagsUpdateMatching is contact, Tags, Update and Matching. */
export const wordsOf = (name: string): string[] => name.split(/(?<=[a-z\d])(?=[A-Z])/);
