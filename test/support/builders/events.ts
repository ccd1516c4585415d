// Events with made-up data, for tests of the outbox and the dispatcher, which do not look into the data.
import type { Event } from '../../../src/events/emit.ts';
import type { EventSource, EventType } from '../../../src/events/types.ts';

export const madeUpEvent = (type: EventType, data: Record<string, unknown>, source: EventSource = 'api'): Event =>
  ({ type, source, data }) as unknown as Event;
