// The field for the time at which a campaign is sent. Its calendar is loaded when a time is to be chosen.
import { lazy, Suspense } from 'react';
import { Lines } from '../../../parts/loaded.tsx';
import type { TimeProps } from './time-field.tsx';

const Late = lazy(() => import('./time-field.tsx'));

/** The field that gets the focus when the time is missing or wrong. */
export const sendDay = 'send-day';

export function TimeField(props: TimeProps) {
  return (
    <Suspense fallback={<Lines count={3} height={36} />}>
      <Late {...props} />
    </Suspense>
  );
}
