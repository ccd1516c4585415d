/** What an event brings into an automation, as automation_signal and automation_run have it. `at`: ISO 8601. */
export type EnteringEvent = { name: string; at: string; value: number | null; data: Record<string, unknown> };

/** An event that waits to be taken. `until`: it happened before then; left out where `at` is exact to the millisecond. */
export type SignalledEvent = EnteringEvent & { until?: string };

/** The first moment at which an event has certainly happened: of a time in whole seconds or days, the end of that second or day. */
export const endOfEvent = ({ at, until }: SignalledEvent): Date =>
  until === undefined ? new Date(Date.parse(at) + 1) : new Date(until);

/** Whether an event happened so long before it was reported that it lets no one in. */
export const isReportedLate = (event: SignalledEvent, reportedAt: Date, latenessMs: number): boolean =>
  reportedAt.getTime() - endOfEvent(event).getTime() > latenessMs;

/** In place of the name of an event, of what a request to the trigger webhook says. No event has it. */
export const requestName = '';
