// Reads application/x-www-form-urlencoded bodies with PHP's brackets, as http_build_query, rest-client and urllib write them.
// Every value is a string; a map whose keys are exactly 0..n-1 is an array; the last of two equal names wins, as in PHP.
// Invalid UTF-8 in a form that declares no other encoding, and NUL, are faults or marked; contradicting names are faults. Unlike
// PHP, a dot or space in a name is kept, and so are brackets inside of a key. Types are left to the parameter schemas.
import { asWindows1252, textOfUtf8, textWithMarks } from '../../method/windows-1252.ts';
import {
  MAX_BODY_BYTES,
  MAX_DEPTH,
  MAX_VALUES,
  quoted,
  UNREADABLE,
  type Wire,
  WireFault,
  type WireStruct,
} from '../../method/wire.ts';
import { decoded, type Encoding } from '../xmlrpc/encodings.ts';

/** The encoding that a form declares, and whether what is no text is marked instead of refused. */
type Reading = { encoding?: Encoding | undefined; marks?: boolean };

/** The named parameters of a form body or query string. Throws WireFault. */
export function decodeForm(body: Uint8Array | string, reading: Reading = {}): WireStruct {
  const text = withEscapedPercents(readText(body, reading));
  const form = new Form();
  for (let start = 0; start < text.length; ) {
    let end = text.indexOf('&', start);
    if (end === -1) end = text.length;
    if (end > start) {
      const pair = text.slice(start, end);
      const equals = pair.indexOf('=');
      const name = unescaped(equals === -1 ? pair : pair.slice(0, equals), 'a name', reading);
      form.put(name, equals === -1 ? '' : unescaped(pair.slice(equals + 1), quoted(name), reading));
    }
    start = end + 1;
  }
  return structOf(form.root);
}

/** The characters of a form. Bytes that are not UTF-8 are characters of the encoding that is declared. */
function readText(body: Uint8Array | string, { encoding, marks = false }: Reading): string {
  if (body.length > MAX_BODY_BYTES) throw refusal(`longer than ${MAX_BODY_BYTES} bytes`);
  if (typeof body === 'string') {
    if (!body.isWellFormed()) throw refusal('invalid UTF-16');
    return body;
  }
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const text = isOwn(encoding) ? declaredText(bytes, encoding, marks) : textOfUtf8(bytes);
  if (text !== undefined) return text;
  if (isOwn(encoding) || !marks) throw refusal(isOwn(encoding) ? `not ${encoding}` : 'invalid UTF-8');
  return textWithMarks(bytes);
}

/** Whether an encoding is declared that is not UTF-8. */
const isOwn = (encoding: Encoding | undefined): encoding is Encoding =>
  encoding !== undefined && encoding !== 'UTF-8' && encoding !== 'US-ASCII';

/** Each value of a form is short: of ISO-8859-1, what is valid UTF-8 is UTF-8. */
const declaredText = (bytes: Buffer, encoding: Encoding, marks: boolean): string | undefined =>
  encoding === 'ISO-8859-1'
    ? (textOfUtf8(bytes) ?? asWindows1252(bytes.toString('latin1')))
    : decoded(bytes, encoding, marks);

/** A percent sign that begins no escape stands for itself, as in PHP: `subject=50% off` reaches us as it is. */
function withEscapedPercents(text: string): string {
  return text.replace(/%(?![0-9A-Fa-f]{2})/g, '%25');
}

function unescaped(text: string, what: string, reading: Reading): string {
  const plain = decodedEscapes(text.replaceAll('+', ' '), reading);
  if (plain === undefined) throw refusal(`invalid UTF-8 in ${what}`);
  if (!plain.includes('\0')) return plain;
  if (!reading.marks) throw refusal(`NUL in ${what}`);
  return plain.replaceAll('\0', UNREADABLE);
}

function decodedEscapes(text: string, { encoding, marks = false }: Reading): string | undefined {
  if (!text.includes('%')) return asWindows1252(text);
  // A program that writes the bytes of an encoding as escapes writes them all so.
  if (isOwn(encoding) && encoding !== 'ISO-8859-1' && !/[^\0-\x7F]/.test(text))
    return decoded(Buffer.from(withBytes(text), 'latin1'), encoding, marks);
  try {
    return asWindows1252(decodeURIComponent(text));
  } catch {
    const bytes = Buffer.from(withBytes(Buffer.from(text).toString('latin1')), 'latin1');
    const read = textOfUtf8(bytes);
    if (read !== undefined) return read;
    if (encoding === 'ISO-8859-1') return asWindows1252(withBytes(text));
    return marks ? textWithMarks(bytes) : undefined;
  }
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

/**
 * `a[b][]` → a, b, "" (append). Most clients percent-encode the brackets, so this looks at the decoded name. PHP does not escape
 * the brackets of a key: a key that has some, `groupings[0]` in `a[groupings[0]]`, reaches to the last bracket.
 */
function keysOf(name: string): string[] {
  const open = name.indexOf('[');
  if (open === -1 && !name.includes(']')) {
    if (name === '') throw refusal('a value without a name');
    return [name];
  }
  if (open <= 0 || name.indexOf(']') < open) throw malformedName(name);
  const keys = [name.slice(0, open)];
  for (let at = open; at < name.length; ) {
    const first = name.indexOf(']', at);
    if (name[at] !== '[' || first === -1) throw malformedName(name);
    const isWhole = !name.slice(at + 1, first).includes('[') && (first + 1 === name.length || name[first + 1] === '[');
    const close = isWhole ? first : name.lastIndexOf(']');
    if (!isWhole && close + 1 !== name.length) throw malformedName(name);
    keys.push(name.slice(at + 1, close));
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
