// Calls the API of another program: one request at a time, as often as it allows. A refusal for the moment (429, 5xx, no answer) is
// tried again when it says, or later and later.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Outbound } from '../../base/outbound-client.ts';

export type ApiAccess = { url: string; key: string };

/** What a request needs besides its address. */
type Sending = { outbound: Outbound; headers: Record<string, string>; onWait?: (text: string) => void };
/** The same for the headers that a source wants. */
export type Connect = (headers: Record<string, string>) => Sending;

const maxAttempts = 8;
const maxWaitMs = 120_000;
const maxBytes = 64 * 1024 * 1024;

/** The API refused for good, or cannot be reached. Its text is for the operator. */
export class ApiProblem extends Error {}

export class ApiClient {
  readonly #base: string;
  readonly #sending: Sending;

  constructor(base: string, sending: Sending) {
    this.#base = base.replace(/\/+$/, '');
    this.#sending = sending;
  }

  /** The body of the answer as JSON; undefined for 404. @throws ApiProblem */
  async get(path: string, query: Record<string, string | number> = {}): Promise<unknown> {
    const { outbound, headers, onWait } = this.#sending;
    const search = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
    );
    const url = `${this.#base}${path}${search.size > 0 ? `?${search}` : ''}`;
    for (let attempt = 1; ; attempt++) {
      const answer = await outbound.fetch(url, {
        headers: { accept: 'application/json', ...headers },
        totalMs: 120_000,
        headersMs: 110_000,
        maxBytes,
      });
      if (!answer.ok && answer.why === 'refused')
        throw new ApiProblem(`${url} is not a public address. To allow it, set OUTBOUND_ALLOW. (${answer.detail})`);
      if (answer.ok && answer.status === 404) return undefined;
      if (answer.ok && answer.status < 300) return readJson(answer.body, url);
      const mayPass = !answer.ok || answer.status === 429 || answer.status >= 500;
      const what = answer.ok ? `answered ${answer.status}` : `cannot be read: ${answer.detail}`;
      if (!mayPass || attempt === maxAttempts) throw new ApiProblem(`${url} ${what}.`);
      const waitMs = waitOf(answer.ok ? answer.headers['retry-after'] : undefined, attempt);
      onWait?.(`${url} ${what}; next attempt in ${Math.ceil(waitMs / 1000)} s`);
      await sleep(waitMs);
    }
  }
}

/** What Retry-After says, in seconds or as a date; else 1, 2, 4 … seconds. */
export function waitOf(retryAfter: string | undefined, attempt: number, now = Date.now()): number {
  const seconds = Number(retryAfter);
  const until = retryAfter === undefined ? Number.NaN : Date.parse(retryAfter);
  const asked =
    retryAfter !== undefined && Number.isFinite(seconds)
      ? seconds * 1000
      : Number.isNaN(until)
        ? 1000 * 2 ** (attempt - 1)
        : until - now;
  return Math.min(maxWaitMs, Math.max(0, asked));
}

function readJson(body: Buffer, url: string): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new ApiProblem(`${url} did not answer with JSON.`);
  }
}

/** An object of an answer; members that are missing are undefined. */
export type Json = { [name: string]: unknown };
export const objectOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
export const objectsOf = (value: unknown): Json[] => (Array.isArray(value) ? value.map(objectOf) : []);
export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';

/** The entries of all pages by offset, until one is not full. */
export async function* offsetPages(
  size: number,
  read: (offset: number, size: number) => Promise<Json[]>,
): AsyncGenerator<Json> {
  for (let offset = 0; ; offset += size) {
    const page = await read(offset, size);
    yield* page;
    if (page.length < size) return;
  }
}
