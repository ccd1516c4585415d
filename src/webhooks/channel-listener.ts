// Hears one notification channel, over a database connection of its own that comes back when it is lost.
// A notification that comes while it is away is not caught up on; who listens also looks by itself now and then.
import pg from 'pg';
import type { App } from '../base/context.ts';
import { keptAlive } from '../db/connect.ts';

export function hear(app: App, channel: string, heard: () => void): { stop(): Promise<void> } {
  let client: pg.Client | undefined;
  let ended = false;
  let timer: NodeJS.Timeout | undefined;
  const connect = async (): Promise<void> => {
    const next = new pg.Client({ connectionString: app.db.url, application_name: 'postrider listen', ...keptAlive });
    client = next;
    next.on('error', () => {});
    next.on('end', () => {
      if (!ended) timer = setTimeout(() => void connect(), 500);
    });
    next.on('notification', heard);
    try {
      await next.connect();
      await next.query(`listen ${next.escapeIdentifier(channel)}`);
      heard();
    } catch (error) {
      app.log.debug({ err: error }, 'the listener waits for the database');
      await next.end().catch(() => {});
    }
  };
  const connecting = connect();
  return {
    async stop() {
      ended = true;
      clearTimeout(timer);
      await connecting;
      await client?.end().catch(() => {});
    },
  };
}
