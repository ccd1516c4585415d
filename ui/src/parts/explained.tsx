// A control or a word with an explanation in a tooltip, which is loaded after the screen.
import { lazy, type ReactElement, Suspense } from 'react';

const LateTooltip = lazy(() => import('./late-tooltip.tsx'));

export function Explained({ why, children }: { why: string; children: ReactElement }) {
  return (
    <Suspense fallback={children}>
      <LateTooltip label={why}>{children}</LateTooltip>
    </Suspense>
  );
}
