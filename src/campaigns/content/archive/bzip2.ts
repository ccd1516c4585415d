// Reads bzip2, stream after stream, a piece at a time.
// Guarantees bounded memory (about 5 MB), work proportional to input and output for any input, a check of every checksum,
// and an ArchiveRefusal for anything invalid. The caller limits the output.
import { message } from '../../../base/messages.ts';
import { ArchiveRefusal } from './limits.ts';

/** Yields the decompressed bytes; each piece is valid until the next is asked for. */
export function* bunzip2(input: Uint8Array): Generator<Uint8Array> {
  const bits = new Bits(input);
  const block = new Block();
  const piece = new Uint8Array(pieceSize);
  let blocks = 0;
  let first = true;
  for (;;) {
    const level = readStreamHeader(bits, first);
    if (level === 0) return;
    first = false;
    let combined = 0;
    for (;;) {
      const high = bits.read(24);
      const low = bits.read(24);
      if (high === 0x177245 && low === 0x385090) break;
      if (high !== 0x314159 || low !== 0x265359) throw damaged('a block does not begin where it should');
      // A real block but the last is nearly full; more of them than this only cost time.
      if (++blocks > maxBlocks) throw damaged('too many blocks');
      const expected = bits.read32();
      block.load(bits, level * 100_000);
      for (let length = block.produce(piece); length > 0; length = block.produce(piece)) {
        yield piece.subarray(0, length);
      }
      if (block.checksum() !== expected) throw damaged('the checksum of a block differs');
      combined = ((combined << 1) | (combined >>> 31)) ^ expected;
    }
    if (bits.read32() !== combined >>> 0) throw damaged('the checksum differs');
    bits.align();
  }
}

const pieceSize = 64 * 1024;
const maxBlocks = 4_096;
const maxSymbols = 258;
const maxCodeBits = 20;
/** Codes up to this length are decoded by one look into a table. */
const quickBits = 10;
/** Symbols after which the next selector chooses the code. */
const groupSize = 50;

const damaged = (detail: string) => new ArchiveRefusal(message('archive.damaged_bzip2', { detail }));

/** 0 at the end. What follows a complete stream without being one is ignored, as the bzip2 program does. */
function readStreamHeader(bits: Bits, first: boolean): number {
  const header = bits.peekBytes(4);
  const [b, z, h, level] = header;
  if (b === 0x42 && z === 0x5a && h === 0x68 && level! >= 0x31 && level! <= 0x39) {
    bits.skipBytes(4);
    return level! - 0x30;
  }
  if (first) throw damaged('it does not begin like bzip2');
  return 0;
}

/** Bits, highest first. */
class Bits {
  private readonly input: Uint8Array;
  private at = 0;
  private buffer = 0;
  private count = 0;

  constructor(input: Uint8Array) {
    this.input = input;
  }

  /** Makes at least 24 bits ready. Past the end of the input they are zeros, which no caller may consume. */
  private fill(): void {
    while (this.count <= 24) {
      this.buffer = (this.buffer << 8) | (this.at < this.input.length ? this.input[this.at]! : 0);
      this.at++;
      this.count += 8;
    }
  }

  /** Up to 24 bits. */
  read(wanted: number): number {
    const value = this.peek(wanted);
    this.skip(wanted);
    return value;
  }

  peek(wanted: number): number {
    if (this.count < wanted) this.fill();
    return (this.buffer >>> (this.count - wanted)) & ((1 << wanted) - 1);
  }

  skip(taken: number): void {
    this.count -= taken;
    // Bits beyond the end have been taken.
    if (this.at - (this.count >> 3) > this.input.length) throw damaged('it ends too early');
  }

  read32(): number {
    const high = this.read(16);
    return ((high << 16) | this.read(16)) >>> 0;
  }

  align(): void {
    this.skip(this.count & 7);
  }

  /** Only where a byte begins. */
  peekBytes(wanted: number): Uint8Array {
    const start = this.at - (this.count >> 3);
    return this.input.subarray(start, start + wanted);
  }

  skipBytes(taken: number): void {
    const start = this.at - (this.count >> 3) + taken;
    this.at = start;
    this.count = 0;
    this.buffer = 0;
  }
}

