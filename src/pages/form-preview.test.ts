// The preview of a sign-up form: its pages and emails with changes that are not saved.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';

let app: TestApp;
let list: string;
type Shown = { subject: string; text: string; html: string; source: string };
const preview = (page: string, options: object = {}, language = '') =>
  app.call<Shown>('listFormPreview', { id: list, page, language, options });

before(async () => {
  app = await testApp();
  list = await app.call<string>('listCreate', { title: 'Harbour letters' });
  await app.call('brandUpdate', { color: '#c00000' });
});
after(() => app.close());

test('each page and email is shown as visitors will see it, in the brand, with what is not saved', async () => {
  const titled = await preview('form', { title: 'Letters & more', button: 'Join', enabled: false });
  assert.match(titled.html, /<h1>Letters &amp; more<\/h1>[\s\S]*<button>Join<\/button>/);
  assert.match(titled.html, /--accent: #c00000/);
  assert.match((await preview('thanks', { thanks: 'Look into your inbox.' })).html, /Look into your inbox\./);
  const texts = [
    { name: 'confirm.ask', value: 'Really, *|EMAIL|*?' },
    { name: 'welcome.text', value: 'Good to have you.', language: 'de' },
    { name: 'goodbye.html', value: '<h1>Bye</h1>' },
  ];
  assert.match((await preview('confirm', { texts })).html, /Really, reader@example\.com\?/);
  assert.match((await preview('confirmed')).html, /Harbour letters/);
  assert.match((await preview('unsubscribed')).html, /Harbour letters/);
  const mail = await preview('confirm_email');
  assert.match(mail.subject, /Harbour letters/);
  assert.match(mail.html, /background-color:#c00000/);
  assert.doesNotMatch(mail.html, /\*\|/);
  assert.match(mail.source, /<html[\s\S]*href="\*\|CONFIRM\|\*"/);
  assert.match((await preview('welcome_email', { texts }, 'de')).html, /<p[^>]*>Good to have you\.<\/p>/);
  assert.doesNotMatch((await preview('welcome_email', { texts }, 'fr')).html, /Good to have you/);
  assert.match((await preview('goodbye_email', { texts })).html, /<h1 style=[^>]*>Bye<\/h1>/);
  assert.equal(
    (await app.call<{ settings: { title: string } }>('listForm', { id: list })).settings.title.includes('&'),
    false,
  );
});

test('a text that cannot be used is refused by its place, here and when it is saved with the settings', async () => {
  const options = { texts: [{ name: 'confirm.text', value: 'No link.' }] };
  for (const refused of [preview('confirm_email', options), app.call('listFormUpdate', { id: list, options })])
    await assert.rejects(refused, /options\.texts\.0\.value/);
});

test('settings and texts are saved together, or none of them', async () => {
  const good = { name: 'welcome.subject', value: 'Ahoy', language: 'en' };
  const bad = { name: 'welcome.text', value: '*|NOWHERE|*', language: 'en' };
  const save = (texts: object[]) => app.call('listFormUpdate', { id: list, options: { send_welcome: true, texts } });
  await assert.rejects(save([good, bad]));
  assert.equal(
    (await app.call<{ settings: { send_welcome: boolean } }>('listForm', { id: list })).settings.send_welcome,
    false,
  );
  await save([good]);
  assert.equal((await preview('welcome_email', {}, 'en')).subject, 'Ahoy');
  await save([{ ...good, value: '' }]);
  assert.match((await preview('welcome_email', {}, 'en')).subject, /Harbour letters/);
});
