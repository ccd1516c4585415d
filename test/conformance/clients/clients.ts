// The common client libraries with each of their defaults, and the values that each of them sends: what is expected to come
// back, cell by cell. Programs in php, perl, python, ruby, node and java send them; what they sent is in `recorded`.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What is sent as one request each. */
export const cases = [
  'umlaut',
  'cjk',
  'emoji',
  'quote',
  'word',
  'empty',
  'null',
  'date',
  'digits',
  'int',
  'double',
  'bytes',
  'boolean',
  'nested',
  'gaps',
] as const;
export type Case = (typeof cases)[number];

/** What a client cannot send, or what is refused, with the reason. */
export type Exception =
  | { unsent: RegExp | true }
  | { refused: number }
  | { value: string }
  | { rows: [string, string] };

export type Client = {
  title: string;
  language: string;
  variant: string;
  /** The cells that differ from what comes back from all others. */
  but?: Partial<Record<Case, Exception>>;
};

const noBytes = { bytes: { unsent: true } } as const;
/** Null is sent as an empty text, and so empties the value. */
const emptyNull = { null: { value: '' } } as const;
/** Perl has one kind of string: whether it is characters is known to the program alone. */
const wide = { unsent: /Wide character/ };

export const clients: Client[] = [
  { title: 'PHP xmlrpc_encode_request', language: 'php', variant: 'ext', but: { ...noBytes, ...emptyNull } },
  {
    title: 'PHP xmlrpc_encode_request, encoding utf-8',
    language: 'php',
    variant: 'ext-utf8',
    but: { ...noBytes, ...emptyNull },
  },
  {
    title: 'PHP xmlrpc_encode_request, escaping markup',
    language: 'php',
    variant: 'ext-markup',
    but: { ...noBytes, ...emptyNull },
  },
  { title: 'PHP http_build_query', language: 'php', variant: 'form', but: noBytes },
  {
    title: 'PHP phpxmlrpc 4',
    language: 'byHand',
    variant: 'phpxmlrpc4',
    but: { ...emptyNull, word: { value: 'OHara' } },
  },
  { title: 'PHP phpxmlrpc 3 (text is ISO-8859-1)', language: 'byHand', variant: 'phpxmlrpc3', but: emptyNull },
  { title: 'Perl XMLRPC::Lite, octets', language: 'perl', variant: 'lite-octets', but: { ...noBytes, ...emptyNull } },
  {
    title: 'Perl XMLRPC::Lite, characters',
    language: 'perl',
    variant: 'lite-characters',
    // It sends ä as base64 of ISO-8859-1, which could be any other encoding.
    but: {
      ...noBytes,
      ...emptyNull,
      umlaut: { refused: 254 },
      cjk: wide,
      emoji: wide,
      quote: wide,
      nested: wide,
      gaps: wide,
    },
  },
  { title: 'Perl RPC::XML, octets', language: 'perl', variant: 'rpcxml-octets', but: noBytes },
  { title: 'Perl RPC::XML, characters and utf-8', language: 'perl', variant: 'rpcxml-characters', but: noBytes },
  { title: 'Perl Frontier, octets', language: 'perl', variant: 'frontier-octets', but: { ...noBytes, ...emptyNull } },
  {
    title: 'Perl Frontier, characters',
    language: 'perl',
    variant: 'frontier-characters',
    but: { ...noBytes, ...emptyNull, emoji: { unsent: /must be bytes/ } },
  },
  {
    title: 'Perl Frontier, ISO-8859-1',
    language: 'perl',
    variant: 'frontier-latin1',
    but: {
      ...noBytes,
      ...emptyNull,
      cjk: { unsent: true },
      emoji: { unsent: true },
      quote: { unsent: true },
      nested: { rows: ['ä', 'ä'] },
      gaps: { rows: ['ä', 'ä'] },
    },
  },
  { title: 'Python xmlrpc.client', language: 'python', variant: 'plain', but: { null: { unsent: /None/ } } },
  { title: 'Python xmlrpc.client, allow_none', language: 'python', variant: 'nil' },
  { title: 'Python xmlrpc.client, use_builtin_types', language: 'python', variant: 'builtin' },
  { title: 'Ruby xmlrpc', language: 'ruby', variant: 'plain', but: { null: { unsent: /NilClass/ } } },
  { title: 'Ruby xmlrpc, ENABLE_NIL_CREATE', language: 'ruby', variant: 'nil' },
  { title: 'Node xmlrpc', language: 'node', variant: 'plain' },
  { title: 'Java Apache XML-RPC', language: 'java', variant: 'plain', but: { null: { unsent: /Null values/ } } },
  { title: 'Java Apache XML-RPC, extensions', language: 'java', variant: 'extensions' },
  { title: '.NET XML-RPC.NET', language: 'byHand', variant: 'dotnet', but: { null: { unsent: true } } },
];

