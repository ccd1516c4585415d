// Dates in parameters and answers: `YYYY-MM-DD HH:MM:SS`, GMT. In an answer '' means "not yet".
import { fault } from '../base/faults.ts';

export function formatDate(at: Date | null | undefined): string {
  return at ? at.toISOString().slice(0, 19).replace('T', ' ') : '';
}

/** A time in GMT as YYYY-MM-DD, with HH:MM:SS or without. @throws Fault DATE_INVALID */
export function needTime(value: string, member: string): Date {
  const match = /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2}:\d{2}))?$/.exec(value.trim());
  const at = new Date(`${match?.[1]}T${match?.[2] ?? '00:00:00'}Z`);
  // Date rolls 30 February over into March; we do not.
  if (!match || Number.isNaN(at.getTime()) || !at.toISOString().startsWith(match[1]!))
    throw fault('DATE_INVALID', 'parameter.not_a_time', { member, value: value.slice(0, 40) });
  return at;
}
