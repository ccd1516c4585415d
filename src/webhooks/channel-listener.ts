// Listens to one notification channel on a database connection of its own. Notifications sent while that is lost are
// lost: the caller must also poll, and is called without a payload when the connection is open again.
import type { App } from '../base/context.ts';
import { keepSession, type Session } from '../db/session.ts';

export type ChannelListener = Pick<Session, 'stop'>;

export function listenTo(app: App, channel: string, notify: (payload?: string) => void): ChannelListener {
  return keepSession(app.db.url, {
    name: 'postrider listen',
    async onOpen(client) {
      await client.query(`listen ${client.escapeIdentifier(channel)}`);
      notify();
    },
    onNotification: (_channel, payload) => notify(payload),
    onFailure: (error) => app.log.debug({ err: error }, 'webhook listener cannot reach the database; retrying'),
  });
}
