// The only HTTP client for addresses that users entered: imports, feeds, webhooks, images to inline.
// Connects only to an address that was checked (addresses.ts) in the same call, again at every redirect; uses no proxy,
// cookie or stored credential; and keeps every limit. What a response means is left to the caller; publicReason() is what a
// user may learn about a failure.

import { isUtf8 } from 'node:buffer';
import type { ClientRequestArgs } from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { rootCertificates } from 'node:tls';
import { type Message, message } from '../messages.ts';
import type { ExchangeLimits, Failure, Outbound, OutboundRequest, OutboundResult } from '../outbound-client.ts';
import { inSpan } from '../spans.ts';
import { parseRange, type Range, refusal, specialUseOf } from './addresses.ts';
import { type Exchange, exchange, http } from './exchange.ts';
import { inflate } from './inflate.ts';
import { createResolve } from './resolve.ts';
import { readTarget } from './target.ts';

export type OutboundSettings = {
  /** Ranges (`10.1.0.0/16`, `10.1.0.0/16:443`) and addresses that may be reached although they are not public. */
  allow?: readonly string[];
  /** Name servers as `address:port` instead of the system's. */
  nameServers?: readonly string[];
  /** '' for none. */
  hostsFile?: string;
  /** Trusted besides the usual ones, as PEM. */
  caCertificates?: readonly string[];
};

const usual: ExchangeLimits = {
  totalMs: 15_000,
  connectMs: 5_000,
  headersMs: 15_000,
  maxBytes: 1024 * 1024,
  overflow: 'fail',
  minBytesPerS: 100,
};
/** How many addresses of a name are tried. */
const addressesTried = 4;
/** A name with more addresses than this is refused. */
const maxAddresses = 64;
const redirectStatuses = new Set([301, 302, 303, 307, 308]);

export function createOutbound(settings: OutboundSettings = {}): Outbound {
  const client = new OutboundClient(settings);
  return {
    fetch: (url, request) => client.fetch(url, request),
    judge: (url) => client.judge(url),
    judgeHost: (host, port) => client.judgeHost(host, port),
    close: () => client.close(),
  };
}

class OutboundClient {
  readonly #allow: Range[];
  readonly #resolve: ReturnType<typeof createResolve>;
  readonly #certificateAuthorities: string[] | undefined;
  readonly #agents = { 'http:': new KeptHttp(keeping), 'https:': new KeptHttps(keeping) };

  constructor(settings: OutboundSettings) {
    this.#allow = (settings.allow ?? []).map(range);
    this.#resolve = createResolve(settings.nameServers, settings.hostsFile);
    this.#certificateAuthorities = settings.caCertificates?.length
      ? [...rootCertificates, ...settings.caCertificates]
      : undefined;
  }

  /** The span names the host only: paths and queries may contain secrets. */
  fetch(url: string, request: OutboundRequest = {}): Promise<OutboundResult> {
    const method = request.method ?? 'GET';
    const attributes = {
      'http.request.method': method,
      'server.address': URL.canParse(url) ? new URL(url).hostname : '',
    };
    return inSpan(`HTTP ${method}`, { kind: 'client', attributes }, async (span) => {
      const result = await this.#fetch(url, request);
      if (result.ok) span.set({ 'http.response.status_code': result.status });
      else span.fail(result.why);
      return result;
    });
  }

