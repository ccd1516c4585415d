// Dialogs of all areas, with a full demo account: no axe findings in light and dark, room on a phone, and Escape closes
// each.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type DemoUi, startDemo } from '../support/browser/demo.ts';
import { axe, noErrors, noSidewaysScroll, screenshot } from '../support/browser/ui.ts';

type Dialog = { at(ui: DemoUi): string; press: string[]; name: string; cancels?: boolean };

const dialogs: Dialog[] = [
  { at: () => '/contacts', press: ['Add contact'], name: 'add-contact' },
  { at: ({ ids }) => `/lists/${ids.list}?tab=members`, press: ['Add contact'], name: 'add-member' },
  { at: ({ ids }) => `/lists/${ids.list}?tab=members`, press: ['Export'], name: 'export' },
  { at: ({ ids }) => `/lists/${ids.list}?tab=fields`, press: ['Add field'], name: 'add-field' },
  { at: ({ contact }) => `/contacts/${contact}`, press: ['More actions', 'Pause'], name: 'pause' },
  { at: ({ ids }) => `/campaigns/${ids.sending}`, press: ['More actions', 'Stop permanently'], name: 'stop' },
  { at: ({ ids }) => `/campaigns/${ids.sent}`, press: ['More actions', 'Delete'], name: 'delete-campaign' },
  { at: ({ ids }) => `/campaigns/${ids.draft}/edit`, press: ['Send test'], name: 'send-test' },
  { at: () => '/settings/domains', press: ['Add domain'], name: 'add-domain' },
  { at: () => '/settings/senders', press: ['Add sender'], name: 'add-sender' },
  { at: () => '/settings/keys', press: ['Create API key'], name: 'create-key' },
  { at: () => '/settings/people', press: ['Invite team member'], name: 'invite', cancels: true },
  { at: () => '/settings/suppression', press: ['Add addresses'], name: 'suppress', cancels: true },
  { at: () => '/settings/returned', press: ['Connect service'], name: 'connect-service' },
  { at: () => '/settings/returned', press: ['Add mailbox'], name: 'add-mailbox' },
  { at: () => '/settings/security', press: ['Set up two-factor authentication'], name: 'second-factor', cancels: true },
  { at: () => '/settings/clean-up', press: ['Create rule'], name: 'clean-up-rule', cancels: true },
  { at: () => '/webhooks/incoming', press: ['New incoming webhook'], name: 'incoming', cancels: true },
  { at: ({ ids }) => `/webhooks/${ids.webhook}?tab=log`, press: ['Send test event'], name: 'test-event' },
];

let ui: DemoUi;
before(async () => {
  ui = await startDemo();
});
after(() => ui?.close());

test('no open dialog has axe findings, and Escape closes each', async () => {
  const { page } = ui;
  const problems: string[] = [];
  for (const { at, press, name, cancels } of dialogs) {
    const note = (error: unknown) => void problems.push(`${name}: ${(error as Error).message.slice(0, 1_500)}`);
    await open(page, at(ui), press)
      .then(async () => {
        if (cancels) await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).waitFor({ timeout: 2_000 });
      })
      .then(() => look(page, name, note))
      .catch(note);
  }
  assert.deepEqual(problems, [], problems.join('\n\n'));
  noErrors(page);
});

async function open(page: Page, address: string, press: Dialog['press']): Promise<void> {
  await page.goto('about:blank');
  await ui.open(address, page);
  for (const name of press)
    await page
      .getByRole('button', { name, exact: true })
      .or(page.getByRole('menuitem', { name, exact: true }))
      .first()
      .click({ timeout: 10_000 });
  await page.getByRole('dialog').waitFor({ timeout: 10_000 });
  await page.waitForTimeout(300);
}

async function look(page: Page, name: string, note: (error: unknown) => void): Promise<void> {
  await axe(page, name).catch(note);
  await screenshot(page, `dialog-${name}`);
  await noSidewaysScroll(page, 390).catch(note);
  // The first one may close the suggestions of a field.
  for (let presses = 0; presses < 2 && (await page.getByRole('dialog').count()) > 0; presses++) {
    await page.keyboard.press('Escape');
    await page.waitForTimeout(400);
  }
  await page.getByRole('dialog').waitFor({ state: 'detached', timeout: 10_000 }).catch(note);
}
