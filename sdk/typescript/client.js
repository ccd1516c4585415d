// The runtime of the TypeScript SDK: one HTTP request per call, retries that cannot repeat an effect, and iteration over pages.
// No dependencies; needs fetch (Node 18 or later, browsers, Deno, Bun).
import { methods } from './methods.js';

/** A fault of the API, or a request without an answer. */
export class PostriderError extends Error {
  /**
   * @param {string} message
   * @param {{ method: string, code?: number, status?: number, text?: object, retryAfter?: number, cause?: unknown }} details
   */
  constructor(message, { method, code = 0, status = 0, text, retryAfter, cause }) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'PostriderError';
    this.method = method;
    this.code = code;
    this.status = status;
    this.text = text;
    this.retryAfter = retryAfter;
  }
}

export class Postrider {
  #url;
  #apiKey;
  #timeoutMs;
  #maxRetries;
  #fetch;

  constructor({ url, apiKey, timeoutMs = 30_000, maxRetries = 3, fetch = globalThis.fetch }) {
    if (!url) throw new TypeError('url is missing: the address of the installation, such as https://mail.example.com');
    if (!apiKey) throw new TypeError('apiKey is missing');
    this.#url = String(url).replace(/\/+$/, '');
    this.#apiKey = apiKey;
    this.#timeoutMs = timeoutMs;
    this.#maxRetries = maxRetries;
    this.#fetch = fetch;
  }

  async call(method, params = {}, options = {}) {
    const known = methods[method] ?? {};
    const given =
      known.idempotent && params.idempotency_key === undefined ? { ...params, idempotency_key: newKey() } : params;
    const maxRetries = options.maxRetries ?? this.#maxRetries;
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#request(method, given, options);
      } catch (error) {
        const isSafe = known.reads || known.idempotent || changedNothing(error);
        if (attempt >= maxRetries || options.signal?.aborted || !isSafe || !isPassing(error)) throw error;
        await pause(error.retryAfter === undefined ? 250 * 2 ** attempt : error.retryAfter * 1_000, options.signal);
      }
    }
  }

  async *iterate(method, params = {}, options = {}) {
    const { pages } = methods[method] ?? {};
    if (!pages) throw new TypeError(`${method} returns no pages`);
    if (pages === 'cursor') {
      for (let cursor = params.cursor; ; ) {
        const { data, next } = await this.call(method, { ...params, ...(cursor && { cursor }) }, options);
        yield* data;
        if (!next) return;
        cursor = next;
      }
    }
    const limit = params.limit ?? 100;
    for (let start = params.start ?? 0; ; start++) {
      const page = await this.call(method, { ...params, start, limit }, options);
      const rows = Array.isArray(page) ? page : page.data;
      yield* rows;
      if (rows.length < limit || page.more === false) return;
    }
  }

  async #request(method, params, { signal, timeoutMs = this.#timeoutMs }) {
    const limit = AbortSignal.timeout(timeoutMs);
    let response;
    let body;
    try {
      response = await this.#fetch(`${this.#url}/api/${encodeURIComponent(method)}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${this.#apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(params),
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
      });
      body = await response.text();
    } catch (cause) {
      if (signal?.aborted) throw signal.reason;
      throw new PostriderError(`${method} got no answer: ${cause.message}`, { method, cause });
    }
    const value = parsed(body);
    if (response.ok && value !== undefined) return value;
    const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
    throw new PostriderError(value?.error ?? `${method} got HTTP ${response.status}`, {
      method,
      status: response.status,
      ...(value?.code !== undefined && { code: value.code }),
      ...(value?.text && { text: value.text }),
      ...(Number.isFinite(retryAfter) && { retryAfter }),
    });
  }
}

for (const name of Object.keys(methods))
  Postrider.prototype[name] = function (params, options) {
    return this.call(name, params, options);
  };

function parsed(body) {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Whether the same call may succeed later: no answer, too many calls, or a server that is unavailable for a moment. */
const isPassing = (error) => error instanceof PostriderError && [0, 429, 502, 503, 504].includes(error.status);

/** Whether the server says that the call had no effect. */
const changedNothing = (error) =>
  error instanceof PostriderError && (error.status === 429 || error.text?.key === 'call.nothing_changed');

const newKey = () => globalThis.crypto.randomUUID();

function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, ms);
    signal?.addEventListener('abort', end, { once: true });
  });
}
