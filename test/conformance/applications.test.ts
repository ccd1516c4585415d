// Applications written for the published clients, in PHP, Perl and Python, that know nothing but an address and a key: sign-up,
// confirmation, customers of a shop, a campaign, its click, the webhook, the unsubscription. They run where their language is
// installed; what they sent is recorded in applications/*/recorded, and is replayed everywhere. RECORD=1 records it.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import PostalMime from 'postal-mime';
import { sql } from '../../src/db/connect.ts';
import { handlers } from '../../src/task-handlers.ts';
import { startDispatcher } from '../../src/webhooks/dispatch.ts';
import { type SendingApp, sendingApp } from '../support/installation/sending-app.ts';
import { type Receiver, startReceiver, until } from '../support/network/receiver.ts';

const folder = join(import.meta.dirname, 'applications');
const steps = ['widget', 'shop', 'campaign', 'leave'] as const;
type Step = (typeof steps)[number];

let t: SendingApp;
let base: string;
let receiver: Receiver;
let dispatcher: ReturnType<typeof startDispatcher>;

before(async () => {
  receiver = await startReceiver();
  t = await sendingApp({ settings: { OUTBOUND_ALLOW: '127.0.0.0/8' }, handlers });
  base = await t.listen();
  dispatcher = startDispatcher(t.app);
});
after(async () => {
  await dispatcher?.stop();
  t?.app.outbound.close();
  await t?.close();
  await receiver?.close();
});

type Site = { key: string; list: string; call: SendingApp['call']; cid: string; said: number };
type Exchange = { path: string; type: string; body: Buffer; answer: Buffer };
/** Does one step of a site, and returns what its application printed, if it ran. */
type Run = (step: Step, posted: string) => Promise<string | undefined>;

async function aSite(): Promise<Site> {
  // Every site has the same reader, and a mailbox gets few confirmation messages a day.
  await t.app.db.run(sql`delete from confirmation_asked`);
  const { key, call } = await t.anotherAccount('pro');
  const list = await call<string>('listCreate', {
    title: 'Readers',
    options: { default_from_name: 'Shop', default_from_email: 'news@shop.example' },
  });
  return { key, list, call, cid: '', said: t.sink.accepted().length };
}

async function messageTo(site: Site, email: string) {
  const found = () =>
    t.sink
      .accepted()
      .slice(site.said)
      .find(({ to }) => to === email);
  await until(`a message for ${email}`, () => found() !== undefined, 30_000);
  const { raw } = found()!;
  site.said = t.sink.accepted().length;
  return PostalMime.parse(Buffer.from(raw!, 'latin1'));
}

const form =
  'EMAIL=reader%40shop.example&FNAME=Zo%C3%AB+%F0%9F%98%80&LNAME=O%E2%80%99Hara&widget_form_id=widget-2&widget_form_number=2&submit=';

/** Sign-up to unsubscription, each step of the application done by `run`. */
async function journey(site: Site, run: Run): Promise<void> {
  const { list: id, call } = site;
  const seen = receiver.posts.length;
  await call('webhookCreate', {
    title: 'Site',
    options: {
      url: receiver.url,
      events: ['contact.subscribe', 'contact.unsubscribe', 'email.click'],
      sources: ['subscriber', 'admin', 'api'],
    },
  });
  const member = async (email_address: string) =>
    call<{ status: string; merges: Record<string, string> }>('listMemberInfo', { id, email_address });
  const reported = (event: string) =>
    until(`a webhook for ${event}`, () => receiver.posts.slice(seen).some(({ body }) => body.includes(event)), 30_000);

  await run('widget', form);
  assert.equal((await member('reader@shop.example')).status, 'pending');
  const letter = await messageTo(site, 'reader@shop.example');
  const link = /https?:\/\/[^\s"<>]+\/confirm\/[^\s"<>]+/.exec(letter.text ?? letter.html ?? '')![0];
  await fetch(base + new URL(link).pathname, { method: 'POST' });
  const { status, merges } = await member('reader@shop.example');
  assert.deepEqual([status, merges.FNAME, merges.LNAME], ['subscribed', 'Zoë 😀', 'O’Hara']);
  await reported('contact.subscribe');

  const stored = await run('shop', '');
  if (stored !== undefined) assert.equal(stored, '3 stored, 0 refused\n');
  const values = [];
  for (const name of ['anna', 'jiro', 'odd']) {
    const { merges } = await member(`${name}@shop.example`);
    values.push([merges.FNAME, merges.LNAME, merges.REGISTRATIONDATE]);
  }
  assert.deepEqual(values, [
    ['Änne', '', '2015-12-25'],
    ['日本', '', '2016-01-05'],
    ['O’Hara 😀', '', ''],
  ]);

  await run('campaign', '');
  const mail = await messageTo(site, 'reader@shop.example');
  assert.deepEqual([mail.subject, mail.from?.name], ['Grüße', 'Bäcker']);
  assert.match(mail.html!, /Wälder/);
  assert.match(mail.text!, /^Grüße: /);
  const click = new URL(/<a [^>]*href="([^"]+)"[^>]*>Neues/.exec(mail.html!)![1]!.replaceAll('&amp;', '&'));
  const clicked = await fetch(base + click.pathname + click.search, { redirect: 'manual' });
  assert.equal(clicked.headers.get('location'), 'https://shop.example/news');
  await reported('email.click');

  const left = await run('leave', '');
  if (left !== undefined) assert.equal(left, 'reader@shop.example\n');
  assert.equal((await member('reader@shop.example')).status, 'unsubscribed');
  await reported('contact.unsubscribe');
}

