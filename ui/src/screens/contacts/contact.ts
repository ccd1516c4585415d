// A person, what happened with it, who did it, what was agreed to, and why it gets no mail.
import type { ResultOf } from '../../api/types.ts';
import type { useText } from '../../text/use-text.tsx';

export type Contact = ResultOf<'contactInfo'>;
export type TimelineEntry = ResultOf<'contactTimeline'>[number];

type Words = ReturnType<typeof useText<'contacts'>>;

const suppressionReasons = ['manual', 'api', 'bounce', 'complaint', 'unsubscribe', 'erased'] as const;

/** "address: bounce", "domain: manual" and "hash: erased" in words. */
export function suppressionWords(t: Words, told: string): string {
  const [kind, reason = ''] = told.split(': ');
  const known = suppressionReasons.find((one) => one === reason);
  const why = known ? t(`reason.${known}`) : reason;
  return t(kind === 'domain' ? 'suppressedDomain' : 'suppressedAddress', { why });
}

const sources = ['subscriber', 'admin', 'api', 'import'] as const;

export function sourceWords(t: Words, source: string): string {
  const known = sources.find((one) => one === source);
  return known ? t(`source.${known}`) : source;
}

/** What was shown and agreed to, each with its name; nothing where nothing was kept. */
export function agreementOf(
  t: Words,
  { form = '', shown = '', consent = '', language = '', grounds = '' }: Record<string, string>,
): [name: string, text: string][] {
  const all: [name: string, text: string][] = [
    [t('agreedForm'), form === 'preferences' ? t('preferencePage') : form],
    [t('agreedShown'), shown.trim()],
    [t('agreedConsent'), consent],
    [t('agreedLanguage'), language],
    [t('agreedGrounds'), grounds],
  ];
  return all.filter(([, text]) => text !== '');
}
