// Reads application/x-www-form-urlencoded bodies with PHP's brackets, as http_build_query, rest-client and urllib write them.
// Every value is a string; a map whose keys are exactly 0..n-1 is an array; the last of two equal names wins, as in PHP.
// Invalid UTF-8 in a form that declares no other encoding, NUL and contradicting names are faults. Unlike PHP, a dot or space
// in a name is kept, and unbalanced brackets are a fault. Types are left to the parameter schemas.
import { asWindows1252, textOfUtf8 } from '../../method/windows-1252.ts';
import {
  MAX_BODY_BYTES,
  MAX_DEPTH,
  MAX_VALUES,
  quoted,
  type Wire,
  WireFault,
  type WireStruct,
} from '../../method/wire.ts';

/**
 * The named parameters of a form body or query string. Throws WireFault.
 * @param isLatin1 whether the form declares ISO-8859-1 or windows-1252: what is not UTF-8 is read so
 */
export function decodeForm(body: Uint8Array | string, isLatin1 = false): WireStruct {
  const text = withEscapedPercents(readText(body, isLatin1));
  const form = new Form();
  for (let start = 0; start < text.length; ) {
    let end = text.indexOf('&', start);
    if (end === -1) end = text.length;
    if (end > start) {
      const pair = text.slice(start, end);
      const equals = pair.indexOf('=');
      const name = unescaped(equals === -1 ? pair : pair.slice(0, equals), 'a name', isLatin1);
      form.put(name, equals === -1 ? '' : unescaped(pair.slice(equals + 1), quoted(name), isLatin1));
    }
    start = end + 1;
  }
  return structOf(form.root);
}

function readText(body: Uint8Array | string, isLatin1: boolean): string {
  if (body.length > MAX_BODY_BYTES) throw refusal(`longer than ${MAX_BODY_BYTES} bytes`);
  if (typeof body === 'string') {
    if (!body.isWellFormed()) throw refusal('invalid UTF-16');
    return body;
  }
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const text = textOfUtf8(bytes);
  if (text !== undefined) return text;
  if (!isLatin1) throw refusal('invalid UTF-8');
  return asWindows1252(bytes.toString('latin1'));
}

/** A percent sign that begins no escape stands for itself, as in PHP: `subject=50% off` reaches us as it is. */
function withEscapedPercents(text: string): string {
  return text.replace(/%(?![0-9A-Fa-f]{2})/g, '%25');
}

function unescaped(text: string, what: string, isLatin1: boolean): string {
  const spaced = text.replaceAll('+', ' ');
  let plain: string;
  try {
    plain = asWindows1252(decodeURIComponent(spaced));
  } catch {
    const read = textOfUtf8(Buffer.from(withBytes(Buffer.from(spaced).toString('latin1')), 'latin1'));
    if (read === undefined && !isLatin1) throw refusal(`invalid UTF-8 in ${what}`);
    plain = read ?? asWindows1252(withBytes(spaced));
  }
  if (plain.includes('\0')) throw refusal(`NUL in ${what}`);
  return plain;
}

/** Each escape as the character of its byte. */
const withBytes = (text: string) =>
  text.replace(/%(..)/g, (_escape, hex) => String.fromCharCode(Number.parseInt(hex, 16)));

/** PHP's array is both list and map; which it is shows only at the end. */
class Branch {
  /** The items 0 to n-1 as far as they are there without a gap. */
  readonly list: Node[] = [];
  /** All others by name; indexes too while there is a gap before them. */
  named: { [name: string]: Node } | undefined = undefined;
  /** Where `[]` appends. */
  nextIndex = 0;

  get(key: string): Node | undefined {
    const index = indexOf(key);
    if (index !== undefined && index < this.list.length) return this.list[index];
    return this.named?.[key];
  }

