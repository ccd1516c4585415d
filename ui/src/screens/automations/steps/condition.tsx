// Two arms: contacts that match conditions take one, the others the other one.
import { IconArrowsSplit2 } from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import { Lines } from '../../../parts/loaded.tsx';
import { capital } from '../../../text/capital.ts';
import type { StepKind } from './kind.ts';

const ConditionForm = lazy(() => import('../edit/condition-form.tsx'));

export const condition: StepKind<'condition'> = {
  icon: IconArrowsSplit2,
  blank: { match: 'all', filter: [], yes: [], no: [] },
  words: (t, { key }, { readings }) => capital(readings[key] || t('says.noCondition')),
  Fields: ({ info, draft, onChange }) => (
    <Suspense fallback={<Lines count={2} />}>
      <ConditionForm info={info} conditions={draft} onChange={(next) => onChange({ ...draft, ...next })} />
    </Suspense>
  ),
};
