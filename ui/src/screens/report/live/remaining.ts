// How many recipients of a campaign have no outcome yet.
import type { ProgressFigures } from '../delivery.tsx';

type Figures = Pick<ProgressFigures, 'recipients' | 'queued' | 'trying' | 'later'>;

/** Those who wait, whose message is being sent, and who are tried again later. */
export const remaining = ({ queued, trying, later }: Omit<Figures, 'recipients'>): number => queued + trying + later;

/**
 * The share of recipients with an outcome, 0 to 1, in tenths of a percent: the page and the title of the browser tab show the same.
 * Rounded down, and all of it only at the end: some may still wait for a decision.
 */
export function shareDone(figures: Figures & Pick<ProgressFigures, 'delivery_status'>): number {
  if (figures.recipients === 0) return 0;
  const tenths = Math.floor(((figures.recipients - remaining(figures)) / figures.recipients) * 1_000);
  return (figures.delivery_status === 'sent' ? tenths : Math.min(tenths, 999)) / 1_000;
}
