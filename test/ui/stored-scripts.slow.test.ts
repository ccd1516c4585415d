// Text from users, contacts, programs, remote servers, messages and user agents is shown as text on every screen of the
// web application: no script in it runs. Each payload tries to run one in another way. Every registered route is opened,
// so a new screen is tested as soon as it exists. A control test shows that the payloads work where nothing escapes them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { SMTPServer } from 'smtp-server';
import { stepNames } from '../../ui/src/screens/setup/steps.ts';
import { settled, startUi, type Ui } from '../support/browser/ui.ts';
import { pictures } from '../support/builders/archives.ts';
import { hostilePages, hostileValues } from '../support/samples/scripts.ts';

const root = join(import.meta.dirname, '../..');
/** 40 payloads: ways to break out of a value, and some whole elements. */
const payloads = [...hostileValues, ...hostilePages.slice(0, 40 - hostileValues.length)];

let ui: Ui;
let relay: SMTPServer;
let receiver: Server;
// Mail goes to the relay here; hostile messages in the built-in inbox are tested in hostile-mail.slow.test.ts.
const ids: Record<string, Record<string, string>> = {
  inbox: { none: '1' },
  api: { method: 'campaignCreate' },
  setup: Object.fromEntries(stepNames.map((step) => [step, step])),
};
/** Values of further parameters in a path, such as a segment of a list. */
const nestedIds: Record<string, string> = {};
let executed: string[] = [];

