// How many recipients of a campaign have no outcome yet.
import type { ProgressFigures } from '../delivery.tsx';

type Figures = Pick<ProgressFigures, 'recipients' | 'queued' | 'trying' | 'later'>;

/** Those who wait, whose message is being sent, and who are tried again later. */
export const remaining = ({ queued, trying, later }: Omit<Figures, 'recipients'>): number => queued + trying + later;

/** The share of recipients with an outcome, in whole percent, for the title of the browser tab. */
export const percentDone = (figures: Figures): number =>
  figures.recipients > 0 ? Math.floor(((figures.recipients - remaining(figures)) / figures.recipients) * 100) : 0;
