// A service in the process of the test, with an existing database (DATABASE_URL): web, worker, dispatcher, automations and inbox.
// Takes a fifth of the processor time of an Installation. Tests of processes and of printed output need an
// Installation.
import { rmSync } from 'node:fs';
import { passwordCost } from '../../../src/accounts/people/password-hash.ts';
import { setUpFirstAccount } from '../../../src/accounts/setup.ts';
import { openApp } from '../../../src/app.ts';
import { startAutomations } from '../../../src/automations/run/engine.ts';
import { readConfig } from '../../../src/config.ts';
import { startWorker } from '../../../src/delivery/worker.ts';
import { startInbox } from '../../../src/inbox/inbox.ts';
import { handlers } from '../../../src/task-handlers.ts';
import { createServer } from '../../../src/web.ts';
import { startDispatcher } from '../../../src/webhooks/dispatch.ts';
import { passwords } from './app.ts';
import { Service, testKey } from './service.ts';

export class InProcess extends Service {
  /** Where the web process listens, when another address is public. */
  listening = '';
  #stop: () => Promise<void> = async () => {};

  async start(): Promise<void> {
    const config = readConfig({
      LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
      DATA_DIR: this.dataDir,
      SETUP_API_KEY: testKey,
      CHROMIUM_PATH: 'none',
      DNS_SERVERS: '127.0.0.1:9',
      FOLLOW_LINKS: 'no',
      ...this.settings,
    });
    const app = await openApp(config, 'test', config.databaseUrl, 30);
    if (passwords.cheap) Object.assign(passwordCost, { memoryCost: 64, timeCost: 1 });
    await setUpFirstAccount(app.db, config, app.baseUrl);
    const inbox = config.smtpUrls.length === 0 ? await startInbox(app) : undefined;
    if (inbox) config.inboxPort = inbox.port;
    const server = await createServer(app);
    const listening = await server.listen({ port: 0, host: '127.0.0.1' });
    this.listening = listening;
    // Of BASE_URL only the name of this machine, because the port is not known before; with a path, it is that of a reverse proxy.
    const { hostname, pathname } = new URL(this.settings.BASE_URL ?? listening);
    const own = hostname === 'localhost' ? listening.replace('127.0.0.1', hostname) : listening;
    this.base = pathname === '/' ? own : config.baseUrl;
    app.baseUrl = this.base;
    const worker = await startWorker(app, handlers);
    const dispatcher = startDispatcher(app);
    const automations = startAutomations(app);
    this.#stop = async () => {
      await Promise.all([server.close(), worker.stop(), dispatcher.stop(), automations.stop()]);
      await inbox?.close();
      app.outbound.close();
      await app.db.close();
    };
  }

  async remove(): Promise<void> {
    await this.#stop();
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}
