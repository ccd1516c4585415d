// What the client for addresses that users typed does (outbound): its requests, and their results.

export type ExchangeLimits = {
  /** From now to the last byte. */
  totalMs: number;
  connectMs: number;
  /** From the connection to the end of the answer's headers. */
  headersMs: number;
  maxBytes: number;
  /** What happens beyond maxBytes: the answer fails, or is cut there. */
  overflow: 'fail' | 'cut';
  /** An answer that comes slower on average, 5 s after its first byte, is given up. */
  minBytesPerS: number;
};

export type Failure = 'refused' | 'unreachable' | 'timeout' | 'too_large' | 'protocol' | 'redirects' | 'aborted';

export type OutboundRequest = Partial<ExchangeLimits> & {
  method?: string;
  /** Sent as they are; Host, Connection and Content-Length are ours. */
  headers?: Record<string, string>;
  body?: Uint8Array | string;
  /** `never`: a redirect is an answer like any other. `follow-checked`: GET and HEAD only, each hop is checked again. */
  redirects?: 'never' | 'follow-checked';
  maxRedirects?: number;
  /** Whether an encoded body, which is never asked for, is decoded under the same cap, or left as it came. */
  decode?: boolean;
  /** Connections are kept for later requests with the same key, scheme, name and address. */
  agentKey?: string;
  /** A failure is returned only at a multiple of this, so that its timing reveals nothing. */
  padFailureMs?: number;
  signal?: AbortSignal;
};

export type OutboundResult =
  | {
      ok: true;
      status: number;
      /** Names in lower case. */
      headers: Record<string, string>;
      body: Buffer;
      /** Whether the body was cut at maxBytes. */
      cut: boolean;
      finalUrl: string;
      ms: number;
    }
  | {
      ok: false;
      why: Failure;
      /** For the log only: it names addresses and causes. */
      detail: string;
      /** Of the name, the connection, TLS or HTTP; '' for none. */
      code: string;
      ms: number;
    };

export type Outbound = {
  /** Never throws for anything the address, the network or the server does. */
  fetch(url: string, request?: OutboundRequest): Promise<OutboundResult>;
  /** What fetch decides before it connects, without connecting. */
  judge(url: string): Promise<{ ok: true; addresses: string[] } | { ok: false; why: Failure; detail: string }>;
  /** The same for a server of another protocol, at a name or address and any port. */
  judgeHost(
    host: string,
    port: number,
  ): Promise<{ ok: true; addresses: string[] } | { ok: false; why: Failure; detail: string }>;
  /** Closes the kept connections. */
  close(): void;
};
