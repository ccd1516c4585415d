// When an autoresponder sends, in words. Each case is one text: languages join a distance and an occasion in different ways.
import type { Translate } from '../../text/use-text.tsx';
import type { Found } from './types.ts';

type Start = Pick<Found, 'amount' | 'unit' | 'direction' | 'event' | 'field'>;

export function autoresponderStart(
  t: Translate<'automations'>,
  { amount, unit, direction, event, field }: Start,
): string {
  const span = unit === '' ? '' : t(`span.${unit}s`, { count: amount });
  if (event === 'signup') return t('counts.signup', { span });
  const side = direction === 'before' ? 'before' : 'after';
  return t(event === 'annual' ? `counts.yearly.${side}` : `counts.date.${side}`, { span, field });
}
