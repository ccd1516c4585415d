// SHA-256 over the relaxed form of a body (RFC 6376 3.4.4), which a DKIM signature names. For a campaign the static sections
// of the body are brought into that form once; a message then costs the values between them, one copy and the hash.
// Guarantees the hash of the whole body, wherever the sections are cut (but never between CR and LF). A bare CR or LF is
// refused: the code that made the body has a bug.
import { createHash, type Hash, hash } from 'node:crypto';

/** Static bytes, then the value of a slot (−1 for none); a hole is an offset in the bytes and the slot that goes there. */
export type Section = { bytes: Buffer; holeAt: readonly number[]; holeSlot: readonly number[]; value: number };

/** SHA-256 of the body in relaxed form, in Base64. */
export function relaxedBodyHash(body: Buffer): string {
  const writer = new RelaxedWriter(scratchOf(body.length + 2));
  writer.add(body);
  return hash('sha256', writer.end(), 'base64');
}

/** The sections of a body, ready to be hashed with the values of a recipient. */
export class RelaxedSections {
  readonly #sections: readonly Prepared[];
  /** The bytes that all bodies begin with are hashed once, if they are many. */
  readonly #prefix: { length: number; hashed: Hash } | undefined;

  /** Every hole gets as many visible characters as it is wide. */
  constructor(sections: readonly Section[], holeLength: number) {
    this.#sections = sections.map((section) => prepared(section, holeLength));
    const [first] = this.#sections;
    if (!first || first.core.length === 0) return;
    const writer = new RelaxedWriter(Buffer.allocUnsafe(first.from.length + 2));
    writer.gap(first.before);
    writer.visible(first.core.subarray(0, first.holeAt[0] ?? first.core.length));
    const { length } = writer;
    if (length >= minPrefix)
      this.#prefix = { length, hashed: createHash('sha256').update(writer.bytes.subarray(0, length)) };
  }

  /** The hash of relaxedBodyHash. @param body the sections with their values @param values by slot */
  hash(body: Buffer, values: readonly string[]): string {
    const writer = new RelaxedWriter(scratchOf(body.length + 2));
    let at = 0;
    for (const { from, before, core, holeAt, holeSlot, after, value } of this.#sections) {
      writer.gap(before);
      if (core.length > 0) {
        const start = writer.visible(core);
        for (let k = 0; k < holeAt.length; k++) writer.bytes.write(values[holeSlot[k]!]!, start + holeAt[k]!, 'latin1');
        writer.gap(after);
      }
      at += from.length;
      if (value < 0) continue;
      const { length } = values[value]!;
      writer.add(body.subarray(at, at + length));
      at += length;
    }
    const relaxed = writer.end();
    const prefix = this.#prefix;
    if (!prefix) return hash('sha256', relaxed, 'base64');
    return prefix.hashed.copy().update(relaxed.subarray(prefix.length)).digest('base64');
  }
}

/** Copying the state of a hash takes as long as hashing 3 kB. */
const minPrefix = 4_096;

/** Line ends and white space without a visible character: how many line ends, and whether space follows the last one. */
type Gap = { lineEnds: number; space: boolean };

/** A section in relaxed form: what is before its first visible character, from there to the last one, and what follows. */
type Prepared = {
  from: Buffer;
  before: Gap;
  core: Buffer;
  /** Offsets in `core`. */
  holeAt: readonly number[];
  holeSlot: readonly number[];
  after: Gap;
  value: number;
};