  set(key: string, node: Node): void {
    const index = indexOf(key);
    if (index !== undefined && index < this.list.length) this.list[index] = node;
    else if (index === this.list.length) this.push(node);
    else {
      this.named ??= Object.create(null) as { [name: string]: Node };
      this.named[key] = node;
      if (index !== undefined && index >= this.nextIndex) this.nextIndex = index + 1;
    }
  }

  append(node: Node): void {
    if (this.nextIndex === this.list.length) this.push(node);
    else this.set(String(this.nextIndex), node);
  }

  last(): Node | undefined {
    return this.nextIndex === this.list.length ? this.list.at(-1) : this.get(String(this.nextIndex - 1));
  }

  private push(node: Node): void {
    this.list.push(node);
    const { list, named } = this;
    for (let next = named?.[list.length]; next !== undefined; next = named?.[list.length]) {
      delete named![list.length];
      list.push(next);
    }
    if (this.nextIndex < list.length) this.nextIndex = list.length;
  }
}

type Node = string | Branch;

/** Index keys in PHP are canonical decimals; nine digits are more than any list here can have. */
function indexOf(key: string): number | undefined {
  return /^(?:0|[1-9][0-9]{0,8})$/.test(key) ? Number(key) : undefined;
}

/** A form under construction. */
class Form {
  readonly root = new Branch();
  #values = 0;

  /** Stores one value under a name such as `options[tracking][opens]` or `list_id[]`. */
  put(name: string, value: string): void {
    const keys = keysOf(name);
    let branch = this.root;
    for (let i = 0; i < keys.length - 1; i++) {
      branch = keys[i] === '' ? this.#openItem(branch, keys, i + 1) : this.#child(branch, keys[i]!, name);
    }
    const key = keys.at(-1)!;
    this.#count();
    if (key === '') branch.append(value);
    else if (branch.get(key) instanceof Branch) throw conflict(name);
    else branch.set(key, value);
  }

  #child(branch: Branch, key: string, name: string): Branch {
    const present = branch.get(key);
    if (present instanceof Branch) return present;
    if (present !== undefined) throw conflict(name);
    const created = this.#newBranch();
    branch.set(key, created);
    return created;
  }

  /**
   * The item that `a[][EMAIL]` belongs to. rest-client writes a list of hashes so, without numbers: members go to the
   * last item until one comes that it already has, which begins the next item.
   */
  #openItem(branch: Branch, keys: string[], from: number): Branch {
    const last = branch.last();
    if (last instanceof Branch && keys[from] !== '' && !holds(last, keys, from)) return last;
    const created = this.#newBranch();
    branch.append(created);
    return created;
  }

  #newBranch(): Branch {
    this.#count();
    return new Branch();
  }

  #count(): void {
    if (++this.#values > MAX_VALUES) throw refusal(`more than ${MAX_VALUES} values`);
  }
}

/** `a[b][]` → a, b, "" (append). Most clients percent-encode the brackets, so this looks at the decoded name. */
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

/** Whether the rest of the name leads to something that is already there. */
function holds(item: Branch, keys: string[], from: number): boolean {
  let at: Node | undefined = item;
  for (let i = from; i < keys.length; i++) {
    if (!(at instanceof Branch)) break;
    at = at.get(keys[i]!);
  }
  return at !== undefined;
}

/** Turns the branch into a struct in place: large forms are not copied. */
function structOf({ list, named = Object.create(null) as { [name: string]: Node } }: Branch): WireStruct {
  const struct: { [name: string]: Node | Wire } = named;
  for (const name in struct) struct[name] = wireOf(named[name]!);
  list.forEach((item, i) => {
    struct[i] = wireOf(item);
  });
  return struct as WireStruct;
}

function wireOf(node: Node): Wire {
  if (typeof node === 'string') return node;
  if (!hasNames(node)) return node.list.map(wireOf);
  return structOf(node);
}

function hasNames({ named }: Branch): boolean {
  for (const _ in named) return true;
  return false;
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
