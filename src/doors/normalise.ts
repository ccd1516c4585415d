// What a door received, made fit for the schemas: members without a value are absent, a missing item of an array is the
// empty string, text is well-formed. No text holds NUL, which the database cannot store: XML and forms cannot carry it
// (their readers refuse it), so that it is refused here for JSON and the command line.
import { Fault } from '../base/faults.ts';
import { message } from '../base/messages.ts';
import { quoted } from '../method/values.ts';

/** @throws Fault naming the member that contains a NUL character */
export function readable(value: unknown, path = ''): unknown {
  if (typeof value === 'string') return readableText(value, path);
  if (Array.isArray(value)) return value.map((item, i) => readable(item ?? '', joined(path, String(i))));
  if (!isPlainStruct(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  return Object.fromEntries(
    members.map(([name, member]) => [readableText(name, joined(path, name)), readable(member, joined(path, name))]),
  );
}

function readableText(text: string, path: string): string {
  if (text.includes('\0')) throw new Fault('INVALID_PARAMETER', message('parameter.nul', { member: shown(path) }));
  return text.isWellFormed() ? text : text.toWellFormed();
}

const joined = (path: string, name: string) => (path === '' ? name : `${path}.${name}`);
const shown = (path: string) => (path.includes('\0') ? quoted(path) : path.slice(0, 200));

// Bytes and numbers with their text are objects of other kinds.
function isPlainStruct(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
