// The generated parts of the TypeScript SDK: types, the table of methods, package.json.
import { version } from '../../src/base/version.ts';
import { type Method, nameOf, notice, pascal, type Schema, type Shapes, variantsOf } from './description.ts';

export function typescriptFiles(methods: readonly Method[], shapes: Shapes): [name: string, text: string][] {
  return [
    ['typescript/index.d.ts', typesOf(methods, shapes)],
    ['typescript/methods.js', tableOf(methods)],
    ['typescript/package.json', packageJson()],
  ];
}

function typesOf(methods: readonly Method[], shapes: Shapes): string {
  const named = Object.entries(shapes).map(
    ([name, shape]) => `${note(shape, '')}export type ${name} = ${ts(shape, '')};\n`,
  );
  const declared = methods.map(
    (method) =>
      `export type ${pascal(method.name)}Params = ${ts(method.params, '')};\nexport type ${pascal(method.name)}Result = ${ts(method.returns, '')};\n`,
  );
  const members = methods.map(
    (method) =>
      `  /** ${comment(method.summary)} */\n  ${method.name}(params${needsParams(method) ? '' : '?'}: ${pascal(method.name)}Params, options?: CallOptions): Promise<${pascal(method.name)}Result>;\n`,
  );
  const pages = methods
    .filter((method) => method.pages)
    .map(
      (method) =>
        `  ${method.name}: { params: ${pascal(method.name)}Params; row: ${pascal(method.name)}Result${method.returns.items ? '' : "['data']"}[number] };\n`,
    );
  return `// ${notice}

export type ClientOptions = {
  /** The address of the installation, such as https://mail.example.com. */
  url: string;
  apiKey: string;
  /** Milliseconds that one request may take; 30,000 if not given. */
  timeoutMs?: number;
  /** Repetitions of a call that failed for a moment; 3 if not given. Only calls that cannot take effect twice are repeated. */
  maxRetries?: number;
  fetch?: typeof globalThis.fetch;
};

export type CallOptions = { signal?: AbortSignal; timeoutMs?: number; maxRetries?: number };

/** A fault of the API, or a request without an answer (code and status are 0). */
export declare class PostriderError extends Error {
  readonly method: string;
  /** The number of the fault. */
  readonly code: number;
  /** The HTTP status. */
  readonly status: number;
  /** The text by key, with its values; values.member is the parameter it is about. */
  readonly text?: { key: string; values: Record<string, unknown> };
  /** Seconds to wait before another call. */
  readonly retryAfter?: number;
}

${named.join('\n')}
${declared.join('\n')}
/** Methods whose results come in pages. */
export type Pages = {
${pages.join('')}};

export declare class Postrider {
  constructor(options: ClientOptions);
  /** Calls any method by name. @throws PostriderError */
  call<T = unknown>(method: string, params?: Record<string, unknown>, options?: CallOptions): Promise<T>;
  /** The rows of all pages, one after the other. @throws PostriderError */
  iterate<M extends keyof Pages>(method: M, params?: Pages[M]['params'], options?: CallOptions): AsyncGenerator<Pages[M]['row']>;
${members.join('')}}
`;
}

export function ts(schema: Schema, indent: string): string {
  if (schema.$ref) return nameOf(schema);
  const variants = variantsOf(schema);
  if (variants) return union(variants.map((one) => ts(one, indent)));
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  switch (schema.type) {
    case 'string':
      return 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'array': {
      const item = ts(schema.items ?? {}, indent);
      return /^[\w]+$/.test(item) ? `${item}[]` : `Array<${item}>`;
    }
    case 'object':
      return tsObject(schema, indent);
    default:
      return 'unknown';
  }
}

function tsObject({ properties, required = [], additionalProperties }: Schema, indent: string): string {
  if (!properties || Object.keys(properties).length === 0)
    return typeof additionalProperties === 'object'
      ? `Record<string, ${ts(additionalProperties, indent)}>`
      : `Record<string, ${additionalProperties === false ? 'never' : 'unknown'}>`;
  const inner = `${indent}  `;
  const members = Object.entries(properties).map(([name, member]) => {
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
    return `${note(member, inner)}${inner}${key}${required.includes(name) ? '' : '?'}: ${ts(member, inner)};\n`;
  });
  return `{\n${members.join('')}${indent}}`;
}

const needsParams = ({ params }: Method) => (params.required ?? []).length > 0;
const note = ({ description }: Schema, indent: string) =>
  description ? `${indent}/** ${comment(description)} */\n` : '';
const union = (types: string[]): string => (types.includes('unknown') ? 'unknown' : [...new Set(types)].join(' | '));
const comment = (text: string) => text.replaceAll('*/', '*\\/').replace(/\s+/g, ' ');

function tableOf(methods: readonly Method[]): string {
  const rows = methods.map(({ name, reads, idempotent, pages }) => {
    const facts = [reads && 'reads: true', idempotent && 'idempotent: true', pages && `pages: '${pages}'`].filter(
      Boolean,
    );
    return `  ${name}: {${facts.length === 0 ? '' : ` ${facts.join(', ')} `}},`;
  });
  return `// ${notice}
// reads: changes nothing. idempotent: takes an idempotency_key. pages: how the result is divided.
export const methods = {
${rows.join('\n')}
};
`;
}

function packageJson(): string {
  return `${JSON.stringify(
    {
      name: '@postrider/client',
      version,
      description: 'Typed client for the API of a Postrider installation',
      license: 'MIT',
      type: 'module',
      engines: { node: '>=18.17' },
      exports: { '.': { types: './index.d.ts', default: './index.js' } },
      files: ['client.js', 'index.d.ts', 'index.js', 'methods.js', 'README.md'],
    },
    null,
    2,
  )}\n`;
}
