// What tests of the applications in applications/* share: a site with its list and key, the journey from sign-up to
// unsubscription, and the programs with what they sent.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before } from 'node:test';
import PostalMime from 'postal-mime';
import { sql } from '../../../src/db/connect.ts';
import { handlers } from '../../../src/task-handlers.ts';
import { startDispatcher } from '../../../src/webhooks/dispatch.ts';
import { type SendingApp, sendingApp } from '../../support/installation/sending-app.ts';
import { type Receiver, startReceiver } from '../../support/network/receiver.ts';
import { until } from '../../support/run/until.ts';

export const folderOf = (language: string) => join(import.meta.dirname, language);
export const recordedOf = (language: string) => join(folderOf(language), 'recorded');
const steps = ['widget', 'shop', 'campaign', 'leave'] as const;
export type Step = (typeof steps)[number];

let t: SendingApp;
export let base: string;
let receiver: Receiver;
let dispatcher: ReturnType<typeof startDispatcher>;

/** Starts the installation before the tests of a file, and stops it after them. */
export function useInstallation(): void {
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
}

export type Site = { key: string; list: string; call: SendingApp['call']; cid: string; said: number };
export type Member = { status: string; merges: Record<string, string> };
type Exchange = { path: string; type: string; body: Buffer; answer: Buffer };
/** Does one step of a site, and returns what its application printed, if it ran. */
export type Run = (step: Step, posted: string) => Promise<string | undefined>;

export async function aSite(): Promise<Site> {
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

export const form =
  'EMAIL=reader%40shop.example&FNAME=Zo%C3%AB+%F0%9F%98%80&LNAME=O%E2%80%99Hara&widget_form_id=widget-2&widget_form_number=2&submit=';

/** Sign-up to unsubscription, each step of the application done by `run`. */
export async function journey(site: Site, run: Run): Promise<void> {
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
  const member = async (email_address: string) => call<Member>('listMemberInfo', { id, email_address });
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
  await checkCustomers(site);

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

/** The customers of the shop have the values that it sent. */
export async function checkCustomers({ list: id, call }: Site): Promise<void> {
  const values = [];
  for (const name of ['anna', 'jiro', 'odd']) {
    const { merges } = await call<Member>('listMemberInfo', { id, email_address: `${name}@shop.example` });
    values.push([merges.FNAME, merges.LNAME, merges.REGISTRATIONDATE]);
  }
  assert.deepEqual(values, [
    ['Änne', '', '2015-12-25'],
    ['日本', '', '2016-01-05'],
    ['O’Hara 😀', '', ''],
  ]);
}

/** Passes requests on to the installation, and keeps them with their answers. */
export async function recorder() {
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
export const generic = (bytes: Buffer, site: Site) =>
  [site.key, site.list, site.cid].reduce(
    (text, value, i) => (value === '' ? text : text.replaceAll(value, ['{key}', '{list}', '{cid}'][i]!)),
    bytes.toString('latin1'),
  );
export const ofSite = (text: string, site: Site) =>
  text.replaceAll('{key}', site.key).replaceAll('{list}', site.list).replaceAll('{cid}', site.cid);
/** Also without the times and numbers that each run has of its own. */
export const expected = (answer: Buffer, site: Site) =>
  generic(answer, site)
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, '{time}')
    .replace(/(web_id(?:";i:|<\/name><value><int>))\d+/g, '$1{number}');
export const noteCampaign = async (site: Site) => {
  const [campaign] = await site.call<{ id: string }[]>('campaigns');
  site.cid = campaign?.id ?? '';
};

/** The program of each language, and one that exits with 0 where it and its libraries are installed. */
const programs = {
  php: {
    command: ['php', 'application.php'],
    isThere: ['php', '-r', "exit((int) !function_exists('xmlrpc_encode_request'));"],
  },
  perl: { command: ['perl', 'application.pl'], isThere: ['perl', '-MXMLRPC::Lite', '-MRPC::XML::Client', '-e', '1'] },
  python: { command: ['python3', 'application.py'], isThere: ['python3', '-c', 'import xmlrpc.client'] },
};
export type Language = keyof typeof programs;
export const languages = Object.keys(programs) as Language[];

/** The reason to skip a test that runs the language's program; false where it is installed. */
export function isMissing(language: Language): string | false {
  const [program, ...args] = programs[language].isThere;
  return spawnSync(program!, args).status !== 0 && `${language} with its XML-RPC client is not installed`;
}

/** Does one step of the program, and returns what it printed. */
export async function runStep(language: Language, step: Step, posted: string, url: string, key: string) {
  const [program, ...args] = programs[language].command;
  const child = spawn(program!, [...args, step], {
    cwd: folderOf(language),
    env: { PATH: process.env.PATH, PYTHONIOENCODING: 'utf-8', MAIL_URL: url, MAIL_KEY: key },
  });
  let out = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (out += data));
  child.stdin.end(posted);
  const [code] = await once(child, 'close');
  assert.equal(code, 0, out);
  return out;
}
