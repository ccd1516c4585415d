// Live progress of deliveries by server-sent events. The progress goes straight into the cache; other data of the
// campaign is refetched at a limited rate.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { publicPath } from '../api/base-path.ts';
import { onRenewed } from '../api/call.ts';
import { invalidate } from '../api/use-method.ts';
import { limitedRate } from './limited-rate.ts';

/** An event: the campaign, and the numbers it carries. */
export type Progress = { campaign: string; [figure: string]: unknown };

/** Calls back with each event while the component is shown. */
export function onProgress(hear: (progress: Progress) => void): () => void {
  hearers.add(hear);
  return () => hearers.delete(hear);
}

/** Listens while the shell is shown; all screens share the connection. */
export function useProgressEvents() {
  const client = useQueryClient();
  useEffect(() => {
    let source: EventSource | undefined;
    const reading = limitedRate(() => invalidate(client, ['campaign']), readAgainMs);
    const connect = () => {
      source?.close();
      source = new EventSource(publicPath(`/events?language=${document.documentElement.lang}`));
      source.addEventListener('progress', (event) => {
        const progress = JSON.parse(event.data) as Progress;
        for (const hear of hearers) hear(progress);
        reading.changed();
      });
    };
    connect();
    // The connection of a session that has ended is not opened again by the browser.
    const forget = onRenewed(connect);
    return () => {
      forget();
      reading.stop();
      source?.close();
    };
  }, [client]);
}

const readAgainMs = 2_000;
const hearers = new Set<(progress: Progress) => void>();
