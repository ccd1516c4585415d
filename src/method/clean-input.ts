// Cleans what a door received for the schemas: members without a value are absent, a missing item of an array is the empty
// string, text is well-formed. NUL, which the database cannot store, is refused; XML and forms refuse it when they are
// decoded, so this concerns JSON and the command line. What they mark as no text is refused here, by name. Names of JavaScript's objects are refused at every depth: code behind
// the doors may copy members into objects, where `__proto__` would give an object members that its schema never saw.
import { fault } from '../base/faults.ts';
import { isPlainStruct, quoted, UNREADABLE } from './wire.ts';

/**
 * @param path of the value, for the fault
 * @param keep names of members that stay as they are
 * @throws Fault naming the member that contains a NUL character or has a reserved name
 */
export function cleanInput(value: unknown, path = '', keep: readonly string[] = []): unknown {
  if (typeof value === 'string') return readableText(value, path);
  if (Array.isArray(value)) return value.map((item, i) => cleanInput(item ?? '', joined(path, String(i))));
  if (!isPlainStruct(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  return Object.fromEntries(
    members.map(([name, member]) => [
      readableName(name, joined(path, name)),
      keep.includes(name) ? member : cleanInput(member, joined(path, name)),
    ]),
  );
}

const reservedNames: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

function readableName(name: string, path: string): string {
  if (reservedNames.has(name)) throw fault('INVALID_PARAMETER', 'parameter.reserved_name', { member: shortened(path) });
  return readableText(name, path);
}

function readableText(text: string, path: string): string {
  if (text.includes('\0')) throw fault('INVALID_PARAMETER', 'parameter.nul', { member: shortened(path) });
  if (text.includes(UNREADABLE)) throw fault('INVALID_PARAMETER', 'parameter.unreadable', { member: shortened(path) });
  return text.isWellFormed() ? text : text.toWellFormed();
}

const joined = (path: string, name: string) => (path === '' ? name : `${path}.${name}`);
const shortened = (path: string) =>
  path.includes('\0') ? quoted(path) : path.slice(0, 200).replaceAll(UNREADABLE, '\uFFFD');
