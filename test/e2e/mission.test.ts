// What the service is for, checked on the messages and requests that leave the program: autoresponders, delivery at
// local times, the sender, analytics parameters, footers in every language, signed webhooks. One worker and one
// dispatcher send to a sink and a receiver; days pass by moving the clock of the database.

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import PostalMime, { type Email } from 'postal-mime';
import { sql } from '../../src/db/connect.ts';
import { startWorker } from '../../src/delivery/worker.ts';
import { formatDate } from '../../src/method/date.ts';
import { handlers } from '../../src/task-handlers.ts';
import { startDispatcher } from '../../src/webhooks/dispatch.ts';
import { aCampaign, listOf } from '../support/builders/campaigns.ts';
import { type DatabaseClock, movableClock } from '../support/clock/database-clock.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';
import { type Receiver, startReceiver } from '../support/network/receiver.ts';
import { until } from '../support/run/until.ts';
import { type Sink, startSink } from '../support/smtp-sink/sink.ts';

const hour = 3_600;
const folder = mkdtempSync(join(tmpdir(), 'mission-'));
let sink: Sink;
let receiver: Receiver;
let clock: DatabaseClock;
let t: TestApp;
/** By the clock of the database the tests begin at six o'clock UTC of the next day. */
let startAt: Date;
let stop: () => Promise<void>;

