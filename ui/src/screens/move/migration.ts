// What the screens of a move know of a migration.
import type { ResultOf } from '../../api/types.ts';
import type { Tone } from '../../parts/status/status.tsx';

export type Migration = ResultOf<'migrationGet'>;
export type MovedList = Migration['lists'][number];
type Counts = MovedList['result'];

export type Source = Migration['source'];

export const sourceNames: Record<Source, string> = {
  mailchimp: 'Mailchimp',
  listmonk: 'listmonk',
  mailtrain: 'Mailtrain',
  keila: 'Keila',
  brevo: 'Brevo',
};
export const sources = Object.keys(sourceNames) as Source[];

export const tones: Record<Migration['state'], Tone> = {
  reading: 'busy',
  checked: 'waiting',
  running: 'busy',
  stopped: 'still',
  failed: 'bad',
  done: 'good',
};

export const steps = ['files', 'check', 'move'] as const;

/** The sum of a count over all lists, of what would happen or of what has happened. */
export const sumOf = ({ lists }: Migration, of: 'predicted' | 'result', name: keyof Counts): number =>
  lists.reduce((sum, list) => sum + (countsOf(list, of)[name] ?? 0), 0);

/** What would happen is not known before the check. */
export const countsOf = (list: MovedList, of: 'predicted' | 'result'): Partial<Counts> => list[of];
