// An installation filled by `postrider demo`, with a signed-in browser: for the pictures of the docs and the tour of
// all screens. What the demo leaves out (an import, a domain, an address that was refused) is added here.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { bareEnvironment } from '../installation/service.ts';
import { until } from '../run/until.ts';
import { root, startUi, type Ui } from './ui.ts';

/** One that is checked and waits for its owner. */
async function checkedMigration(page: Page, base: string, ask: DemoUi['ask']): Promise<string> {
  const answer = await page.request.post(`${base}/upload?name=Readers.csv`, {
    headers: { 'content-type': 'application/octet-stream', 'sec-fetch-site': 'same-origin' },
    data: Buffer.from(
      'Email,First name,Last name,Data,Status\nnew@example.com,Nora,Lund,{},active\nlou@example.com,Lou,Left,{},unsubscribed\nnobody,,,{},active\n',
    ),
  });
  const { id } = (await answer.json()) as { id: string };
  const migration = await ask<string>('migrationCreate', { source: 'keila', uploads: [id] });
  await until('the migration is checked', async () => {
    const { state } = await ask<{ state: string }>('migrationGet', { migration });
    return state !== 'reading';
  });
  return migration;
}

export type DemoUi = Ui & {
  /** Signed in to the demo's account as its owner. */
  page: Page;
  /** Calls a method as that person. */
  ask<T>(method: string, params?: object): Promise<T>;
  /** What there is, for the addresses of screens. */
  ids: Record<
    | 'list'
    | 'sent'
    | 'sending'
    | 'scheduled'
    | 'auto'
    | 'automation'
    | 'recurring'
    | 'draft'
    | 'template'
    | 'webhook'
    | 'incoming'
    | 'import'
    | 'migration'
    | 'message',
    string
  >;
  contact: string;
  domain: string;
};

/** @param settings further settings of the installation, as in the environment */
export async function startDemo(settings: Record<string, string> = {}): Promise<DemoUi> {
  // Its own owner is not needed; a page of the demo's takes the place of the first one.
  const ui = await startUi(settings);
  try {
    return await filled(ui);
  } catch (error) {
    await ui.close();
    throw error;
  }
}

async function filled(ui: Ui): Promise<DemoUi> {
  const { installation } = ui;
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'src/main.ts'), 'demo'], {
    env: {
      ...bareEnvironment,
      ...installation.settings,
      DATA_DIR: installation.dataDir,
      LOG_LEVEL: 'warn',
    },
  });
  const page = await ui.member({ email: 'demo@example.com', password: /password (\S+)/.exec(stdout)![1]! });
  const ask = async <T>(method: string, params: object = {}) => {
    const answer = await page.request.post(`${installation.base}/api/${method}`, {
      data: params,
      // A call by a session is taken from a page of our own only.
      headers: { 'sec-fetch-site': 'same-origin' },
    });
    if (!answer.ok()) throw new Error(`${method}: ${await answer.text()}`);
    return (await answer.json()) as T;
  };
  type Listed = { id: string; delivery_status: string; type: string };
  let campaigns: Listed[] = [];
  const campaign = (wanted: (one: Listed) => boolean) => campaigns.find(wanted)!;
  const inProgress = ({ delivery_status, type }: Listed) => delivery_status === 'sending' && type !== 'auto';
  // The command ends when it has queued that campaign, before a worker launches it.
  await until('the campaign in progress is launched', async () => {
    campaigns = await ask<Listed[]>('campaigns', { limit: 100 });
    return campaigns.some(inProgress);
  });
  const sent = campaign(({ delivery_status }) => delivery_status === 'sent');
  const running = campaign(inProgress);
  const readers = (await ask<{ id: string; name: string }[]>('lists')).find(({ name }) => name === 'Readers')!;
  const [template] = await ask<{ id: string }[]>('campaignTemplates');
  const [webhook] = await ask<{ id: string }[]>('webhooks');
  const opened = await ask<{ data: { email: string }[] }>('campaignOpened', { cid: sent.id });
  const domain = 'letters.example.com';
  await ask('senderDomainCreate', { domain });
  const message = { to: ['new@example.com'], subject: 'Your order 17', html: '<h1>On its way</h1>' };
  const rows = 'E-mail;First Name;City\nnew@example.com;Nora;Lisbon\nnot an address;Noah;Nowhere';
  const wizard = await ask<string>('importCreate', { id: readers.id, name: 'harbour-fair.csv', content: rows });
  return {
    ...ui,
    page,
    ask,
    open: (path, on = page) => ui.open(path, on),
    ids: {
      list: readers.id,
      sent: sent.id,
      sending: running.id,
      scheduled: campaign(({ delivery_status }) => delivery_status === 'scheduled').id,
      auto: campaign(({ type }) => type === 'auto').id,
      automation: await ask<string>('automationCreate', { title: 'Welcome', list: readers.id, template: 'welcome' }),
      recurring: await ask<string>('recurringCreate', {
        title: 'News of the week',
        list: readers.id,
        schedule: { type: 'weekly', time: '09:00', weekdays: [1] },
        source_url: 'http://127.0.0.1/feed.xml',
      }),
      draft: await ask<string>('campaignReplicate', { cid: sent.id }),
      template: template!.id,
      webhook: webhook!.id,
      incoming: (await ask<{ id: string }>('incomingWebhookCreate', { title: 'Shop', service: 'shopify' })).id,
      import: wizard,
      migration: await checkedMigration(page, installation.base, ask),
      message: (await ask<{ id: string }>('messageSend', message)).id,
    },
    contact: opened.data[0]!.email,
    domain,
  };
}