before(async () => {
  sink = await startSink({ raw: true });
  receiver = await startReceiver();
  t = await testApp(
    {
      DATA_DIR: folder,
      SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=none&connections=4`,
      OUTBOUND_ALLOW: '127.0.0.0/8',
    },
    async (url) => {
      clock = await movableClock(url);
      return clock.url;
    },
  );
  startAt = new Date(Date.now() + 24 * hour * 1_000);
  startAt.setUTCHours(6, 0, 0, 0);
  await setClock(0);
  await t.app.db.run(sql`update account set time_zone = 'Etc/UTC'`);
  const worker = await startWorker(t.app, handlers);
  const dispatcher = startDispatcher(t.app);
  stop = async () => {
    await dispatcher.stop();
    await worker.stop();
  };
});
after(async () => {
  await stop?.();
  t.app.outbound.close();
  await t.close();
  await sink.close();
  await receiver.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Sets the clock of the database so many hours after the beginning. */
const setClock = (hours: number) => clock.set((startAt.getTime() - Date.now()) / 1_000 + hours * hour);
const timeAt = (hours: number) => new Date(startAt.getTime() + hours * hour * 1_000);
const day = (hours: number) => timeAt(hours).toISOString().slice(0, 10);
const acceptedFor = (address: string) => sink.accepted().filter((entry) => entry.to === address);

/** The one message that has come for an address. */
async function messageFor(address: string): Promise<Email> {
  await until(`a message for ${address}`, () => acceptedFor(address).length > 0, 30_000);
  const [entry, ...more] = acceptedFor(address);
  assert.equal(more.length, 0, `${address} got one message`);
  return PostalMime.parse(Buffer.from(entry!.raw!, 'latin1'));
}

/** Two looks of the planner, which looks every second. */
const aWhile = () => sleep(2_200);

async function send(options: Parameters<typeof aCampaign>[1]): Promise<string> {
  const cid = await aCampaign(t, options);
  await t.call('campaignSendNow', { cid });
  return cid;
}

test('the From header has the name and the sender address of a PRO account, and Reply-To is from_email', async () => {
  await t.app.db.run(sql`update account set plan = 'pro'`);
  await send({
    to: ['sender@r.example'],
    from_name: 'Grüße',
    from_email: 'answers@shop.example',
    sender: 'post@shop.example',
  });
  const mail = await messageFor('sender@r.example');
  assert.deepEqual([mail.from?.name, mail.from?.address], ['Grüße', 'post@shop.example']);
  assert.deepEqual(
    mail.replyTo?.map(({ address }) => address),
    ['answers@shop.example'],
  );
});

test('the analytics parameters are in every link of both parts', async () => {
  const content = {
    html: '<a href="https://shop.example/a?b=1#c">A</a> <a href="https://shop.example/">B</a> <a href="*|UNSUB|*">Leave</a>',
    plain: 'See https://shop.example/plain or leave: *|UNSUB|*',
  };
  const tracking = { opens: false, html_clicks: false, text_clicks: false };
  await send({ to: ['utm@r.example'], content, tracking, analytics: { google: 'May sale' } });
  const { html, text } = await messageFor('utm@r.example');
  const links = [...html!.matchAll(/href="(https:\/\/shop\.example[^"]*)"/g)].map(
    (link) => new URL(link[1]!.replaceAll('&amp;', '&')),
  );
  links.push(new URL(/https:\/\/shop\.example\/plain\S*/.exec(text!)![0]));
  assert.equal(links.length, 3);
  for (const { searchParams, href } of links) {
    assert.equal(searchParams.get('utm_campaign'), 'May sale', href);
    assert.ok(searchParams.get('utm_source') && searchParams.get('utm_medium'), href);
  }
  assert.deepEqual([links[0]!.searchParams.get('b'), links[0]!.hash], ['1', '#c']);
});

test('analytics parameters are those of the campaign and the account, and only on links of the sites of the account', async () => {
  await t.call('accountUpdate', { name: 'utm_medium', value: 'letter' });
  await t.call('accountUpdate', { name: 'analytics_sites', value: 'shop.example' });
  const html = ['https://www.shop.example/a?utm_source=own', 'https://partner.example/b?c=1']
    .map((href) => `<a href="${href}">A</a>`)
    .join(' ');
  const analytics = { google: 'May', source: 'club', content: 'top' };
  await send({
    to: ['sites@r.example'],
    content: { html, plain: 'https://partner.example/p' },
    analytics,
    tracking: { html_clicks: false },
  });
  const mail = await messageFor('sites@r.example');
  assert.match(
    mail.html!,
    /"https:\/\/www\.shop\.example\/a\?utm_source=own&amp;utm_medium=letter&amp;utm_campaign=May&amp;utm_content=top"/,
  );
  assert.match(mail.html!, /"https:\/\/partner\.example\/b\?c=1"/);
  assert.match(mail.text!, /^https:\/\/partner\.example\/p$/m);
  for (const name of ['utm_medium', 'analytics_sites']) await t.call('accountUpdate', { name, value: '' });
});

/** The word of the link to unsubscribe, by language code of the method. */
const unsubscribe = {
  cn: '退订',
  dk: 'Afmeld',
  en: 'Unsubscribe',
  ee: 'Loobu tellimusest',
  fi: 'Peru tilaus',
  fr: 'Se désabonner',
  de: 'Abmelden',
  it: 'Annulla l’iscrizione',
  jp: '配信停止',
  lv: 'Atrakstīties',
  lt: 'Atsisakyti prenumeratos',
  no: 'Meld deg av',
  pl: 'Wypisz się',
  pt: 'Descadastrar-se',
  ru: 'Отписаться',
  es: 'Cancelar la suscripción',
  se: 'Avsluta prenumerationen',
};

test('the footer is in the language of the campaign, in both parts, for each of the 17', async () => {
  assert.equal(Object.keys(unsubscribe).length, 17);
  for (const ln of Object.keys(unsubscribe))
    await send({ to: [`${ln}@r.example`], html: '<p>Text</p>', auto_footer: true, ln });
  for (const [ln, word] of Object.entries(unsubscribe)) {
    const { html, text } = await messageFor(`${ln}@r.example`);
    assert.ok(html!.includes(`>${word}</a>`), `${ln}: ${html}`);
    assert.ok(text!.includes(`${word}: http`), `${ln}: ${text}`);
  }
});

test('a webhook request carries the event and the signature of exactly its body', async () => {
  const list = await listOf(t, []);
  const options = { url: receiver.url, secret_key: 'correct horse', list_id: list, events: ['contact.subscribe'] };
  await t.call('webhookCreate', { title: 'Sign-ups', options });
  await t.call('listSubscribe', { id: list, email_address: 'new@r.example', double_optin: false });
  await until('the request has come', () => receiver.posts.length > 0, 30_000);
  const { headers, body, method } = receiver.posts[0]!;
  assert.deepEqual([method, headers['content-type']?.split(';')[0]], ['POST', 'application/json']);
  const [event] = (JSON.parse(body.toString()) as { events: { type: string; data: Record<string, unknown> }[] }).events;
  assert.equal(event!.type, 'contact.subscribe');
  assert.deepEqual([event!.data['email'], event!.data['list']], ['new@r.example', list]);
  const signature = createHmac('sha256', 'correct horse').update(body).digest('hex');
  assert.equal(headers['x-service-signature'], `sha256=${signature}`);
});

test('over several days autoresponders to a sign-up and a date, and a campaign at local times, are sent when due', async () => {
  const list = await listOf(t, []);
  await t.call('listMergeVarAdd', { id: list, tag: 'BIRTH', name: 'Birth', options: { field_type: 'date' } });
  const auto = async (subject: string, type_opts: Record<string, unknown>) =>
    send({ to: list, type: 'auto', subject, type_opts: { 'offset-units': 'day', 'offset-time': 1, ...type_opts } });
  await auto('A day after you came', { 'offset-dir': 'after', event: 'signup' });
  await auto('Tomorrow is the day', { 'offset-dir': 'before', event: 'date', 'event-datemerge': 'BIRTH' });
  for (const [name, BIRTH, TIMEZONE] of [
    ['early', '', ''],
    ['east', '', 'Asia/Tokyo'],
    ['west', '', 'America/Los_Angeles'],
    ['born', day(48), 'Etc/UTC'],
  ] as const)
    await t.call('listSubscribe', {
      id: list,
      email_address: `${name}@r.example`,
      merge_vars: { BIRTH, TIMEZONE },
      double_optin: false,
    });
  const matched = await listOf(
    t,
    ['Asia/Tokyo', 'Etc/UTC'].map((TIMEZONE, n) => ({ EMAIL: `match${n}@r.example`, TIMEZONE })),
  );
  const cid = await aCampaign(t, { to: matched, subject: 'At noon', time_match: true });
  await t.call('campaignSchedule', { cid, schedule_time: formatDate(timeAt(30)) });

  // Noon in Tokyo is three o'clock UTC.
  await setClock(20.9);
  await aWhile();
  assert.equal(acceptedFor('match0@r.example').length, 0, 'it is not yet noon in Tokyo');
  await setClock(21.05);
  assert.equal((await messageFor('match0@r.example')).subject, 'At noon');

  await setClock(23.9);
  await aWhile();
  for (const name of ['early', 'east', 'west', 'born'])
    assert.equal(acceptedFor(`${name}@r.example`).length, 0, `a day has not passed for ${name}`);
  await setClock(24.1);
  for (const name of ['early', 'east', 'west'])
    assert.equal((await messageFor(`${name}@r.example`)).subject, 'A day after you came');
  // The day before the date begins for the program at nine o'clock.
  await setClock(27.1);
  await until('both autoresponders have come', () => acceptedFor('born@r.example').length === 2, 30_000);
  const subjects = acceptedFor('born@r.example').map((entry) => /Subject: (.*)\r/.exec(entry.raw!)![1]);
  assert.deepEqual(subjects, ['A day after you came', 'Tomorrow is the day']);

  assert.equal(acceptedFor('match1@r.example').length, 0, 'it is not yet noon by the clock of UTC');
  await setClock(30.05);
  await messageFor('match1@r.example');
  assert.equal(acceptedFor('match0@r.example').length, 1);
});
