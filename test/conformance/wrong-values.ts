// Values of every wrong type and shape, and how to put one in place of any parameter.
import { type Parameter, paramsOf } from '../../src/doors/describe.ts';
import type { AnyMethod } from '../../src/method/method.ts';
import { WireNumber } from '../../src/method/wire.ts';

/** What a JSON or form body can hold, and what the XML-RPC reader makes of its types. */
export const wrong: Record<string, unknown> = {
  'an empty string': '',
  'a space': ' ',
  'a word': 'x',
  'a NUL': '\0',
  'a NUL within a word': 'a\0b',
  'half a surrogate pair': 'a\ud800b',
  'other scripts': 'é☃😀',
  'a quote and SQL': `'; drop table campaign; --`,
  'a line break': 'a\r\nBcc: b@example.com',
  'the word null': 'null',
  'a number in words': '-1',
  'a large number in words': '99999999999999999999',
  'a very long word': 'x'.repeat(100_000),
  zero: 0,
  'a negative number': -1,
  'a fraction': 0.5,
  'a huge number': 1e300,
  true: true,
  false: false,
  nil: null,
  'an empty array': [],
  'an array of an array': [['x']],
  'an array of nil': [null],
  'an array of a NUL': ['\0'],
  'an array of a thousand': Array.from({ length: 1_000 }, (_one, i) => `x${i}`),
  'an empty struct': {},
  'a struct': { a: 1 },
  'a struct with a NUL in a name': { 'a\0': 'b' },
  'a struct with __proto__': JSON.parse('{"__proto__": {"x": 1}, "constructor": "y"}'),
  'nested arrays': JSON.parse('['.repeat(30) + ']'.repeat(30)),
  'a number by its text': new WireNumber('007', 7),
  bytes: new Uint8Array([0, 255, 128]),
};

/** The path of every parameter and of every member of the structs among them. */
export function pathsOf(method: AnyMethod): string[][] {
  const below = (described: readonly Parameter[], prefix: string[]): string[][] =>
    described.flatMap((item) => {
      const path = [...prefix, item.name];
      return item.members ? [path, ...below(item.members, path)] : [path];
    });
  return below(paramsOf(method), []);
}

/** The parameters with another value at a path. */
export function replaced(
  params: Record<string, unknown>,
  path: readonly string[],
  value: unknown,
): Record<string, unknown> {
  const [name, ...rest] = path;
  const inner = (params[name!] ?? {}) as Record<string, unknown>;
  return { ...params, [name!]: rest.length === 0 ? value : replaced(inner, rest, value) };
}
