// Browser test of the API reference: finding methods, calling them with a form and as JSON, running the code samples,
// and the limits of a viewer.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { answered, axe, noErrors, noSidewaysScroll, screenshots, settled, uiTest } from '../support/browser/ui.ts';
import { bareEnvironment, testKey } from '../support/installation/service.ts';

const run = promisify(execFile);

const ui = uiTest();

test('a method is found, called by a form and as JSON, and its fault is shown', async () => {
  const { page } = ui;
  await ui.open('/api');
  await settled(page);
  await screenshots(page, 'api');
  await axe(page, 'api');
  await noSidewaysScroll(page);
  await page.getByRole('navigation', { name: 'Groups of methods' }).getByRole('link', { name: 'Webhooks' }).click();
  await page.waitForFunction(() => {
    const top = document.getElementById('webhooks')!.getBoundingClientRect().top;
    return top >= 0 && top < 200 && document.activeElement?.id === 'webhooks';
  });
  await page.getByRole('link', { name: 'webhookCreate', exact: true }).waitFor();
  await page.getByRole('searchbox', { name: 'Search methods' }).fill('list create');
  await page.getByRole('link', { name: 'listCreate', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'listCreate' }).waitFor();
  await settled(page);
  await screenshots(page, 'api-method');
  await axe(page, 'method');
  await noSidewaysScroll(page);
  // The form is beside the code on a wide window, the code below it on a smaller one.
  const form = page.getByRole('region', { name: 'Try it' });
  const code = page.getByRole('region', { name: 'Code', exact: true });
  const places = async () => [(await form.boundingBox())!, (await code.boundingBox())!] as const;
  const size = page.viewportSize()!;
  for (const width of [1200, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    const [left, right] = await places();
    assert.ok(right.x >= left.x + left.width && Math.abs(right.y - left.y) < 2, `beside each other at ${width}`);
    assert.ok(left.width >= 320 && right.width >= 320, `room for both at ${width}`);
  }
  await page.setViewportSize({ width: 1000, height: 900 });
  const [above, below] = await places();
  assert.ok(below.y >= above.y + above.height);
  await page.setViewportSize(size);
  await page.getByRole('textbox', { name: 'title' }).fill('Made by trying');
  await page.getByRole('button', { name: 'Send request', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Send request' }).click();
  await page.getByText(/^Responded in [\d,]+ ms$/).waitFor();
  const response = page.getByRole('region', { name: 'Response' });
  await response.waitFor();
  assert.ok((await response.boundingBox())!.y < page.viewportSize()!.height, 'the answer has come into view');
  const lists = await ui.installation.call<{ name: string }[]>('lists');
  assert.ok(lists.some(({ name }) => name === 'Made by trying'));
  await page.getByText('JSON', { exact: true }).first().click();
  const json = page.getByRole('textbox', { name: 'Parameters as JSON' });
  await json.fill('{"title": ');
  await page.getByRole('button', { name: 'Send request', exact: true }).click();
  await page.getByText('This is not valid JSON.').waitFor();
  await json.fill('{"title": "Again", "options": {"colour": "red"}}');
  await page.getByRole('button', { name: 'Send request', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Send request' }).click();
  await page.getByText('Error 211 (HTTP 400)').waitFor();
  await settled(page);
  await axe(page, 'fault');
  await noSidewaysScroll(page);
  await screenshots(page, 'api-fault');
  noErrors(page);
});

test('every code sample of a call runs and returns the answer', async (c) => {
  const { page } = ui;
  await ui.open('/api/lists');
  await page.getByRole('textbox', { name: 'limit' }).fill('7');
  await page.getByRole('button', { name: 'Send request', exact: true }).click();
  await page.getByText(/^Responded in [\d,]+ ms$/).waitFor();
  for (const [language, program, flags] of [
    ['curl', 'sh', ['-c']],
    ['XML-RPC', 'sh', ['-c']],
    ['Python', 'python3', ['-c']],
    ['PHP', 'php', ['-r']],
    ['Node', process.execPath, ['--input-type=module', '-e']],
    ['TypeScript', process.execPath, ['--input-type=module-typescript', '-e']],
  ] as const) {
    await page.getByRole('tab', { name: language, exact: true }).click();
    const sample = page.getByRole('region', { name: language, exact: true });
    const code = (await sample.textContent())!.replace('YOUR_API_KEY', testKey).replace(/^<\?php\n/, '');
    assert.ok(code.includes('7'), code);
    if (spawnSync(program, [...flags, '']).error) {
      c.diagnostic(`${program} is not installed: its sample is not run`);
      continue;
    }
    const { stdout } = await run(program, [...flags, code]);
    assert.match(stdout, /Made by trying/, language);
  }
  noErrors(page);
});

test('examples are filled with ids of this account, except of calls that end something', async () => {
  const { page } = ui;
  const list = await ui.installation.listOf(1, () => 'reader@example.com');
  const cid = await ui.installation.draft(list, 'Filled in');
  await ui.open('/api/campaignStats');
  await page.getByRole('textbox', { name: 'cid' }).waitFor();
  assert.equal(await page.getByRole('textbox', { name: 'cid' }).inputValue(), cid);
  const methods = page.getByRole('navigation', { name: 'Methods' });
  await methods.getByRole('searchbox').fill('delete campaign');
  await methods.getByRole('link', { name: 'campaignDelete', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'campaignDelete' }).waitFor();
  assert.equal(await page.getByRole('textbox', { name: 'cid' }).inputValue(), '{{campaign}}');
  noErrors(page);
});

test('a viewer reads the reference, and cannot make calls that the role does not allow', async () => {
  const viewer = { email: 'viewer@example.com', password: '' };
  await ui.installation.call('userInvite', { email: viewer.email, role: 'viewer' });
  const { stdout } = await run(process.execPath, ['src/main.ts', 'user', 'password', viewer.email], {
    env: {
      ...bareEnvironment,
      ...ui.installation.settings,
      DATA_DIR: ui.installation.dataDir,
      LOG_LEVEL: 'silent',
    },
  });
  viewer.password = stdout.trim();
  const page = await ui.member(viewer);
  await ui.open('/api/campaignSendNow', page);
  await page.getByText('Your rights do not include this method.').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Send request', exact: true }).count(), 0);
  await ui.open('/api/ping', page);
  await answered(page, 'ping', () => page.getByRole('button', { name: 'Send request', exact: true }).click());
  await page.getByText(/^Responded in [\d,]+ ms$/).waitFor();
  await page.getByText("Everything's Ok!").last().waitFor();
  noErrors(page);
});

test('methods of every kind have a page, in German too', async () => {
  const { page } = ui;
  await page.evaluate(() => localStorage.setItem('postrider-language', 'de'));
  await ui.open('/api');
  await page.getByRole('heading', { level: 2, name: 'API aufrufen' }).waitFor();
  for (const method of ['campaignCreate', 'campaignUpdate', 'webhookCreate', 'totpConfirm', 'inboxMessages']) {
    await ui.open(`/api/${method}`);
    await page.getByRole('heading', { level: 1, name: method }).waitFor();
    await noSidewaysScroll(page);
  }
  noErrors(page);
});
