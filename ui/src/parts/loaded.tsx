// Shows the result of a query: a skeleton while loading, the error with a retry button, or the content.
import { Skeleton, Stack, VisuallyHidden } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useText } from '../text/use-text.tsx';
import { FaultNote } from './fault.tsx';

type Props<T> = { query: UseQueryResult<T>; skeleton?: ReactNode; children(data: T): ReactNode };

export function Loaded<T>({ query, skeleton, children }: Props<T>) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <FaultNote error={query.error} onRetry={() => query.refetch()} />;
  return skeleton ?? <Lines />;
}

/** A skeleton of text lines. */
export function Lines({ count = 4, height = 20 }: { count?: number; height?: number }) {
  const t = useText('parts');
  return (
    <Stack gap="sm" aria-busy>
      <VisuallyHidden role="status">{t('loading')}</VisuallyHidden>
      {Array.from({ length: count }, (_, i) => `line ${i}`).map((line) => (
        <Skeleton key={line} height={height} />
      ))}
    </Stack>
  );
}