function prepared({ bytes, holeAt, holeSlot, value }: Section, holeLength: number): Prepared {
  const filled = holeAt.length === 0 ? bytes : Buffer.from(bytes);
  for (const at of holeAt) filled.fill('x', at, at + holeLength);
  let first = 0;
  while (first < filled.length && isBlank(filled[first]!)) first++;
  const writer = new RelaxedWriter(Buffer.allocUnsafe(filled.length + 2));
  writer.add(filled.subarray(0, first));
  const before = writer.takeGap();
  let at = first;
  const relaxedHoleAt = holeAt.map((hole) => {
    writer.add(filled.subarray(at, hole));
    at = hole;
    writer.flush();
    return writer.length;
  });
  writer.add(filled.subarray(at));
  const after = writer.takeGap();
  const relaxed = writer.bytes.subarray(0, writer.length);
  // Most images are in relaxed form already: their bytes are not kept twice.
  const same = filled === bytes && bytes.subarray(first, first + relaxed.length).equals(relaxed);
  const core = same ? bytes.subarray(first, first + relaxed.length) : Buffer.from(relaxed);
  return { from: bytes, before, core, holeAt: relaxedHoleAt, holeSlot, after, value };
}

const isBlank = (byte: number): boolean => byte === 32 || byte === 9 || byte === 13 || byte === 10;

/** Writes bytes in relaxed form, piece by piece. What follows the last visible character waits for the next one. */
class RelaxedWriter {
  readonly bytes: Buffer;
  length = 0;
  #lineEnds = 0;
  #space = false;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  add(from: Buffer): void {
    const size = from.length;
    let i = 0;
    while (i < size) {
      const byte = from[i]!;
      if (byte === 32 || byte === 9) {
        this.#space = true;
        i++;
      } else if (byte === 13) {
        if (i + 1 === size || from[i + 1] !== 10) throw new Error('a body with a bare CR cannot be signed');
        this.#lineEnds++;
        this.#space = false;
        i += 2;
      } else if (byte === 10) {
        throw new Error('a body with a bare LF cannot be signed');
      } else {
        const end = endOfRun(from, i);
        if (this.#space || this.#lineEnds > 0) this.flush();
        const { bytes } = this;
        let { length } = this;
        if (end - i > 100) length += from.copy(bytes, length, i, end);
        else for (; i < end; i++) bytes[length++] = from[i]!;
        this.length = length;
        i = end;
      }
    }
  }

  /** Bytes in relaxed form that begin and end with a visible character. @returns where they were written */
  visible(relaxed: Buffer): number {
    this.flush();
    const start = this.length;
    this.bytes.set(relaxed, start);
    this.length += relaxed.length;
    return start;
  }

  gap({ lineEnds, space }: Gap): void {
    this.#lineEnds += lineEnds;
    this.#space = lineEnds > 0 ? space : this.#space || space;
  }

  takeGap(): Gap {
    const gap = { lineEnds: this.#lineEnds, space: this.#space };
    this.#lineEnds = 0;
    this.#space = false;
    return gap;
  }

  /** Writes the line ends and the space before a visible character. */
  flush(): void {
    for (; this.#lineEnds > 0; this.#lineEnds--) this.#lineEnd();
    if (this.#space) this.bytes[this.length++] = 32;
    this.#space = false;
  }

  /** All that was written, with the end of its last line; nothing of a body without a visible character. */
  end(): Buffer {
    if (this.length > 0) this.#lineEnd();
    return this.bytes.subarray(0, this.length);
  }

  #lineEnd(): void {
    this.bytes[this.length++] = 13;
    this.bytes[this.length++] = 10;
  }
}

/** Where bytes from a visible character on are no longer in relaxed form, or too near to the end to know. */
function endOfRun(bytes: Buffer, start: number): number {
  const size = bytes.length;
  let i = start + 1;
  for (;;) {
    while (i < size && bytes[i]! > 32) i++;
    if (i + 2 >= size) return i;
    if (bytes[i] === 32 && bytes[i + 1]! > 32) i += 2;
    else if (bytes[i] === 13 && bytes[i + 1] === 10 && bytes[i + 2]! > 32) i += 3;
    else return i;
  }
}

// One buffer for all messages of usual size: it is filled and hashed without a pause in between.
const keptScratch = Buffer.allocUnsafeSlow(256 * 1024);

function scratchOf(size: number): Buffer {
  return size <= keptScratch.length ? keptScratch : Buffer.allocUnsafeSlow(size);
}