type Code = {
  /** For the next quickBits bits: symbol × 32 + length, or 0 where the code is longer. */
  quick: Uint16Array;
  /** By length: the greatest code of this length, or -1; and what to subtract from a code to find its symbol. */
  limit: Int32Array;
  offset: Int32Array;
  symbols: Uint16Array;
  longest: number;
};

/** One block: loaded as a whole, undone a piece at a time. */
class Block {
  /** Low 8 bits: a byte of the sorted block; upper 24: where the byte that follows it lies. */
  private readonly chain = new Uint32Array(900_000);
  private readonly codes: Code[] = Array.from({ length: 6 }, () => ({
    quick: new Uint16Array(1 << quickBits),
    limit: new Int32Array(maxCodeBits + 1),
    offset: new Int32Array(maxCodeBits + 1),
    symbols: new Uint16Array(maxSymbols),
    longest: 0,
  }));
  private readonly selectors = new Uint8Array(1 << 15);
  private remaining = 0;
  private position = 0;
  private last = -1;
  private runLength = 0;
  private repeats = 0;
  private crc = 0;

  load(bits: Bits, size: number): void {
    if (bits.read(1) === 1) throw damaged('randomised blocks have not been written since 1997');
    const origin = bits.read(24);
    const bytes = readAlphabet(bits);
    const selected = this.readSelectors(bits, bytes.length + 2);
    const count = this.readSymbols(bits, bytes, selected, size);
    if (origin >= count) throw damaged('a block points outside itself');

    // Undo the Burrows-Wheeler transform: link each byte to the one that followed it in the text.
    const { chain } = this;
    const next = new Uint32Array(256);
    for (let i = 0; i < count; i++) next[chain[i]!]!++;
    let sum = 0;
    for (let byte = 0; byte < 256; byte++) {
      const times = next[byte]!;
      next[byte] = sum;
      sum += times;
    }
    for (let i = 0; i < count; i++) {
      const byte = chain[i]! & 0xff;
      chain[next[byte]!++]! |= i << 8;
    }
    this.remaining = count;
    this.position = chain[origin]! >>> 8;
    this.last = -1;
    this.runLength = 0;
    this.repeats = 0;
    this.crc = -1;
  }

  /** Fills the piece as far as the block goes; returns how far. */
  produce(piece: Uint8Array): number {
    const { chain } = this;
    let { remaining, position, last, runLength, repeats, crc } = this;
    let at = 0;
    const end = piece.length;
    while (at < end) {
      if (repeats > 0) {
        repeats--;
        piece[at++] = last;
        crc = (crc << 8) ^ crcTable[(crc >>> 24) ^ last]!;
        continue;
      }
      if (remaining === 0) break;
      remaining--;
      const link = chain[position]!;
      position = link >>> 8;
      const byte = link & 0xff;
      if (runLength === 4) {
        // After four equal bytes comes the number of further ones.
        repeats = byte;
        runLength = 0;
        continue;
      }
      runLength = byte === last ? runLength + 1 : 1;
      last = byte;
      piece[at++] = byte;
      crc = (crc << 8) ^ crcTable[(crc >>> 24) ^ byte]!;
    }
    this.remaining = remaining;
    this.position = position;
    this.last = last;
    this.runLength = runLength;
    this.repeats = repeats;
    this.crc = crc;
    return at;
  }

  checksum(): number {
    return ~this.crc >>> 0;
  }

  /** Reads which code serves which fifty symbols, and the codes. Returns how many selectors there are. */
  private readSelectors(bits: Bits, symbols: number): number {
    const groups = bits.read(3);
    if (groups < 2 || groups > 6) throw damaged('an impossible number of codes');
    const selected = bits.read(15);
    if (selected === 0) throw damaged('no code is selected');
    const order = [0, 1, 2, 3, 4, 5];
    for (let i = 0; i < selected; i++) {
      let back = 0;
      while (bits.read(1) === 1) if (++back >= groups) throw damaged('an unknown code is selected');
      const [group] = order.splice(back, 1);
      order.unshift(group!);
      this.selectors[i] = group!;
    }
    const lengths = new Uint8Array(symbols);
    for (let group = 0; group < groups; group++) {
      let length = bits.read(5);
      for (let symbol = 0; symbol < symbols; symbol++) {
        for (;;) {
          if (length < 1 || length > maxCodeBits) throw damaged('an impossible code length');
          if (bits.read(1) === 0) break;
          length += bits.read(1) === 0 ? 1 : -1;
        }
        lengths[symbol] = length;
      }
      buildCode(this.codes[group]!, lengths);
    }
    return selected;
  }

