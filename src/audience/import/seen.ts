// The addresses a file has brought so far, 8 bytes each: 64 bits of a keyed hash, so that a million cost 16 MB and two
// different addresses meet once in some ten billion files of a million rows.
import { randomBytes } from 'node:crypto';

export class Seen {
  #high: Uint32Array = new Uint32Array(1 << 16);
  #low: Uint32Array = new Uint32Array(1 << 16);
  #count = 0;
  readonly #seed = randomBytes(8);

  get size(): number {
    return this.#count;
  }

  /** True when the key is new. */
  add(key: string): boolean {
    const [high, low] = this.#hash(key);
    if (!place(this.#high, this.#low, high, low)) return false;
    if (++this.#count > this.#low.length * 0.7) this.#grow();
    return true;
  }

  has(key: string): boolean {
    if (this.#count === 0) return false;
    const [high, low] = this.#hash(key);
    return holds(this.#high, this.#low, high, low);
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
    // Nought in both is a free place.
    return [a >>> 0, b >>> 0 || 1];
  }

  #grow(): void {
    const high = new Uint32Array(this.#high.length * 2);
    const low = new Uint32Array(this.#low.length * 2);
    for (let i = 0; i < this.#low.length; i++) if (this.#low[i] !== 0) place(high, low, this.#high[i]!, this.#low[i]!);
    this.release();
    this.#high = high;
    this.#low = low;
  }

  /** Gives its memory back at once, not when garbage is collected next. */
  release(): void {
    for (const { buffer } of [this.#high, this.#low]) (buffer as ArrayBuffer).transfer(0);
  }
}

function place(high: Uint32Array, low: Uint32Array, a: number, b: number): boolean {
  const mask = low.length - 1;
  for (let at = (a ^ (b >>> 7)) & mask; ; at = (at + 1) & mask) {
    if (low[at] === 0) {
      high[at] = a;
      low[at] = b;
      return true;
    }
    if (low[at] === b && high[at] === a) return false;
  }
}

function holds(high: Uint32Array, low: Uint32Array, a: number, b: number): boolean {
  const mask = low.length - 1;
  for (let at = (a ^ (b >>> 7)) & mask; low[at] !== 0; at = (at + 1) & mask)
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
