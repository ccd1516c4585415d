// Listens to one notification channel on its own database connection, and reconnects when that is lost.
// Notifications sent while disconnected are lost: the caller must also poll.
import pg from 'pg';
import type { App } from '../base/context.ts';
import { tcpKeepAlive } from '../db/connect.ts';

export type ChannelListener = { stop(): Promise<void> };

export function listenTo(app: App, channel: string, notify: () => void): ChannelListener {
  let client: pg.Client | undefined;
  let ended = false;
  let timer: NodeJS.Timeout | undefined;
  const connect = async (): Promise<void> => {
    const next = new pg.Client({ connectionString: app.db.url, application_name: 'postrider listen', ...tcpKeepAlive });
    client = next;
    next.on('error', () => {});
    next.on('end', () => {
      if (!ended) timer = setTimeout(() => void connect(), 500);
    });
    next.on('notification', notify);
    try {
      await next.connect();
      await next.query(`listen ${next.escapeIdentifier(channel)}`);
      notify();
    } catch (error) {
      app.log.debug({ err: error }, 'webhook listener cannot reach the database; retrying');
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
