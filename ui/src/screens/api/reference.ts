// The methods as the server describes them (/api/openapi.json, generated from its registry).
import { queryOptions } from '@tanstack/react-query';
import { request } from '../../api/call.ts';

/** The subset of JSON Schema that the description uses. */
export type Schema = {
  type?: string | string[];
  description?: string;
  default?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  maximum?: number;
  minimum?: number;
};

export type Operation = {
  name: string;
  group: string;
  scope: string;
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
type OpenApi = {
  servers: { url: string }[];
  paths: Record<
    string,
    {
      post: {
        operationId: string;
        tags: string[];
        'x-scope': string;
        'x-changes': boolean;
        'x-person': boolean;
        summary: string;
        description?: string;
        requestBody: { content: Json };
        responses: Record<string, { description: string; content: Json }>;
      };
    }
  >;
};

export function readReference({ servers, paths }: OpenApi): Reference {
  return {
    server: servers[0]!.url,
    operations: Object.values(paths).map(({ post }) => ({
      name: post.operationId,
      group: post.tags[0]!,
      scope: post['x-scope'],
      changes: post['x-changes'],
      person: post['x-person'],
      summary: post.summary,
      description: post.description ?? '',
      params: post.requestBody.content['application/json'].schema,
      returns: post.responses['200']!.content['application/json'].schema,
      example: post.requestBody.content['application/json'].example ?? {},
      faults: Object.entries(post.responses)
        .filter(([status]) => status !== '200')
        .map(([status, { description }]) => ({ status, text: description })),
    })),
  };
}

/** The methods that match every word of a search in their name, group or summary. */
export function searched(operations: readonly Operation[], query: string): Operation[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return operations.filter(({ name, group, summary }) => {
    const text = `${name} ${group} ${summary}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** A type in a few words: "string", "array of struct". */
export function typeOf(schema: Schema): string {
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(' or ');
  const [type = 'any'] = [schema.type ?? (schema.enum ? 'string' : 'any')].flat();
  if (type === 'array') return schema.items ? `array of ${typeOf(schema.items)}` : 'array';
  return type === 'object' ? 'struct' : type;
}
