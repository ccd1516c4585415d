// Reads application/x-www-form-urlencoded bodies with PHP's brackets, as http_build_query, rest-client and urllib write them.
// Promises: every value is a string; maps whose keys are exactly 0..n-1 are arrays; the last of two equal names wins, as
// in PHP; invalid UTF-8, NUL, and names that contradict each other are faults. Leaves types to the parameter schemas.
// Unlike PHP, a dot or space in a name stays, and unbalanced brackets are a fault instead of being rewritten.
import { isUtf8 } from 'node:buffer';
import {
  MAX_BODY_BYTES,
  MAX_DEPTH,
  MAX_VALUES,
  newStruct,
  quoted,
  type Wire,
  WireFault,
  type WireStruct,
} from './value.ts';

/** The named parameters of a form body or query string. Throws WireFault. */
export function decodeForm(body: Uint8Array | string): WireStruct {
  const text = withEscapedPercents(readText(body));
  const root = new Branch();
  let pairs = 0;
  for (let start = 0; start < text.length; ) {
    let end = text.indexOf('&', start);
    if (end === -1) end = text.length;
    if (end > start) {
      if (++pairs > MAX_VALUES) throw refusal(`more than ${MAX_VALUES} values`);
      const equals = text.indexOf('=', start);
      const nameEnd = equals === -1 || equals > end ? end : equals;
      const name = unescaped(text.slice(start, nameEnd), 'a name');
      put(root, name, unescaped(text.slice(Math.min(nameEnd + 1, end), end), quoted(name)));
    }
    start = end + 1;
  }
  return toStruct(root);
}

/** A map under construction. PHP's arrays are maps too; which of them are lists shows only at the end. */
class Branch {
  readonly entries = new Map<string, string | Branch>();
  nextIndex = 0;
}

function readText(body: Uint8Array | string): string {
  if (body.length > MAX_BODY_BYTES) throw refusal(`longer than ${MAX_BODY_BYTES} bytes`);
  if (typeof body === 'string') {
    if (!body.isWellFormed()) throw refusal('invalid UTF-16');
    return body;
  }
  if (!isUtf8(body)) throw refusal('invalid UTF-8');
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
}

/** A percent sign that begins no escape stands for itself, as in PHP: `subject=50% off` reaches us as it is. */
function withEscapedPercents(text: string): string {
  return text.replace(/%(?![0-9A-Fa-f]{2})/g, '%25');
}

function unescaped(text: string, what: string): string {
  let plain = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (plain.includes('%')) {
    try {
      plain = decodeURIComponent(plain);
    } catch {
      throw refusal(`invalid UTF-8 in ${what}`);
    }
  }
  if (plain.includes('\0')) throw refusal(`NUL in ${what}`);
  return plain;
}

/** Stores one value under a name such as `options[tracking][opens]` or `list_id[]`. */
function put(root: Branch, name: string, value: string): void {
  const keys = keysOf(name);
  let branch = root;
  for (let i = 0; i < keys.length - 1; i++) {
    const key = keys[i]!;
    const next = key === '' ? openItem(branch, keys, i + 1) : child(branch, key, name);
    branch = next;
  }
  const last = keys.at(-1)!;
  const key = last === '' ? String(branch.nextIndex) : last;
  if (branch.entries.get(key) instanceof Branch) throw conflict(name);
  set(branch, key, value);
}

/** `a[b][]` → a, b, "" (append). The brackets were percent-encoded by most clients, so this looks at the decoded name. */
function keysOf(name: string): string[] {
  const open = name.indexOf('[');
  if (open === -1 && !name.includes(']')) {
    if (name === '') throw refusal('a value without a name');
    return [name];
  }
  if (open <= 0 || name.indexOf(']') < open) throw malformedName(name);
  const keys = [name.slice(0, open)];
  for (let at = open; at < name.length; ) {
    const close = name.indexOf(']', at);
    if (name[at] !== '[' || close === -1) throw malformedName(name);
    const key = name.slice(at + 1, close);
    if (key.includes('[')) throw malformedName(name);
    keys.push(key);
    if (keys.length > MAX_DEPTH) throw refusal(`${quoted(name)} is nested deeper than ${MAX_DEPTH}`);
    at = close + 1;
  }
  return keys;
}

function child(branch: Branch, key: string, name: string): Branch {
  const present = branch.entries.get(key);
  if (present instanceof Branch) return present;
  if (present !== undefined) throw conflict(name);
  const created = new Branch();
  set(branch, key, created);
  return created;
}

/**
 * The item that `a[][EMAIL]` belongs to. rest-client writes a list of hashes so, without numbers: members go to the
 * last item until one comes that it already has, which begins the next item.
 */
function openItem(branch: Branch, keys: string[], from: number): Branch {
  const last = branch.entries.get(String(branch.nextIndex - 1));
  if (last instanceof Branch && keys[from] !== '' && !holds(last, keys, from)) return last;
  const created = new Branch();
  set(branch, String(branch.nextIndex), created);
  return created;
}

/** Whether the rest of the name leads to something that is already there. */
function holds(item: Branch, keys: string[], from: number): boolean {
  let at: string | Branch | undefined = item;
  for (let i = from; i < keys.length; i++) {
    if (keys[i] === '') return false;
    if (!(at instanceof Branch)) break;
    at = at.entries.get(keys[i]!);
  }
  return at !== undefined;
}

function set(branch: Branch, key: string, value: string | Branch): void {
  branch.entries.set(key, value);
  // Index keys in PHP are canonical decimals; nine digits are more than any list here can have.
  if (/^(?:0|[1-9]\d{0,8})$/.test(key)) branch.nextIndex = Math.max(branch.nextIndex, Number(key) + 1);
}

function toStruct(branch: Branch): WireStruct {
  const struct = newStruct();
  for (const [key, value] of branch.entries) struct[key] = toWire(value);
  return struct;
}

function toWire(value: string | Branch): Wire {
  if (typeof value === 'string') return value;
  const { entries } = value;
  if (value.nextIndex !== entries.size) return toStruct(value);
  const list: Wire[] = [];
  for (let i = 0; i < entries.size; i++) {
    const item = entries.get(String(i));
    if (item === undefined) return toStruct(value);
    list.push(toWire(item));
  }
  return list;
}

function refusal(why: string): WireFault {
  return new WireFault(-32600, `form body: ${why}`);
}

function malformedName(name: string): WireFault {
  return refusal(`the brackets of ${quoted(name)} are not balanced`);
}

function conflict(name: string): WireFault {
  return refusal(`${quoted(name)} contradicts an earlier name, which is both a value and a map`);
}
