// Listens to one notification channel on a database connection of its own. Notifications sent while that is lost are
// lost: the caller must also poll.
import type { App } from '../base/context.ts';
import { keepSession, type Session } from '../db/session.ts';

export type ChannelListener = Pick<Session, 'stop'>;

export function listenTo(app: App, channel: string, notify: () => void): ChannelListener {
  return keepSession(app.db.url, {
    name: 'postrider listen',
    async onOpen(client) {
      await client.query(`listen ${client.escapeIdentifier(channel)}`);
      notify();
    },
    onNotification: notify,
    onFailure: (error) => app.log.debug({ err: error }, 'webhook listener cannot reach the database; retrying'),
  });
}
