// Takes the pictures of docs/images again: of a separate installation filled by `postrider demo`, looked at through
// Chromium. `npm run docs:images`. The times in them are those of the day they are taken.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { placeholderWidth } from '../../src/campaigns/templates/placeholder-width.ts';
import { startDemo } from '../support/browser/demo.ts';
import { root, settled } from '../support/browser/ui.ts';

const images = join(root, 'docs/images');
mkdirSync(images, { recursive: true });

type Picture = {
  name: string;
  path: string;
  scheme?: 'dark';
  width?: number;
  height: number;
  /** What is done on the screen before the picture is taken. */
  prepare?: (page: Page) => Promise<void>;
};

// With a browser that draws the templates.
const ui = await startDemo({ CHROMIUM_PATH: '' });
try {
  const { page, ids, ask } = ui;
  // A draft in which there is something to find.
  const faulty = await ask<string>('campaignReplicate', { cid: ids.sent });
  const { html } = await ask<{ html: string }>('campaignContent', { cid: faulty });
  const withFaults = html
    .replace('*|FNAME:reader|*', '*|FIRSTNAME|*')
    .replace('https://example.com/short-read', '/short-read')
    .replace('https://example.com/question', 'https://exa mple.com/question');
  await ask('campaignUpdate', { cid: faulty, name: 'content', value: { html: withFaults } });
  const review = async (on: Page) => {
    await on.getByRole('button', { name: 'Review', exact: true }).click();
    await settled(on);
    await on.locator('#section-check').evaluate((section) => section.scrollIntoView({ block: 'start' }));
    await settled(on);
  };
  // The pictures of templates are taken in the background.
  const drawn = async (on: Page) => {
    await on.waitForFunction(
      (placeholder) =>
        [...document.images].slice(0, 8).every(({ naturalWidth }) => naturalWidth > 0 && naturalWidth !== placeholder),
      placeholderWidth,
      { timeout: 180_000 },
    );
  };
  // The one that the demo has added: the templates there are from the start are written with conditions for Outlook.
  const template = (await ask<{ id: string; name: string }[]>('campaignTemplates', {})).at(-1);
  const pictures: Picture[] = [
    { name: 'home', path: '/home', height: 900 },
    { name: 'report', path: `/campaigns/${ids.sent}`, height: 860 },
    { name: 'click-map', path: `/campaigns/${ids.sent}?tab=links`, height: 900 },
    { name: 'sending', path: `/campaigns/${ids.sending}`, scheme: 'dark', height: 640 },
    { name: 'composer', path: `/campaigns/${ids.draft}/edit`, height: 940 },
    { name: 'check', path: `/campaigns/${faulty}/edit`, height: 860, prepare: review },
    { name: 'list', path: `/lists/${ids.list}`, height: 760 },
    { name: 'import', path: `/lists/${ids.list}/import/${ids.import}`, height: 760 },
    { name: 'contact', path: `/contacts/${ui.contact}`, height: 760 },
    { name: 'templates', path: '/templates', height: 720, prepare: drawn },
    { name: 'template', path: `/templates/${template!.id}`, height: 860 },
    { name: 'webhook', path: `/webhooks/${ids.webhook}?tab=log`, scheme: 'dark', height: 720 },
    { name: 'domain', path: `/settings/domains/${ui.domain}`, height: 760 },
    { name: 'api', path: '/api/campaignCreate', scheme: 'dark', height: 860 },
  ];
  for (const { name, path, scheme = 'light', width = 1280, height, prepare } of pictures) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme: scheme });
    await ui.open(path);
    await prepare?.(page);
    await page.waitForTimeout(1_000);
    await page.screenshot({ path: join(images, `${name}.png`) });
    console.log(`docs/images/${name}.png`);
  }
} finally {
  await ui.close();
}
