// Times of the day as people read and type them, in a language and without a zone: proposals for a schedule. Pure.
import { fieldTime } from './zone-time.ts';

export type Proposal = { name: 'today' | 'tomorrow' | 'monday'; time: string };

const [morning, evening] = ['09:00', '18:00'];

/** Good times to send, soonest first, as values of a datetime-local field in the zone. */
export function proposals(now: Date, zone: string): Proposal[] {
  const today = fieldTime(now, zone).slice(0, 10);
  const clock = fieldTime(now, zone).slice(11);
  const weekday = new Date(`${today}T00:00:00Z`).getUTCDay();
  const untilMonday = (8 - weekday) % 7 || 7;
  const found: Proposal[] = [];
  if (clock < '17:30') found.push({ name: 'today', time: `${today}T${evening}` });
  found.push({ name: 'tomorrow', time: `${daysAfter(today, 1)}T${morning}` });
  // On a Sunday, Monday is tomorrow.
  if (untilMonday > 1) found.push({ name: 'monday', time: `${daysAfter(today, untilMonday)}T${morning}` });
  return found;
}

const daysAfter = (day: string, days: number) =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);

/** Whether the language counts to twelve twice a day. */
export const countsToTwelve = (language: string): boolean =>
  new Intl.DateTimeFormat(language, { hour: 'numeric' }).resolvedOptions().hour12 === true;
