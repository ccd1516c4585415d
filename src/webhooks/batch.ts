// Which of the waiting events travel in one request, and the bytes of its body in either format.
// The body is written from the events' stored JSON text, so that what a receiver gets is what was stored; in the classic
// format, times are numbers.

export type Format = 'standard' | 'classic';

export type Waiting = {
  /** The row in the outbox. */
  id: number;
  eventId: string;
  type: string;
  /** `data` as JSON text. */
  payload: string;
  /** Attempts with this event alone that failed. */
  failures: number;
};

/** A webhook begins with as many: the default of webhook_delivery.batch_limit. */
export const maxEvents = 100;
export const maxBytes = 256 * 1024;
/** Bytes around the events of a body, at most, and between two of them. */
const frameBytes = 200;

/**
 * The first of the waiting events that fit in one request; at least one. The classic format names its type once for
 * the request, so there the request ends where the type changes. An event that failed alone is sent alone.
 */
export function chooseBatch<T extends Waiting>(waiting: readonly T[], format: Format, limit = maxEvents): T[] {
  const first = waiting[0];
  if (!first) return [];
  const chosen: T[] = [];
  let bytes = frameBytes;
  for (const event of waiting) {
    bytes += Buffer.byteLength(event.payload) + event.type.length + 24;
    const full = chosen.length === limit || bytes > maxBytes;
    const ends = full || event.failures > 0 || (format === 'classic' && event.type !== first.type);
    if (chosen.length > 0 && ends) break;
    chosen.push(event);
    if (event.failures > 0) break;
  }
  return chosen;
}

/** The bytes of a request. @param at seconds since 1970 */
export function writeBody(events: readonly Waiting[], format: Format, at: number): Buffer {
  if (format === 'classic') {
    const data = events.map((event) => timesInSeconds(event.payload)).join(',');
    return Buffer.from(`{"hook":${JSON.stringify(events[0]!.type)},"timestamp":${at},"data":[${data}]}`);
  }
  const listed = events.map((event) => `{"type":${JSON.stringify(event.type)},"data":${event.payload}}`).join(',');
  return Buffer.from(`{"timestamp":${at},"events":[${listed}]}`);
}

/** The times of an event as seconds since 1970, as receivers of the classic format read them; '' where there is none. */
function timesInSeconds(payload: string): string {
  const data = JSON.parse(payload) as Record<string, unknown>;
  for (const [name, value] of Object.entries(data)) {
    if (!/^(\w+_)?ts$/.test(name) || typeof value !== 'string') continue;
    const at = Date.parse(`${value.replace(' ', 'T')}Z`);
    if (!Number.isNaN(at)) data[name] = at / 1_000;
  }
  return JSON.stringify(data);
}
