// What the screens of a move know of a migration.
import type { ResultOf } from '../../api/types.ts';
import type { Tone } from '../../parts/status/status.tsx';

export type Migration = ResultOf<'migrationGet'>;
export type MovedList = Migration['lists'][number];

export const sources = ['mailchimp', 'listmonk', 'mailtrain', 'keila', 'brevo'] as const;
export type Source = (typeof sources)[number];

export const sourceNames: Record<string, string> = {
  mailchimp: 'Mailchimp',
  listmonk: 'listmonk',
  mailtrain: 'Mailtrain',
  keila: 'Keila',
  brevo: 'Brevo',
};

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
export const sumOf = ({ lists }: Migration, of: 'predicted' | 'result', name: string): number =>
  lists.reduce((sum, list) => sum + ((list[of] as Record<string, number>)[name] ?? 0), 0);
