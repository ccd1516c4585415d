// The name of an event that eventSend reports, as triggers and steps take it.
import { line } from '../../method/params.ts';

export const eventName = line('event, wait_for: the name of the event.', 100).optional();