export type Sent = { path: string; type: string; body: string };

const recordedFile = ({ language, variant }: Client) =>
  join(import.meta.dirname, 'recorded', `${language}-${variant}.requests`);

/** The recorded requests by case, each byte a character, with {key} and {list}. */
export function readRecorded(client: Client): Map<string, Sent> {
  const text = readFileSync(recordedFile(client), 'latin1');
  const blocks = text.split(/^=== (?=\w+ POST )/m).slice(1);
  return new Map(
    blocks.map((block) => {
      const [, name, path, type, body] = /^(\w+) POST (\S+) (.*)\n([\s\S]*)\n$/.exec(block)!;
      return [name!, { path: path!, type: type!, body: body! }];
    }),
  );
}

export const recordingOf = (client: Client, sent: Map<string, Sent>): [string, string] => [
  recordedFile(client),
  [...sent].map(([name, { path, type, body }]) => `=== ${name} POST ${path} ${type}\n${body}\n`).join(''),
];

/** The program of a language, and one that exits with 0 where it and its library are installed. */
const programs: Record<string, { command: string[]; isThere: string[] }> = {
  php: {
    command: ['php', 'send.php'],
    isThere: ['php', '-r', "exit((int) !function_exists('xmlrpc_encode_request'));"],
  },
  perl: {
    command: ['perl', 'send.pl'],
    isThere: ['perl', '-MXMLRPC::Lite', '-MRPC::XML::Client', '-MFrontier::Client', '-e', '1'],
  },
  python: { command: ['python3', 'send.py'], isThere: ['python3', '-c', 'import xmlrpc.client'] },
  ruby: { command: ['ruby', 'send.rb'], isThere: ['ruby', '-r', 'xmlrpc/client', '-e', ''] },
  node: {
    command: ['node', 'send.mjs'],
    isThere: [
      'node',
      '-e',
      "require('node:module').createRequire((process.env.MAIL_MODULES ?? process.cwd()) + '/')('xmlrpc')",
    ],
  },
  // MAIL_JARS is a class path with xmlrpc-client and what it depends on.
  java: {
    command: ['java', '-Dfile.encoding=UTF-8', '-cp', process.env.MAIL_JARS ?? '.', 'Send.java'],
    isThere: ['sh', '-c', 'test -n "$MAIL_JARS" && java -version'],
  },
};

export const isInstalled = (language: string): boolean => {
  const { isThere } = programs[language]!;
  return spawnSync(isThere[0]!, isThere.slice(1), { stdio: 'ignore' }).status === 0;
};

/** Runs the program of a client against the address, and returns what it printed about what it could not send. */
export async function runProgram(
  { language, variant }: Client,
  env: { MAIL_URL: string; MAIL_KEY: string; MAIL_LIST: string },
): Promise<string> {
  const [program, ...args] = programs[language]!.command;
  const child = spawn(program!, [...args, variant], {
    cwd: join(import.meta.dirname, language),
    env: { PATH: process.env.PATH, HOME: process.env.HOME, MAIL_MODULES: process.env.MAIL_MODULES, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (out += data));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${program} ${variant}: ${out}`);
  return out;
}
