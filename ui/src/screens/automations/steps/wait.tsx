// Waits for a time.
import { IconClock } from '@tabler/icons-react';
import { useText } from '../../../text/use-text.tsx';
import type { StepOf } from '../types.ts';
import type { FieldsProps, StepKind } from './kind.ts';
import { SpanFields } from './span-fields.tsx';

export const wait: StepKind<'wait'> = {
  icon: IconClock,
  blank: { amount: 1, unit: 'days' },
  words: (t, { amount, unit }) => t('says.wait', { span: t(`span.${unit}`, { count: amount }) }),
  Fields,
};

function Fields({ draft, onChange }: FieldsProps<StepOf<'wait'>>) {
  const t = useText('automations');
  return <SpanFields label={t('waitFor')} draft={draft} onChange={(span) => onChange({ ...draft, ...span })} />;
}
