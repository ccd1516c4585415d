// The types of postrider/receiver.
import type { IncomingMessage, ServerResponse } from 'node:http';

export type WebhookEvent = { type: string; data: { id: string } & Record<string, unknown> };
/** Events may arrive more than once; data.id identifies them. */
export type Delivery = { timestamp: number; events: WebhookEvent[] };

export type ReceiverOptions = {
  /** The webhook's secret; without one nothing is checked. */
  secret?: string | undefined;
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

/** What to answer a request, and the delivery if there is one to act on; a body of the classic format comes as one too. */
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