  async #fetch(url: string, request: OutboundRequest): Promise<OutboundResult> {
    const startedAt = performance.now();
    const deadline = startedAt + (request.totalMs ?? usual.totalMs);
    let outcome = await this.#follow(url, request, deadline);
    if (outcome.ok && request.decode) outcome = await decoded(outcome, request.maxBytes ?? usual.maxBytes);
    const pad = request.padFailureMs ?? 0;
    if (!outcome.ok && pad > 0) {
      const until = startedAt + Math.ceil((performance.now() - startedAt) / pad) * pad;
      // A timer ignores fractions of a millisecond and may fire a millisecond early.
      for (let left = until - performance.now(); left > 0; left = until - performance.now())
        await sleep(Math.ceil(left), undefined, { ref: true });
    }
    const ms = Math.round(performance.now() - startedAt);
    if (!outcome.ok) return { ok: false, why: outcome.why, detail: outcome.detail, code: outcome.code ?? '', ms };
    const { status, headers, body, cut, finalUrl } = outcome;
    return { ok: true, status, headers, body, cut, finalUrl, ms };
  }

  async judge(text: string): Promise<Judged> {
    const target = readTarget(text);
    if (!target.ok) return { ok: false, why: 'refused', detail: target.detail };
    return this.#judgeHost(target, usual.connectMs);
  }

  async judgeHost(host: string, port: number): Promise<Judged> {
    // One reading of a text: the URL Standard's, which takes 0x7f.1 for an address.
    const target = readTarget(`https://${isIP(host) === 6 ? `[${host}]` : host}/`);
    if (!target.ok) return { ok: false, why: 'refused', detail: target.detail };
    return this.#judgeHost({ host: target.host, port }, usual.connectMs);
  }

  close(): void {
    this.#agents['http:'].destroy();
    this.#agents['https:'].destroy();
  }

  async #judgeHost({ host, port }: { host: string; port: number }, withinMs: number): Promise<Judged> {
    const resolution = await this.#resolve(host, withinMs);
    if (!resolution.ok) return { ...resolution, why: resolution.timedOut ? 'timeout' : 'unreachable' };
    const { addresses } = resolution;
    if (addresses.length > maxAddresses) return { ok: false, why: 'refused', detail: `${host}: too many addresses` };
    // A refused address among public ones is no accident: the whole name is refused.
    for (const address of addresses) {
      const reason = refusal(address, this.#allow, port);
      if (reason !== null) return { ok: false, why: 'refused', detail: `${host} is ${address}: ${reason}` };
    }
    return { ok: true, addresses };
  }

  /** Sends the request and follows redirects, each target checked like the first. */
  async #follow(text: string, request: OutboundRequest, deadline: number): Promise<Outcome> {
    const method = request.method ?? 'GET';
    const follows = request.redirects === 'follow-checked' && (method === 'GET' || method === 'HEAD');
    let headers = lowerNames(request.headers ?? {});
    let target = readTarget(text);
    for (let redirects = 0; ; redirects++) {
      if (!target.ok) return { ok: false, why: 'refused', detail: target.detail };
      const { url } = target;
      const judged = await this.#judgeHost(target, Math.max(1, deadline - performance.now()));
      if (!judged.ok) return judged;
      const answer = await this.#reach(
        judged.addresses,
        { url, port: target.port, method, headers },
        request,
        deadline,
      );
      if (!answer.ok) return answer;
      const location = answer.headers['location'];
      if (!follows || location === undefined || !redirectStatuses.has(answer.status)) {
        return { ...answer, finalUrl: url.href };
      }
      if (redirects >= (request.maxRedirects ?? 3)) return { ok: false, why: 'redirects', detail: `at ${url.href}` };
      target = readTarget(asUtf8(location), url);
      if (target.ok && target.url.origin !== url.origin) headers = withoutCredentials(headers);
      if (target.ok && target.secure === false && url.protocol === 'https:') {
        return { ok: false, why: 'refused', detail: `redirect from https to ${target.url.href}` };
      }
    }
  }

  /** Tries the addresses in turn until one accepts the connection. */
  async #reach(
    addresses: readonly string[],
    wire: { url: URL; port: number; method: string; headers: Record<string, string> },
    request: OutboundRequest,
    deadline: number,
  ): Promise<Exchange> {
    const body = typeof request.body === 'string' ? Buffer.from(request.body) : request.body;
    const headers = body ? { ...wire.headers, 'content-length': String(body.length) } : wire.headers;
    const { agentKey, signal } = request;
    const send = (address: string, fresh: boolean) => {
      const limits = { ...usual, ...defined(request), totalMs: Math.max(1, deadline - performance.now()) };
      const agent = fresh || agentKey === undefined ? undefined : this.#agents[wire.url.protocol as 'http:' | 'https:'];
      const certificateAuthorities = this.#certificateAuthorities;
      return exchange({ ...wire, headers, address, body, limits, agent, agentKey, certificateAuthorities, signal });
    };
    let result: Exchange | undefined;
    for (const address of addresses.slice(0, addressesTried)) {
      result = await send(address, false);
      // The server closed a kept connection as it was used. There was no response, so the request is sent once more.
      if (!result.ok && result.stale) result = await send(address, true);
      if (result.ok || result.connected || result.why === 'aborted' || performance.now() >= deadline) break;
    }
    return result!;
  }
}

