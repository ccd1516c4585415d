// Takes the pictures of docs/images anew: an installation of its own filled by `postrider demo`, looked at through
// Chromium. `npm run docs:images`. The times in them are those of the day they are taken.
import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { settled, startUi } from './support.ts';

const root = join(import.meta.dirname, '../..');
const images = join(root, 'docs/images');
mkdirSync(images, { recursive: true });

const ui = await startUi();
try {
  const { installation } = ui;
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'src/main.ts'), 'demo'], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], DATA_DIR: installation.dataDir, LOG_LEVEL: 'warn' },
  });
  const password = /password (\S+)/.exec(stdout)?.[1];
  const page = await ui.visitor();
  const answer = await page.request.post(`${installation.base}/session`, {
    data: { email: 'demo@example.com', password },
  });
  if (answer.status() !== 200) throw new Error(`signing in answered ${answer.status()}`);
  const ask = async <T>(method: string, params: object = {}) =>
    (await (await page.request.post(`${installation.base}/api/${method}`, { data: params })).json()) as T;
  const campaigns = await ask<{ id: string; delivery_status: string; type: string }[]>('campaigns');
  const named = (state: string) => campaigns.find((one) => one.delivery_status === state && one.type !== 'auto')?.id;
  const [list] = await ask<{ id: string }[]>('lists');
  const draft = await ask<string>('campaignReplicate', { cid: named('sent') });
  const pictures: [name: string, path: string, scheme: 'light' | 'dark', width: number, height: number][] = [
    ['home', '/home', 'light', 1280, 900],
    ['report', `/campaigns/${named('sent')}`, 'light', 1280, 1000],
    ['sending', `/campaigns/${named('sending')}`, 'dark', 1280, 700],
    ['composer', `/campaigns/${draft}/edit`, 'light', 1280, 1000],
    ['list', `/lists/${list?.id}`, 'light', 1280, 800],
    ['templates', '/templates', 'light', 1280, 800],
    ['webhooks', '/webhooks', 'dark', 1280, 600],
    ['phone', '/home', 'light', 390, 800],
  ];
  for (const [name, path, scheme, width, height] of pictures) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme: scheme });
    await ui.open(path, page);
    await settled(page);
    await page.waitForTimeout(800);
    await page.screenshot({ path: join(images, `${name}.png`) });
    console.log(`docs/images/${name}.png`);
  }
} finally {
  await ui.close();
}