/** Passes requests on to the installation, and keeps them with their answers. */
async function recorder() {
  const exchanges: Exchange[] = [];
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const type = request.headers['content-type'] ?? '';
    const answer = await fetch(base + request.url, {
      method: request.method!,
      headers: { 'content-type': type },
      body,
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    exchanges.push({ path: request.url!, type, body, answer: bytes });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type')! }).end(bytes);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { exchanges, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

/** With a placeholder for the key and each id. */
const generic = (bytes: Buffer, site: Site) =>
  [site.key, site.list, site.cid].reduce(
    (text, value, i) => (value === '' ? text : text.replaceAll(value, ['{key}', '{list}', '{cid}'][i]!)),
    bytes.toString('latin1'),
  );
const ofSite = (text: string, site: Site) =>
  text.replaceAll('{key}', site.key).replaceAll('{list}', site.list).replaceAll('{cid}', site.cid);
/** Also without the times and numbers that each run has of its own. */
const expected = (answer: Buffer, site: Site) =>
  generic(answer, site)
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, '{time}')
    .replace(/(web_id(?:";i:|<\/name><value><int>))\d+/g, '$1{number}');
const noteCampaign = async (site: Site) => {
  const [campaign] = await site.call<{ id: string }[]>('campaigns');
  site.cid = campaign?.id ?? '';
};

const languages: Record<string, { command: string[]; isThere: string[] }> = {
  php: {
    command: ['php', 'application.php'],
    isThere: ['php', '-r', "exit((int) !function_exists('xmlrpc_encode_request'));"],
  },
  perl: { command: ['perl', 'application.pl'], isThere: ['perl', '-MXMLRPC::Lite', '-MRPC::XML::Client', '-e', '1'] },
  python: { command: ['python3', 'application.py'], isThere: ['python3', '-c', 'import xmlrpc.client'] },
};

for (const [language, { command, isThere }] of Object.entries(languages)) {
  const recorded = join(folder, language, 'recorded');

  test(`the application in ${language} works with nothing but an address and a key`, {
    skip:
      spawnSync(isThere[0]!, isThere.slice(1)).status !== 0 && `${language} with its XML-RPC client is not installed`,
  }, async () => {
    const site = await aSite();
    const front = await recorder();
    const files = new Map<string, string>();
    try {
      await journey(site, async (step, posted) => {
        front.exchanges.length = 0;
        const child = spawn(command[0]!, [...command.slice(1), step], {
          cwd: join(folder, language),
          env: { PATH: process.env.PATH, PYTHONIOENCODING: 'utf-8', MAIL_URL: front.url, MAIL_KEY: site.key },
        });
        let out = '';
        for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (out += data));
        child.stdin.end(posted);
        const [code] = await once(child, 'close');
        assert.equal(code, 0, out);
        if (step === 'campaign') await noteCampaign(site);
        for (const [i, { path, type, body, answer }] of front.exchanges.entries()) {
          const request = `POST ${path}\nContent-Type: ${type}\n\n${generic(body, site)}`;
          files.set(`${step}-${i + 1}.request`, request).set(`${step}-${i + 1}.answer`, expected(answer, site));
        }
        return out;
      });
    } finally {
      front.close();
    }
    if (process.env.RECORD !== '1') return;
    rmSync(recorded, { recursive: true, force: true });
    mkdirSync(recorded);
    for (const [name, text] of files) writeFileSync(join(recorded, name), text, 'latin1');
  });

  test(`what the application in ${language} sent is answered as recorded`, async () => {
    const site = await aSite();
    await journey(site, async (step) => {
      const requests = readdirSync(recorded).filter((name) => name.startsWith(step) && name.endsWith('.request'));
      assert.ok(requests.length >= 2, `${step} is recorded`);
      for (const name of requests.sort()) {
        const text = readFileSync(join(recorded, name), 'latin1');
        const [, path, type, body] = /^POST (.*)\nContent-Type: (.*)\n\n([\s\S]*)$/.exec(text)!;
        const response = await fetch(base + path, {
          method: 'POST',
          headers: { 'content-type': type! },
          body: Buffer.from(ofSite(body!, site), 'latin1'),
        });
        const answer = Buffer.from(await response.arrayBuffer());
        if (step === 'campaign') await noteCampaign(site);
        const wanted = readFileSync(join(recorded, name.replace(/request$/, 'answer')), 'latin1');
        assert.equal(expected(answer, site), wanted, name);
      }
      return undefined;
    });
  });
}