before(async () => {
  assert.equal(payloads.length, 40);
  // A relay that answers with payloads. Its refusals are about the recipients: other ones are attempted again, and many of them
  // pause a campaign.
  let answers = 0;
  relay = new SMTPServer({
    authOptional: true,
    hideSTARTTLS: true,
    onRcptTo({ address }, _session, callback) {
      if (!address.startsWith('bounced')) return callback();
      const reply = `5.1.1 No such mailbox ${oneLine(payloads[answers++ % 40]!)}`;
      callback(Object.assign(new Error(reply), { responseCode: 550 }));
    },
    onData(stream, _session, callback) {
      stream.resume().on('end', () => callback(null, oneLine(payloads[answers++ % 40]!)));
    },
  });
  const relayPort = await new Promise<number>((resolve) => {
    const server = relay.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
  let answered = 0;
  receiver = createServer((request, response) => {
    request.resume();
    if (request.url === '/feed.xml') return void response.setHeader('content-type', 'application/rss+xml').end(feed());
    response.writeHead(request.method === 'HEAD' ? 200 : 500, { 'x-answer': 'x' }).end(payloads[answered++ % 40]);
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/?x="><img src=x onerror=canary(1)>`;
  ui = await startUi({ OUTBOUND_ALLOW: '127.0.0.0/8', SMTP_URL: `smtp://127.0.0.1:${relayPort}?tls=none` });
  await ui.page
    .context()
    .exposeBinding('canary', (_source, what: unknown) => void executed.push(`canary ${String(what)}`));
  ui.page.on('dialog', (dialog) => {
    // The browser asks before leaving a form with unsaved changes.
    if (dialog.type() === 'beforeunload') return void dialog.accept();
    executed.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  await fill(encodeURI(hook), new URL('/feed.xml', hook).href);
});
after(async () => {
  await ui?.close();
  await new Promise<void>((resolve) => (relay ? relay.close(() => resolve()) : resolve()));
  receiver?.close();
});

test('the payloads run where they are not escaped', async () => {
  const page = await ui.visitor();
  let runs = 0;
  await page.context().exposeBinding('canary', () => void runs++);
  await page.setContent(`<p>${hostilePages[14]}</p>`);
  await page.waitForTimeout(300);
  assert.ok(runs > 0);
});

test('no stored text runs a script on any screen', async (t) => {
  const paths = routes();
  assert.ok(paths.length >= 15, `${paths}`);
  for (const path of paths) {
    for (const address of addressesOf(path)) {
      executed = [];
      await ui.page.goto(`${ui.installation.base}/app${address}`);
      await settled(ui.page).catch(() => ui.page.waitForTimeout(500));
      await openEverything(ui.page);
      assert.deepEqual(executed, [], `${address} ran a script`);
    }
  }
  t.diagnostic(`${paths.length} screens, ${payloads.length} payloads in each kind of field`);
});

/** Opens every tab, section and dialog of a screen. */
async function openEverything(page: Page): Promise<void> {
  const tabs = await page.getByRole('tab').all();
  for (const tab of tabs) {
    await tab.click({ timeout: 1_000 }).catch(() => {});
    await page.waitForTimeout(120);
  }
  const closed = await page.locator('main [aria-expanded="false"]').all();
  for (const button of closed.slice(0, 12)) {
    await button.click({ timeout: 500 }).catch(() => {});
    await page.waitForTimeout(60);
    if ((await page.getByRole('dialog').count()) > 0) await page.keyboard.press('Escape');
  }
  // The names of images are in a dialog.
  const insert = page.getByRole('button', { name: 'Insert image' });
  if ((await insert.count()) > 0) {
    await insert.click();
    await page.getByRole('dialog').getByRole('button', { name: /list$/ }).first().waitFor();
    await page.keyboard.press('Escape');
  }
  await page.waitForTimeout(150);
}

/** The paths of all screens inside the shell, from routes.ts. Optional parameters are given too. */
function routes(): string[] {
  const text = readFileSync(join(root, 'ui/src/screens/routes.ts'), 'utf8');
  const inShell = text.slice(text.indexOf('export const screens'), text.indexOf('export const openScreens'));
  return [...inShell.matchAll(/path: '([^']+)'/g)]
    .map(([, path]) => path!.replace(/\{-(\$\w+)\}/, '$1'))
    .filter((path) => !['/', '/parts'].includes(path));
}

/** The path with its parameters filled in. A parameter without a value fails the test. */
function addressesOf(path: string): string[] {
  const area = path.split('/')[1]!;
  const name = /\$(\w+)/.exec(path)?.[1];
  if (name === undefined) return [path];
  const values = ids[area];
  assert.ok(values, `no value for ${name} in ${path}: add one to this test`);
  return Object.values(values).map((value) =>
    path.replace(`$${name}`, encodeURIComponent(value)).replace(/\$(\w+)/g, (_whole, inner: string) => {
      const nested = nestedIds[inner];
      assert.ok(nested, `no value for ${inner} in ${path}: add one to this test`);
      return nested;
    }),
  );
}

/** Stores the payloads in every kind of field. */
async function fill(hook: string, feedUrl: string): Promise<void> {
  const { installation } = ui;
  const call = <T = string>(method: string, params: object) =>
    whenAllowed(() => installation.call<T>(method, { ...params }));
  for (const [name, value] of [
    ['name', payloads[0]],
    ['company', payloads[1]],
    ['postal_address', payloads[2]],
    ['phone', payloads[3]],
    ['website', 'https://example.com/"><img src=x onerror=canary(1)>'],
  ] as const)
    await call('accountUpdate', { name, value });
  const list = await call('listCreate', { title: payloads[4] });
  ids['lists'] = { first: list };
  for (const [i, name] of payloads.slice(0, 12).entries())
    await call('listMergeVarAdd', {
      id: list,
      tag: `T${i}`,
      name,
      options:
        i % 2
          ? { field_type: 'text', default: payloads[i + 12] }
          : { field_type: 'dropdown', choices: [payloads[i + 12]] },
    }).catch(() => call('listMergeVarAdd', { id: list, tag: `T${i}`, name }));
  const result = await call<{ success_count: number; errors: unknown[] }>('listBatchSubscribe', {
    id: list,
    double_optin: false,
    batch: payloads.map((text, i) => ({
      EMAIL: `${i % 5 === 1 ? 'bounced' : 'taken'}.${i}@example.com`,
      FNAME: text,
      LNAME: payloads[(i + 7) % 40],
      T1: text,
    })),
  });
  assert.equal(result.success_count, 40, JSON.stringify(result.errors).slice(0, 400));
  ids['contacts'] = { first: 'bounced.1@example.com', second: 'taken.2@example.com' };
  for (const title of payloads.slice(0, 10))
    nestedIds['segment'] = await call('listSegmentCreate', {
      list,
      title,
      match: 'any',
      filter: [{ field: 'FNAME', condition: 'contains', value: title }],
    });
  // As many as the image dialog shows at once; a trailing byte makes each a different image.
  for (const [i, title] of payloads.slice(-24).entries()) {
    const content = Buffer.concat([pictures.gif, Buffer.from([i])]).toString('base64');
    await call('assetCreate', { content, title: title!.slice(0, 200), alt: payloads[i]!.slice(0, 500) });
  }
  for (const [i, title] of payloads.slice(0, 12).entries()) {
    await call('templateCreate', { name: title, layout: 'basic', source: `<p>${hostilePages[i]}</p>` });
    await call('webhookCreate', { title, options: { url: hook } });
    await call('apikeyAdd', { label: title, scope: 'read' });
    await call('suppressedListSubscribe', { email_address: `gone.${i}@example.com`, comment: title });
  }
  const [webhook] = await call<{ id: string }[]>('webhooks', {});
  ids['webhooks'] = { first: webhook!.id };
  await call('webhookTest', { wid: webhook!.id });
  const templates = await call<{ id: string }[] | Record<string, { id: string }[]>>('campaignTemplates', {});
  const template = (Array.isArray(templates) ? templates : Object.values(templates).flat())[0];
  if (template) ids['templates'] = { first: template.id };
  await call('senderDomainCreate', { domain: 'news.example.com' });
  // Names of senders, relays, mailboxes and sources of notices.
  for (const [i, title] of payloads.slice(0, 4).map(oneLine).entries()) {
    await call('senderCreate', { name: title, email: `editors.${i}@news.example.com` });
    await call('relayCreate', { name: title, host: '127.0.0.1', paused: true });
    await call('bounceMailboxCreate', { protocol: 'imap', host: '127.0.0.1', user_name: title, password: 'x', title });
    await call('noticeSourceCreate', { service: 'postmark', title });
  }
  for (const [i, text] of payloads.slice(0, 12).entries()) {
    const { id } = await call<{ id: string }>('messageSend', {
      to: [`"${oneLine(text).replace(/[\\"]/g, '')}" <${i % 2 ? 'bounced' : 'taken'}@example.com>`],
      subject: oneLine(text),
      html: hostilePages[i],
      tags: [oneLine(text).slice(0, 60)],
    });
    ids['messages'] = { ...ids['messages'], [i]: id };
  }
  ids['settings'] = { domain: 'news.example.com' };
  const campaign = (text: string, html: string) =>
    call('campaignCreate', {
      type: 'HTML',
      options: {
        list_id: list,
        title: text,
        subject: oneLine(text),
        from_name: oneLine(text),
        from_email: 'editors@example.com',
        to_email: oneLine(text),
        generate_text: true,
        analytics: { google: text.slice(0, 50) },
      },
      content: { html },
    });
  const drafts: string[] = [];
  for (const text of payloads.slice(0, 24))
    drafts.push(await campaign(text, `<p>${text}</p><a href="*|UNSUB|*">x</a>`));
  const all = payloads.join('\n');
  const draft = await campaign(
    payloads[5]!,
    `<p>${all}</p><a href="https://example.com/">x</a><a href="*|UNSUB|*">x</a>`,
  );
  const sent = await campaign(
    payloads[6]!,
    `<p>*|FNAME|*</p><a href="https://example.com/?<script>canary(1)</script>">x</a>`,
  );
  await call('campaignSendNow', { cid: sent });
  await installation.until('it is sent', async () => {
    const { delivery_status } = await call<{ delivery_status: string }>('campaignProgress', { cid: sent });
    return delivery_status === 'sent';
  });
  ids['campaigns'] = { draft, sent };
  const recurring = await call('recurringCreate', {
    title: payloads[12],
    list,
    schedule: { type: 'daily', time: '09:00' },
    source_url: feedUrl,
  });
  ids['recurring'] = { first: recurring };
  const automation = await call('automationCreate', { title: payloads[13], list });
  const steps = payloads.slice(0, 12).map((text) => ({ type: 'notify', subject: oneLine(text), text }));
  await call('automationUpdate', { id: automation, steps });
  ids['automations'] = { first: automation };
  await call('listUnsubscribe', { id: list, email_address: 'taken.2@example.com' });
  nestedIds['import'] = await call('importCreate', {
    id: list,
    name: payloads[9],
    content: `EMAIL,"${payloads[10]!.replaceAll('"', '""')}"\nnew@example.com,"${payloads[11]!.replaceAll('"', '""')}"\n`,
  });
}

/** A feed whose texts are payloads. */
function feed(): string {
  const text = (value: string) => `<![CDATA[${value.replaceAll(']]>', '')}]]>`;
  const items = payloads.map(
    (title, i) =>
      `<item><title>${text(title)}</title><description>${text(hostilePages[i % hostilePages.length]!)}</description><guid>${i}</guid></item>`,
  );
  return `<rss version="2.0"><channel><title>${text(payloads[0]!)}</title>${items.join('')}</channel></rss>`;
}

const oneLine = (text: string) => text.replace(/[\t\r\n\u2028\u2029]/g, ' ').slice(0, 150);

/** Retries while the call is rate limited. */
async function whenAllowed<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if ((error as { code?: number }).code !== -50) throw error;
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  }
}
