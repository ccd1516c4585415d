// The first seconds of sending: what is going on before there is a rate, and how long an estimate is a rough one.
import type { ProgressFigures } from '../delivery.tsx';
import { remaining } from './remaining.ts';

type Figures = Pick<
  ProgressFigures,
  | 'delivery_status'
  | 'status_reason'
  | 'recipients'
  | 'recipients_complete'
  | 'waits_for'
  | 'rate'
  | 'queued'
  | 'trying'
  | 'later'
>;

export type Beginning = 'undo' | 'launching' | 'first' | 'recording';

/** @returns undefined once there is a rate for all recipients, and when something else is said about what they wait for */
export function beginningOf(figures: Figures, undoSecondsLeft: number): Beginning | undefined {
  const { delivery_status: state, status_reason, waits_for, recipients, recipients_complete, rate } = figures;
  if (status_reason !== '' || waits_for !== '') return undefined;
  if (state === 'launching') return undoSecondsLeft > 0 ? 'undo' : 'launching';
  if (state !== 'sending' || figures.queued + figures.trying === 0) return undefined;
  if (rate === 0 && remaining(figures) === recipients) return 'first';
  return recipients_complete ? undefined : 'recording';
}

/** As long as the rate is measured over less than this time. */
const youngMs = 10_000;

/** A rate of the campaign, and when the page got it. */
export type Reading = { rate: number; at: number };

/** Whether sending began so recently, or again so recently, that its rate is a rough estimate. */
export function isYoung(readings: readonly Reading[], begunMs: number, nowMs: number): boolean {
  const isRecent = (at: number) => at <= nowMs && nowMs - at < youngMs;
  return isRecent(begunMs) || readings.some(({ rate, at }) => rate === 0 && isRecent(at));
}