/**
 * What a user may learn: one text for every failure before a well-formed response, so that closed, refused, private,
 * unknown and silent addresses look the same. A size is mentioned, since only a reached server has one. A URL that contains
 * a private address gets a text about it, the same whether it is allowed or not.
 */
export function publicReason(result: { why: Failure }, url: string): Message {
  if (result.why === 'too_large') return message('fetch.too_large');
  const target = readTarget(url);
  const use = target.ok ? specialUseOf(target.host) : null;
  return target.ok && use !== null
    ? message('fetch.private', { address: target.host, use, setting: 'OUTBOUND_ALLOW' })
    : message('fetch.failed');
}

type Judged = { ok: true; addresses: string[] } | Failed;
type Failed = { ok: false; why: Failure; detail: string; code?: string };
type Outcome = (Extract<Exchange, { ok: true }> & { finalUrl: string }) | Failed;

/** Idle connections live this long, at most two for each key and address. */
const keeping = { keepAlive: true, timeout: 30_000, maxFreeSockets: 2 };

class KeptHttp extends http.Agent {
  override getName(options: ClientRequestArgs & { agentKey?: string } = {}): string {
    return `${options.agentKey} ${super.getName(options)}`;
  }
}

class KeptHttps extends https.Agent {
  override getName(options: https.RequestOptions & { agentKey?: string } = {}): string {
    return `${options.agentKey} ${super.getName(options)}`;
  }
}

async function decoded(outcome: Extract<Outcome, { ok: true }>, maxBytes: number): Promise<Outcome> {
  const encoding = (outcome.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity' || encoding === '' || outcome.body.length === 0) return outcome;
  const inflated = await inflate(outcome.body, encoding, maxBytes);
  return inflated.ok ? { ...outcome, body: inflated.body } : inflated;
}

function range(text: string): Range {
  const parsed = parseRange(text);
  if (!parsed) throw new Error(`"${text}" is not a network range such as 10.0.0.0/8`);
  return parsed;
}

/** A header's bytes arrive as Latin-1; where a server writes UTF-8 into Location, browsers read it so. */
function asUtf8(header: string): string {
  const bytes = Buffer.from(header, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : header;
}

/** Without undefined limits, which would override the defaults. */
function defined(request: OutboundRequest): Partial<ExchangeLimits> {
  const names = Object.keys(usual) as (keyof ExchangeLimits)[];
  return Object.fromEntries(names.filter((name) => request[name] !== undefined).map((name) => [name, request[name]]));
}

function lowerNames(headers: Record<string, string>): Record<string, string> {
  const lower: Record<string, string> = { 'user-agent': 'Postrider', accept: '*/*', 'accept-encoding': 'identity' };
  for (const [name, value] of Object.entries(headers)) lower[name.toLowerCase()] = value;
  for (const ours of ['host', 'connection', 'content-length', 'transfer-encoding', 'expect', 'upgrade'])
    delete lower[ours];
  return lower;
}

function withoutCredentials(headers: Record<string, string>): Record<string, string> {
  const { authorization: _a, cookie: _c, 'proxy-authorization': _p, ...rest } = headers;
  return rest;
}
