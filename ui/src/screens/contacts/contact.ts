// A person, what happened with it, and why it gets no mail.
import type { ResultOf } from '../../api/types.ts';
import type { useText } from '../../text/use-text.tsx';

export type Contact = ResultOf<'contactInfo'>;
export type TimelineEntry = ResultOf<'contactTimeline'>[number];

const suppressionReasons = ['manual', 'api', 'bounce', 'complaint', 'unsubscribe', 'erased'] as const;

/** "address: bounce" and "domain: manual" in words. */
export function suppressionWords(t: ReturnType<typeof useText<'contacts'>>, told: string): string {
  const [kind, reason = ''] = told.split(': ');
  const known = suppressionReasons.find((one) => one === reason);
  const why = known ? t(`reason.${known}`) : reason;
  return t(kind === 'domain' ? 'suppressedDomain' : 'suppressedAddress', { why });
}
