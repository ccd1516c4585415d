// The types of postrider/receiver.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { WebhookEvent } from './events.js';

export type { EventData, WebhookEvent } from './events.js';

/** Events may arrive more than once; data.id identifies them. In the classic format, times are seconds since 1970. */
export type Delivery = { timestamp: number; events: WebhookEvent[] };

/** Remembers the events that were acted on, by their ids. */
export type SeenIds = {
  has(id: string): boolean | Promise<boolean>;
  add(ids: string[]): void | Promise<void>;
};

/** In the memory of this process; the oldest of more than maxIds (100,000) are forgotten. */
export declare function memorySeen(maxIds?: number): SeenIds;

export type ReceiverOptions = {
  /** The webhook's secret; without one nothing is checked. */
  secret?: string | undefined;
  /** How old a request may be: 300 is usual. Then the headers of Standard Webhooks are checked in place of X-Service-Signature, which any age passes. */
  toleranceSeconds?: number | undefined;
  /** With it, events that were acted on before are left out of deliveries. */
  seen?: SeenIds | undefined;
  /** Called for every delivery that may be believed; when it throws, 500 is answered and the delivery comes again. */
  onDelivery: (delivery: Delivery) => void | Promise<void>;
};

/** The name of the header, in lower case. */
export declare const signatureHeader: 'x-service-signature';

/** Whether a request may be believed. `rawBody` must be the bytes as they came. */
export declare function verify(
  rawBody: Uint8Array | string,
  header: string | undefined,
  secret: string | undefined,
): boolean;

/** The headers of a request: by their names in lower case, or those of a WHATWG Request. */
export type RequestHeaders = Record<string, string | string[] | undefined> | { get(name: string): string | null };

/** Whether a request may be believed and, with toleranceSeconds, is recent. `now` is in seconds since 1970. */
export declare function verifyRequest(
  rawBody: Uint8Array | string,
  headers: RequestHeaders,
  secret: string | undefined,
  toleranceSeconds?: number,
  now?: number,
): boolean;

/** What to answer a request that, with toleranceSeconds, must be recent, and the delivery if there is one to act on. */
export declare function receiveRequest(
  rawBody: Uint8Array | string,
  headers: RequestHeaders,
  options?: { secret?: string | undefined; toleranceSeconds?: number | undefined; now?: number },
): { status: number; text: string; delivery?: Delivery };

/** What to answer a request, by X-Service-Signature alone, and the delivery if there is one to act on; a body of the classic format comes as one too. */
export declare function receive(
  rawBody: Uint8Array | string,
  header: string | undefined,
  secret: string | undefined,
): { status: number; text: string; delivery?: Delivery };

export declare function nodeListener(
  options: ReceiverOptions,
): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
export declare function expressHandler(
  options: ReceiverOptions,
): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
export declare function fastifyPlugin(
  // biome-ignore lint/suspicious/noExplicitAny: a type of Fastify's here would make it a dependency of receivers
  fastify: any,
  options: ReceiverOptions & { path?: string },
): Promise<void>;
export declare function fetchHandler(options: ReceiverOptions): (request: Request) => Promise<Response>;
