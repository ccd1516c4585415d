// Reads one body, inflates it if it is compressed, and counts what it becomes: against the limits of its door, and against a
// quota that it shares with others. What takes of the quota has to arrive at a pace, so that holding it costs bandwidth.
import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { Fault, fault } from '../../base/faults.ts';
import { message } from '../../base/messages.ts';
import type { Quota } from '../../base/quota.ts';

/** The beginning of a body shows what it is. */
const startBytes = 200;
const maxBlockBytes = 64 * 1024;
/** The bytes of a body that count against no quota. */
export const freeBytes = 16 * 1024;
/** What a body beyond it has to bring in each interval. */
export const pace = { bytes: 50 * 1024, everyMs: 5_000 };
const retryAfterSeconds = 5;

/** What a caller without a proven key may inflate: this, or so many times of what it sent. */
const inflation = { freeBytes: 4 * 1024 * 1024, times: 128 };

export type Share = { quota: Quota; caller: string; isProven: boolean };

type Encoding = 'gzip' | 'deflate' | 'br' | 'identity';
const encodings: Record<string, Encoding> = { gzip: 'gzip', 'x-gzip': 'gzip', deflate: 'deflate', br: 'br' };
export const readEncodings = 'gzip, deflate, br, identity';

/** The encoding that a header names. @throws Fault ENCODING_UNSUPPORTED */
export function encodingOf(header: string | undefined): Encoding {
  const named = (header ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity');
  if (named.length === 0) return 'identity';
  const encoding = named.length === 1 && Object.hasOwn(encodings, named[0]!) ? encodings[named[0]!] : undefined;
  if (!encoding) throw fault('ENCODING_UNSUPPORTED', 'door.encoding', { encodings: readEncodings });
  return encoding;
}

type Rules = {
  /** Undefined for a body that cannot exceed what is free. */
  share: Share | undefined;
  encoding: Encoding;
  /** @throws Fault TOO_LARGE */
  check: (length: number, start: () => Buffer) => void;
};

export class BodyReader {
  readonly #rules: Rules;
  /** What was read, in the beginning of each block; pieces of a byte each would take many times the memory of their bytes. */
  #blocks: Buffer[] = [];
  /** The bytes of the last block that are in use. */
  #filled = 0;
  #start = Buffer.alloc(0);
  /** As it is read, and as it arrived. */
  #length = 0;
  #arrived = 0;
  #taken = 0;
  #released = false;
  #watch: NodeJS.Timeout | undefined;

  constructor(rules: Rules) {
    this.#rules = rules;
  }

  /** The first bytes that were read. */
  get start(): Buffer {
    return this.#start;
  }

  /** @throws Fault TOO_LARGE, UNAVAILABLE, NOT_WELL_FORMED */
  async read(body: IncomingMessage): Promise<Buffer> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let inflater: Transform | undefined;
    const guarded = (work: () => void) => () => {
      try {
        work();
      } catch (error) {
        reject(error);
      }
    };
    const arrive = (piece: Buffer) => {
      this.#arrived += piece.length;
      if (this.#rules.encoding === 'identity') return guarded(() => this.#add(piece))();
      if (inflater) return;
      inflater = inflaterOf(this.#rules.encoding, piece);
      inflater.on('data', (inflated: Buffer) => guarded(() => this.#add(inflated))());
      inflater.once('error', () =>
        reject(fault('NOT_WELL_FORMED', 'door.not_encoded', { encoding: this.#rules.encoding })),
      );
      inflater.once('end', resolve);
      inflater.write(piece);
      body.pipe(inflater);
    };
    body.on('data', arrive);
    body.once('end', () => inflater ?? resolve());
    body.once('error', reject);
    body.once('close', () => body.readableEnded || reject(broken()));
    if (body.destroyed) reject(broken());
    const demandPace = this.#demandPace(reject, () => inflater?.writableNeedDrain === true);
    // What has arrived meanwhile is read first: a busy process must not blame the caller.
    this.#watch = setInterval(() => setImmediate(demandPace), pace.everyMs).unref();
    try {
      await promise;
      return Buffer.concat(this.#blocks, this.#length);
    } finally {
      clearInterval(this.#watch);
      body.off('data', arrive);
      if (inflater) {
        body.unpipe(inflater);
        inflater.destroy();
      }
      // What still arrives is dropped: the connection closes with the answer.
      body.resume();
      this.#blocks = [];
    }
  }

  release() {
    if (this.#released) return;
    this.#released = true;
    if (this.#taken > 0) this.#rules.share!.quota.release(this.#rules.share!.caller, this.#taken);
  }

  /** @throws Fault TOO_LARGE, UNAVAILABLE */
  #add(piece: Buffer) {
    this.#length += piece.length;
    const { share, encoding, check } = this.#rules;
    if (this.#start.length < startBytes)
      this.#start = Buffer.concat([this.#start, piece.subarray(0, startBytes - this.#start.length)]);
    check(this.#length, () => this.#start);
    if (encoding !== 'identity' && !share?.isProven && this.#length > this.#maxInflated()) throw tooLarge();
    if (!this.#take()) throw busy();
    this.#keep(piece);
  }

  #keep(piece: Buffer) {
    const last = this.#blocks.at(-1);
    const copied = last ? piece.copy(last, this.#filled) : 0;
    this.#filled += copied;
    if (copied === piece.length) return;
    const rest = piece.subarray(copied);
    // As large as all before, so that a small body takes no more than its bytes.
    const block = Buffer.allocUnsafe(Math.max(rest.length, Math.min(maxBlockBytes, this.#length - rest.length)));
    this.#filled = rest.copy(block);
    this.#blocks.push(block);
  }

  #maxInflated(): number {
    return Math.max(inflation.freeBytes, this.#arrived * inflation.times);
  }

  #take(): boolean {
    const more = this.#length - freeBytes - this.#taken;
    const { share } = this.#rules;
    if (more <= 0 || !share) return true;
    if (this.#released || !share.quota.take(share.caller, more)) return false;
    this.#taken += more;
    return true;
  }

  /** @param isBusy whether the caller waits for us */
  #demandPace(refuse: (error: Fault) => void, isBusy: () => boolean): () => void {
    let before = 0;
    return () => {
      const isSlow = this.#taken > 0 && this.#arrived - before < pace.bytes;
      if (isSlow && !isBusy()) refuse(fault('TOO_SLOW', 'door.body_too_slow'));
      before = this.#arrived;
    };
  }
}

/** Some programs send a bare deflate stream, without the header of zlib (RFC 1950). */
function inflaterOf(encoding: Encoding, start: Buffer): Transform {
  const options = { chunkSize: 64 * 1024 };
  if (encoding === 'gzip') return createGunzip(options);
  if (encoding === 'br') return createBrotliDecompress(options);
  const isZlib = (start[0]! & 0x0f) === 8 && (start.length < 2 || start.readUInt16BE(0) % 31 === 0);
  return isZlib ? createInflate(options) : createInflateRaw(options);
}

export const tooLarge = () => fault('TOO_LARGE', 'door.body_too_large');
const busy = () => new Fault('UNAVAILABLE', message('call.busy'), retryAfterSeconds);
const broken = () => Object.assign(new Error('the connection closed before the end of the body'), { statusCode: 400 });
