// Splits what a server sends into replies (RFC 5321 4.2), however the bytes arrive.
// Guarantees at most 64 kB in memory for one reply, and reports a server that sends more or something that is no reply.

import { cut } from '../../db/jsonb.ts';
import { decodeGuessed } from '../verdict/guess-encoding.ts';
import type { Replied, Stage } from '../verdict/outcome.ts';

export type Reply = { code: number; enhanced?: string; lines: string[] };

export type Flaw = { flaw: 'garbage' | 'too_long'; text: string };

/** RFC 5321 4.5.3.1.5 allows 512 octets a line and does not limit the number of lines. */
export const replyCapBytes = 65_536;

/** Stored with the recipient and shown to users, so not the full 64 kB. */
const textCap = 1000;

export class ReplyReader {
  #rest = '';
  #lines: string[] = [];
  #bytes = 0;
  #code = 0;

  /** Passes each complete reply to `take`, which returns false to stop. @returns a protocol error, which ends the reading */
  push(chunk: Buffer, take: (reply: Reply) => boolean): Flaw | undefined {
    // Latin 1 keeps one character per octet; the text is decoded as a whole.
    const text = this.#rest === '' ? chunk.toString('latin1') : this.#rest + chunk.toString('latin1');
    let start = 0;
    let from = this.#rest.length;
    for (;;) {
      const end = text.indexOf('\n', from);
      if (end < 0) break;
      const line = text.slice(start, text.charCodeAt(end - 1) === 13 ? end - 1 : end);
      this.#bytes += end + 1 - start;
      start = from = end + 1;
      if (this.#bytes > replyCapBytes) return tooLong();
      const flaw = this.#line(line);
      if (flaw) return flaw;
      if (line.charCodeAt(3) === 45) continue;
      const reply = this.#finish();
      this.#rest = text.slice(start);
      if (!take(reply)) return undefined;
    }
    this.#rest = text.slice(start);
    if (this.#bytes + this.#rest.length > replyCapBytes) return tooLong();
    return undefined;
  }

  /** Whether there are bytes of an incomplete reply, or beyond the last one taken. */
  get pending(): boolean {
    return this.#rest !== '' || this.#lines.length > 0;
  }

  #line(line: string): Flaw | undefined {
    // A bare code violates the RFC but is common, as is a tab; 1yz does not exist in SMTP. A refusal counts whatever follows
    // its code. The rest of the line may hold anything, even NULs; replied() cleans the text.
    if (!/^([23][0-9][0-9]([ \t-]|$)|[45][0-9][0-9])/.test(line))
      return { flaw: 'garbage', text: `not a reply: ${cut(shown(line), 200)}` };
    const code = Number(line.slice(0, 3));
    if (this.#lines.length > 0 && Math.floor(code / 100) !== Math.floor(this.#code / 100))
      return { flaw: 'garbage', text: `one reply with both ${this.#code} and ${code}` };
    this.#code = code;
    this.#lines.push(line.slice(/[ \t-]/.test(line.charAt(3)) ? 4 : 3));
    return undefined;
  }

  #finish(): Reply {
    const lines = this.#lines;
    this.#lines = [];
    this.#bytes = 0;
    return { code: this.#code, lines };
  }
}

/** The part of a reply that the verdict and the user need. */
export function replied(reply: Reply, stage: Stage, dotted: boolean): Replied {
  const enhanced = enhancedOf(reply);
  const text = cut(shown(reply.lines.join(' ')), textCap);
  return { kind: 'reply', stage, code: reply.code, ...(enhanced ? { enhanced } : {}), text, dotted };
}

/** RFC 2034: at the start of each line, with the class of the reply code. */
export function enhancedOf(reply: Reply): string | undefined {
  const match = /^([245])\.(\d{1,3})\.(\d{1,3})(?=\s|$|[:;,-])/.exec(reply.lines[0] ?? '');
  return match && Number(match[1]) === Math.floor(reply.code / 100) ? match[0] : undefined;
}

function shown(line: string): string {
  return decodeGuessed(line)
    .replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]+/g, ' ')
    .trim();
}

function tooLong(): Flaw {
  return { flaw: 'too_long', text: `a reply of more than ${replyCapBytes} octets` };
}
