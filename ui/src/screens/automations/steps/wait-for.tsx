// Waits for an event or conditions, at most for a time; two arms.
import { Checkbox, TextInput } from '@mantine/core';
import { IconHourglass } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { Lines } from '../../../parts/loaded.tsx';
import { useText } from '../../../text/use-text.tsx';
import type { StepOf } from '../types.ts';
import { DataFields, eventInWords } from './data-fields.tsx';
import type { FieldsProps, StepKind } from './kind.ts';
import { SpanFields } from './span-fields.tsx';

const ConditionForm = lazy(() => import('../edit/condition-form.tsx'));

export const waitFor: StepKind<'wait_for'> = {
  icon: IconHourglass,
  blank: { name: '', match: 'all', filter: [], amount: 3, unit: 'days', yes: [], no: [] },
  words(t, { key, name, data, filter, amount, unit }, { readings }) {
    const what = [
      ...(name !== '' || filter.length === 0 ? [eventInWords(t, name, data)] : []),
      ...(filter.length > 0 ? [readings[key] || t('says.noCondition')] : []),
    ];
    return t('says.waitFor', { what: what.join(t('says.or')), span: t(`span.${unit}`, { count: amount }) });
  },
  Fields,
};

function Fields({ info, draft, onChange }: FieldsProps<StepOf<'wait_for'>>) {
  const t = useText('automations');
  const [isConditional, setConditional] = useState(draft.filter.length > 0);
  return (
    <>
      <TextInput
        label={t('eventName')}
        description={t('waitForAbout')}
        maxLength={100}
        value={draft.name}
        onChange={(event) => onChange({ ...draft, name: event.currentTarget.value })}
      />
      {draft.name !== '' && (
        <DataFields conditions={draft.data ?? []} onChange={(data) => onChange({ ...draft, data })} />
      )}
      <Checkbox
        label={t('waitForConditions')}
        description={t('waitForConditionsAbout')}
        checked={isConditional}
        onChange={(changed) => {
          setConditional(changed.currentTarget.checked);
          if (!changed.currentTarget.checked) onChange({ ...draft, filter: [] });
        }}
      />
      {isConditional && (
        <Suspense fallback={<Lines count={2} />}>
          <ConditionForm info={info} conditions={draft} onChange={(next) => onChange({ ...draft, ...next })} />
        </Suspense>
      )}
      <SpanFields label={t('waitAtMost')} draft={draft} onChange={(span) => onChange({ ...draft, ...span })} />
    </>
  );
}
