// Browser test of the built-in inbox after a restart, when it listens at another port.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually, owner, settled, testMail, uiTest } from '../support/browser/ui.ts';
import { InProcess } from '../support/installation/in-process.ts';

const ui = uiTest();

test('what the inbox accepted in the last 24 hours is shown after a restart too', async () => {
  await testMail(ui, 'Notes from the shore', '<p>Hello</p>');
  const accepted = async (base: string) => {
    const page = await ui.visitor();
    assert.equal((await page.request.post(`${base}/session`, { data: owner })).status(), 200);
    await page.goto(`${base}/app/settings/relays`);
    await settled(page);
    return (await page.getByRole('main').textContent())!;
  };
  await eventually(async () => assert.match(await accepted(ui.installation.base), /Accepted\s*1\s*last 24 hours/));
  const restarted = new InProcess(ui.installation.settings);
  await restarted.start();
  try {
    assert.match(await accepted(restarted.base), /Accepted\s*1\s*last 24 hours/);
  } finally {
    await restarted.remove();
  }
});
