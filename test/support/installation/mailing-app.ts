// An app whose mail is sent: with its HTTP server, the built-in inbox as the relay, and a worker, all in this process.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorker } from '../../../src/delivery/worker.ts';
import { startInbox } from '../../../src/inbox/inbox.ts';
import { handlers } from '../../../src/task-handlers.ts';
import { type TestApp, testApp } from './app.ts';

export type MailingApp = TestApp & {
  /** Where the HTTP server answers. */
  base: string;
};

/**
 * @param tasks the tasks whose jobs the worker runs
 * @param through gives the address by which the database is reached. close() ends everything and removes the files.
 */
export async function mailingApp(
  tasks: Parameters<typeof startWorker>[1] = handlers,
  through?: Parameters<typeof testApp>[1],
): Promise<MailingApp> {
  const folder = mkdtempSync(join(tmpdir(), 'mailing-'));
  const app = await testApp({ DATA_DIR: folder }, through);
  const base = await app.listen();
  const inbox = await startInbox(app.app);
  app.app.config.inboxPort = inbox.port;
  const worker = await startWorker(app.app, tasks);
  return {
    ...app,
    base,
    async close() {
      await worker.stop();
      await inbox.close();
      await app.close();
      rmSync(folder, { recursive: true });
    },
  };
}
