// The screen of an object that is not loaded yet, or could not be.
import type { UseQueryResult } from '@tanstack/react-query';
import { FaultNote } from './fault.tsx';
import { Lines } from './loaded.tsx';
import { type Head, Page, PageHeader } from './page.tsx';

type Props = Pick<Head, 'title' | 'back'> & { query: Pick<UseQueryResult, 'error' | 'refetch'> };

export function LoadingPage({ query: { error, refetch }, ...head }: Props) {
  return (
    <Page>
      <PageHeader {...head} />
      {error ? <FaultNote error={error} onRetry={() => refetch()} /> : <Lines />}
    </Page>
  );
}
