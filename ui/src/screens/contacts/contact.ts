// Types of a contact and its activity, and their texts: source, consent, and reason of suppression.
import type { ResultOf } from '../../api/types.ts';
import type { Translate } from '../../text/use-text.tsx';

export type Contact = ResultOf<'contactGet'>;
export type TimelineEntry = ResultOf<'contactTimeline'>[number];

const suppressionReasons = ['manual', 'api', 'bounce', 'complaint', 'unsubscribe', 'erased'] as const;

/** The text for "address: bounce", "domain: manual" or "hash: erased". */
export function suppressionText(t: Translate<'contacts'>, suppression: string): string {
  const [kind, reason = ''] = suppression.split(': ');
  const known = suppressionReasons.find((name) => name === reason);
  const why = known ? t(`reason.${known}`) : reason;
  return t(kind === 'domain' ? 'suppressedDomain' : 'suppressedAddress', { why });
}

const sources = ['subscriber', 'admin', 'api', 'import'] as const;

export function sourceText(t: Translate<'contacts'>, source: string): string {
  const known = sources.find((name) => name === source);
  return known ? t(`source.${known}`) : source;
}

/** The labelled parts of a consent record; only those that were stored. A part without a label is a sentence. */
export function agreementOf(
  t: Translate<'contacts'>,
  { form = '', shown = '', consent = '', language = '', grounds = '', how = '' }: Record<string, string>,
): [name: string, text: string][] {
  const all: [name: string, text: string][] = [
    [t('agreedForm'), form === 'preferences' ? t('preferencePage') : shortened(form)],
    [t('agreedShown'), shown.trim()],
    [t('agreedConsent'), consent],
    [t('agreedLanguage'), language],
    [t('agreedGrounds'), grounds],
    how === 'undo' ? ['', t('returned')] : [t('confirmedHow'), isHow(how) ? t(`how.${how}`) : how],
  ];
  return all.filter(([, text]) => text !== '');
}

/** The ways to confirm (src/audience/confirmation/confirmation-count.ts); "undo" is the button after leaving (src/pages/return.ts). */
const isHow = (how: string): how is 'automatic' | 'button' | 'one_click' =>
  ['automatic', 'button', 'one_click'].includes(how);

/** The id of a form, as far as people compare it. */
const shortened = (id: string) => (/^[0-9a-f]{32}$/.test(id) ? `${id.slice(0, 8)} …` : id);