  /** Undoes Huffman coding, run lengths and move-to-front into the low bits of the chain; returns how many bytes. */
  private readSymbols(bits: Bits, bytes: Uint8Array, selected: number, size: number): number {
    const { chain, codes, selectors } = this;
    const endOfBlock = bytes.length + 1;
    const recent = bytes.slice();
    let count = 0;
    let group = 0;
    let inGroup = 0;
    let code = codes[0]!;
    let run = 0;
    let weight = 1;
    for (;;) {
      if (inGroup === 0) {
        if (group >= selected) throw damaged('a block does not end');
        code = codes[selectors[group++]!]!;
        inGroup = groupSize;
      }
      inGroup--;
      const symbol = readSymbol(bits, code);
      if (symbol <= 1) {
        // Run lengths are written in base 2 with the digits 1 and 2.
        run += weight << symbol;
        weight <<= 1;
        if (run > size) throw damaged('a block is too long');
        continue;
      }
      if (run > 0) {
        if (count + run > size) throw damaged('a block is too long');
        chain.fill(recent[0]!, count, count + run);
        count += run;
        run = 0;
        weight = 1;
      }
      if (symbol === endOfBlock) return count;
      if (count >= size) throw damaged('a block is too long');
      const place = symbol - 1;
      const byte = recent[place]!;
      recent.copyWithin(1, 0, place);
      recent[0] = byte;
      chain[count++] = byte;
    }
  }
}

/** The byte values that occur in the block, in order. */
function readAlphabet(bits: Bits): Uint8Array {
  const ranges = bits.read(16);
  const bytes: number[] = [];
  for (let range = 0; range < 16; range++) {
    if ((ranges & (0x8000 >> range)) === 0) continue;
    const used = bits.read(16);
    for (let i = 0; i < 16; i++) if (used & (0x8000 >> i)) bytes.push(range * 16 + i);
  }
  if (bytes.length === 0) throw damaged('a block without bytes');
  return Uint8Array.from(bytes);
}

function buildCode(code: Code, lengths: Uint8Array): void {
  const counts = new Uint16Array(maxCodeBits + 2);
  for (const length of lengths) counts[length]!++;
  code.limit.fill(-1);
  code.quick.fill(0);
  let next = 0;
  let index = 0;
  for (let length = 1; length <= maxCodeBits; length++) {
    code.offset[length] = next - index;
    for (let symbol = 0; symbol < lengths.length; symbol++) {
      if (lengths[symbol] !== length) continue;
      if (length <= quickBits) {
        const spare = quickBits - length;
        code.quick.fill(symbol * 32 + length, next << spare, (next + 1) << spare);
      }
      code.symbols[index++] = symbol;
      next++;
    }
    if (counts[length]! > 0) {
      code.limit[length] = next - 1;
      code.longest = length;
    }
    // More codes than the code length allows.
    if (next > 1 << length) throw damaged('an impossible code');
    next <<= 1;
  }
}

function readSymbol(bits: Bits, code: Code): number {
  const quick = code.quick[bits.peek(quickBits)]!;
  if (quick !== 0) {
    bits.skip(quick & 31);
    return quick >> 5;
  }
  const ahead = bits.peek(maxCodeBits);
  for (let length = quickBits + 1; length <= code.longest; length++) {
    const value = ahead >> (maxCodeBits - length);
    if (value <= code.limit[length]!) {
      bits.skip(length);
      return code.symbols[value - code.offset[length]!]!;
    }
  }
  throw damaged('an unknown code');
}

/** CRC-32 with the highest bit first. */
const crcTable = Int32Array.from({ length: 256 }, (_, byte) => {
  let value = byte << 24;
  for (let bit = 0; bit < 8; bit++) value = value < 0 ? (value << 1) ^ 0x04c11db7 : value << 1;
  return value;
});
