// A set of the addresses seen so far in a file, 8 bytes each: 64 bits of a keyed hash. A million addresses take about
// 13 MB, and two different ones collide once in some ten billion files of a million rows.
import { randomBytes } from 'node:crypto';

/** One of sixteen parts. They grow one at a time, by half, so that little memory is ever held twice. */
type Part = { high: Uint32Array; low: Uint32Array; count: number; share: number };

export class Seen {
  readonly #parts: Part[] = Array.from({ length: 16 }, (_, n) => ({
    high: new Uint32Array(1 << 12),
    low: new Uint32Array(1 << 12),
    count: 0,
    /** How full it may be. */
    share: 0.7 + n / 100,
  }));
  #count = 0;
  readonly #seed = randomBytes(8);

  get size(): number {
    return this.#count;
  }

  /** True when the key is new. */
  add(key: string): boolean {
    const [high, low] = this.#hash(key);
    const part = this.#parts[high >>> 28]!;
    if (!place(part, high, low)) return false;
    this.#count++;
    if (++part.count > part.low.length * part.share) grow(part);
    return true;
  }

  has(key: string): boolean {
    if (this.#count === 0) return false;
    const [high, low] = this.#hash(key);
    return holds(this.#parts[high >>> 28]!, high, low);
  }

  /** Frees the memory immediately instead of at the next garbage collection. */
  release(): void {
    for (const part of this.#parts) free(part);
  }

  #hash(key: string): [high: number, low: number] {
    let a = this.#seed.readUInt32LE(0);
    let b = this.#seed.readUInt32LE(4);
    for (let i = 0; i < key.length; i++) {
      const code = key.charCodeAt(i);
      a = Math.imul(a ^ code, 0x85ebca6b);
      a = (a << 13) | (a >>> 19);
      b = Math.imul(b ^ code, 0xc2b2ae35);
      b = (b << 15) | (b >>> 17);
    }
    a = mix(a ^ b);
    b = mix(b + a);
    // Zero in both marks a free place.
    return [a >>> 0, b >>> 0 || 1];
  }
}

function grow(part: Part): void {
  const { high, low } = part;
  const old = { high, low };
  part.high = new Uint32Array(Math.ceil(low.length * 1.5));
  part.low = new Uint32Array(part.high.length);
  for (let i = 0; i < low.length; i++) if (low[i] !== 0) place(part, high[i]!, low[i]!);
  free(old);
}

function free({ high, low }: Pick<Part, 'high' | 'low'>): void {
  for (const { buffer } of [high, low]) (buffer as ArrayBuffer).transfer(0);
}

/** Where the search for a place begins. */
const placeOf = (b: number, length: number) => Math.floor((b / 0x1_0000_0000) * length);

function place({ high, low }: Part, a: number, b: number): boolean {
  for (let at = placeOf(b, low.length); ; at = at + 1 === low.length ? 0 : at + 1) {
    if (low[at] === 0) {
      high[at] = a;
      low[at] = b;
      return true;
    }
    if (low[at] === b && high[at] === a) return false;
  }
}

function holds({ high, low }: Part, a: number, b: number): boolean {
  for (let at = placeOf(b, low.length); low[at] !== 0; at = at + 1 === low.length ? 0 : at + 1)
    if (low[at] === b && high[at] === a) return true;
  return false;
}

function mix(value: number): number {
  let h = value ^ (value >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return h ^ (h >>> 16);
}
