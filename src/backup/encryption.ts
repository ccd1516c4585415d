// The encryption of a backup file: AES-256-GCM in frames, with a key derived from a passphrase by scrypt. Guarantees that a
// frame that was changed, moved, left out or added is detected, and so is a missing end. The file begins with a header:
// mark, cost of scrypt, salt. Each file has a key of its own, so frames are numbered from 0 in their nonces; the last one is
// marked there, too.
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { Transform, type TransformCallback } from 'node:stream';
import { promisify } from 'node:util';

/** What is wrong with a backup file, for the person who restores it. */
export class BackupProblem extends Error {}

const mark = Buffer.from('postrider backup 1\n');
const saltBytes = 16;
const tagBytes = 16;
/** Mark, logarithm of the cost, salt. */
const headerBytes = mark.length + 1 + saltBytes;
const frameBytes = 256 * 1_024;
/** The highest bit of a frame's length marks the last one. */
const lastBit = 0x8000_0000;
/** 128 MiB and 0.3 s for each guess at the passphrase. */
const defaultCost = 17;
/** A header can be written by anyone: 1 GiB at most. */
const maxCost = 20;

const deriveKey = promisify(
  (passphrase: string, salt: Buffer, cost: number, done: (error: Error | null, key: Buffer) => void) =>
    scrypt(passphrase, salt, 32, { N: 2 ** cost, r: 8, p: 1, maxmem: 2 ** cost * 1_024 + 2 ** 20 }, done),
);

/** A stream that encrypts. @param cost lower for tests */
export async function encrypting(passphrase: string, cost = defaultCost): Promise<Transform> {
  const salt = randomBytes(saltBytes);
  const header = Buffer.concat([mark, Buffer.from([cost]), salt]);
  return new Encrypting(header, await deriveKey(passphrase, salt, cost));
}

/** A stream that decrypts. It fails with a BackupProblem, at the latest at its end; what came before is authentic. */
export function decrypting(passphrase: string): Transform {
  return new Decrypting(passphrase);
}

class Encrypting extends Transform {
  readonly #header: Buffer;
  readonly #key: Buffer;
  #count = 0;
  #waiting: Buffer[] = [];
  #size = 0;

  constructor(header: Buffer, key: Buffer) {
    super();
    this.#header = header;
    this.#key = key;
    this.push(header);
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    this.#waiting.push(chunk);
    this.#size += chunk.length;
    if (this.#size > frameBytes) {
      let rest = Buffer.concat(this.#waiting);
      while (rest.length > frameBytes) {
        this.#frame(rest.subarray(0, frameBytes), false);
        rest = rest.subarray(frameBytes);
      }
      this.#waiting = [rest];
      this.#size = rest.length;
    }
    done();
  }

  override _flush(done: TransformCallback): void {
    this.#frame(Buffer.concat(this.#waiting), true);
    done();
  }

  #frame(content: Buffer, last: boolean): void {
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonceOf(this.#count++, last));
    cipher.setAAD(this.#header);
    const body = Buffer.concat([cipher.update(content), cipher.final()]);
    const length = Buffer.alloc(4);
    length.writeUInt32BE((content.length | (last ? lastBit : 0)) >>> 0);
    this.push(Buffer.concat([length, body, cipher.getAuthTag()]));
  }
}

/** HEADER → FRAMES → ENDED. */
class Decrypting extends Transform {
  readonly #passphrase: string;
  #header: Buffer | undefined;
  #key: Buffer = Buffer.alloc(0);
  #count = 0;
  #ended = false;
  #waiting: Buffer[] = [];
  #size = 0;
  /** Octets that are waited for before anything can be done. */
  #wanted = headerBytes;

  constructor(passphrase: string) {
    super();
    this.#passphrase = passphrase;
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    this.#waiting.push(chunk);
    this.#size += chunk.length;
    if (this.#size < this.#wanted) done();
    else this.#take().then(() => done(), done);
  }

  override _flush(done: TransformCallback): void {
    if (this.#header === undefined) done(new BackupProblem('The file is not a backup of Postrider.'));
    else if (!this.#ended) done(new BackupProblem('The backup is incomplete: its end is missing.'));
    else done();
  }

  async #take(): Promise<void> {
    let rest: Buffer = Buffer.concat(this.#waiting);
    if (this.#header === undefined) {
      await this.#readHeader(rest.subarray(0, headerBytes));
      rest = rest.subarray(headerBytes);
    }
    this.#wanted = 4;
    while (rest.length >= 4) {
      if (this.#ended) throw new BackupProblem('The backup was changed: something follows its end.');
      const word = rest.readUInt32BE();
      const last = word >= lastBit;
      const length = last ? word - lastBit : word;
      if (length > frameBytes) throw this.#changed();
      this.#wanted = 4 + length + tagBytes;
      if (rest.length < this.#wanted) break;
      this.push(this.#open(rest.subarray(4, this.#wanted), last));
      this.#ended = last;
      rest = rest.subarray(this.#wanted);
      this.#wanted = 4;
    }
    if (this.#ended && rest.length > 0) throw new BackupProblem('The backup was changed: something follows its end.');
    this.#waiting = [rest];
    this.#size = rest.length;
  }

  async #readHeader(header: Buffer): Promise<void> {
    const cost = header[mark.length]!;
    if (!header.subarray(0, mark.length).equals(mark)) {
      const isNewer = /^postrider backup \d+\n/.test(header.toString('latin1'));
      throw new BackupProblem(
        isNewer ? 'The backup was made by a newer Postrider.' : 'The file is not a backup of Postrider.',
      );
    }
    if (cost < 1 || cost > maxCost) throw new BackupProblem('The backup was changed: its header is invalid.');
    this.#key = await deriveKey(this.#passphrase, header.subarray(mark.length + 1), cost);
    this.#header = header;
  }

  #open(sealed: Buffer, last: boolean): Buffer {
    const decipher = createDecipheriv('aes-256-gcm', this.#key, nonceOf(this.#count, last), {
      authTagLength: tagBytes,
    });
    decipher.setAAD(this.#header!);
    decipher.setAuthTag(sealed.subarray(-tagBytes));
    try {
      const content = Buffer.concat([decipher.update(sealed.subarray(0, -tagBytes)), decipher.final()]);
      this.#count++;
      return content;
    } catch {
      throw this.#changed();
    }
  }

  #changed(): BackupProblem {
    return new BackupProblem(
      this.#count === 0
        ? 'The passphrase is wrong, or the beginning of the backup was changed.'
        : `The backup is damaged or was changed, after about ${Math.round((this.#count * frameBytes) / 1e6)} MB.`,
    );
  }
}

function nonceOf(count: number, last: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(last ? 1 : 0);
  nonce.writeBigUInt64BE(BigInt(count), 4);
  return nonce;
}
