// Live progress: the program tells by server-sent events how deliveries go on. What is shown of a campaign is then read
// again at most once in a while; the progress itself is put in place as it was told.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { invalidate } from '../api/use-method.ts';

/** One event: the campaign it is about and whatever figures it carries. */
export type Progress = { campaign: string; [figure: string]: unknown };

/** Calls back with each event while the component is shown. */
export function onProgress(hear: (progress: Progress) => void): () => void {
  hearers.add(hear);
  return () => hearers.delete(hear);
}

/** Listens while the shell is shown; one connection for all screens. */
export function useProgressEvents() {
  const client = useQueryClient();
  useEffect(() => {
    const source = new EventSource(`/events?language=${document.documentElement.lang}`);
    let waiting: ReturnType<typeof setTimeout> | undefined;
    source.addEventListener('progress', (event) => {
      const progress = JSON.parse(event.data) as Progress;
      for (const hear of hearers) hear(progress);
      waiting ??= setTimeout(() => {
        waiting = undefined;
        invalidate(client, ['campaign']);
      }, readAgainMs);
    });
    return () => {
      clearTimeout(waiting);
      source.close();
    };
  }, [client]);
}

const readAgainMs = 2_000;
const hearers = new Set<(progress: Progress) => void>();
