// The starter templates: they use what every email client supports, pass the check, and reach every account in its language.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { startersIn } from '../../../test/support/samples/starters.ts';
import { messageLanguages } from '../../base/messages.ts';
import type { Finding } from '../check/check-mail.ts';
import { readStartTags } from '../markup/scan-html.ts';
import { catalogue, starterKeys, starterLanguages, starterNamed, starterNames } from './catalogue.ts';
import { starterWords } from './source.ts';
import { addTemplatesTask, translateTemplatesTask } from './starter.ts';

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

type Template = { id: string; name: string; layout: string; source: string; preview_image: string };
const templatesOf = (of: Pick<TestApp, 'call'>) => of.call<Template[]>('campaignTemplates');
const context = () => ({ app: app.app, log: app.app.log, signal: new AbortController().signal });
const addTo = (accountId: number) => addTemplatesTask(context(), { account_id: accountId });

/** What Outlook's Word engine, Gmail and Apple Mail all show; styles of the head are for those that read them. */
const commonElements = new Set('html head meta title style body div table tr td p h1 h2 h3 a strong br img'.split(' '));
const commonStyles = new Set(
  'margin padding background-color font-family font-size line-height font-weight font-style color text-align text-decoration text-transform letter-spacing white-space width min-width max-width height vertical-align display border border-radius border-top border-bottom border-left max-height overflow mso-hide mso-padding-alt -webkit-text-size-adjust -ms-text-size-adjust'.split(
    ' ',
  ),
);

for (const { name, source } of starterLanguages.flatMap((language) => startersIn(language))) {
  test(`"${name}" uses only what all email clients support, and loads only pictures of the account`, () => {
    let tables = 0;
    for (const { name: element, attributes } of readStartTags(source)) {
      assert.ok(commonElements.has(element), element);
      if (element === 'table') {
        tables += 1;
        assert.equal(attributes.get('role'), 'presentation');
        const spacing = ['cellpadding', 'cellspacing', 'border'].map((name) => attributes.get(name));
        assert.deepEqual(spacing, ['0', '0', '0']);
      }
      if (element === 'img') {
        assert.match(attributes.get('src')!, /^https:\/\/example\.com\/asset\/b0000001\/[0-9a-f]{32}\.png$/);
        assert.ok(attributes.get('alt'));
        assert.ok(Number(attributes.get('width')) <= 600);
      }
      const style = attributes.get('style') ?? '';
      for (const rule of style.split(';').filter(Boolean)) {
        const property = rule.slice(0, rule.indexOf(':')).trim();
        assert.ok(commonStyles.has(property), property);
      }
      if (element === 'p' || /^h\d$/.test(element)) assert.match(style, /font-family.*color/);
    }
    assert.ok(tables >= 2);
    assert.match(source, /<meta name="color-scheme" content="light dark">/);
    assert.match(source, /prefers-color-scheme: dark/);
    assert.match(source, /<meta name="viewport"/);
    assert.equal(source.match(/<!--\[if mso\]>/g)?.length, source.match(/<!\[endif\]-->/g)?.length);
    assert.ok(Buffer.byteLength(source) < 60_000);
    const others = source.replace(/xmlns:\w="[^"]*"/g, '').replaceAll('https://example.com/asset/', '');
    assert.doesNotMatch(others, /https?:|undefined|NaN/);
  });
}

test('each passes the check as a campaign, and can be unsubscribed from', async () => {
  await addTo(app.account.id);
  for (const { name, layout } of startersIn('en')) {
    const list = await app.call<string>('listCreate', {
      title: name,
      options: { address: '1 Road', website: 'https://example.com/' },
    });
    const template = (await templatesOf(app)).find((item) => item.name === name)!;
    assert.equal(template.layout, layout);
    const cid = await app.call<string>('campaignCreate', {
      type: 'HTML',
      options: { list_id: list, subject: 'News', from_email: 'a@example.com', from_name: 'A', auto_footer: false },
      content: { template_id: template.id },
    });
    const findings = await app.call<Finding[]>('campaignCheck', { cid });
    assert.deepEqual(
      findings.filter((finding) => finding.level !== 'info').map((item) => item.code),
      ['sample_email', 'from_not_authenticated', 'no_recipients'],
      name,
    );
    const { plain } = await app.call<{ plain: string }>('campaignContent', { cid });
    assert.match(plain, /\*\|UNSUB\|\*/);
    assert.match(plain, /\*\|LIST:ADDRESS\|\*/);
    readsWell(plain);
  }
});

/** A text alternative: no markup, no words run together, no long gaps. */
function readsWell(plain: string) {
  assert.doesNotMatch(plain, /<\/?[a-z]|&[a-z]+;|mso|\{ *color/i);
  assert.doesNotMatch(plain, /\n{4,}| {6,}/);
  assert.doesNotMatch(plain, /[a-z][.!?][A-Z]|[a-z][A-Z]{2}/);
  const lines = plain.split('\n').filter((line) => line.trim() !== '');
  assert.ok(lines.length >= 8, plain);
}

test('there are twenty templates, with every layout of the specification and names of their own in each language', () => {
  assert.equal(starterKeys.length, 20);
  assert.deepEqual([...new Set(starterKeys.map((key) => catalogue[key].layout))].sort(), [
    'basic',
    'left column',
    'postcard',
    'right column',
  ]);
  for (const language of starterLanguages)
    assert.equal(new Set(starterKeys.map((key) => starterNames[language][key])).size, 20);
  // A name that two languages share is that of one template.
  for (const key of starterKeys)
    for (const language of starterLanguages) assert.equal(starterNamed(starterNames[language][key]), key);
});

test('the words of a template have the same names in each language', () => {
  const namesIn = (language: (typeof starterLanguages)[number]) =>
    Object.entries(starterWords(language)).map(([key, words]) => [key, Object.keys(words)]);
  for (const language of starterLanguages) assert.deepEqual(namesIn(language), namesIn('en'), language);
});

test('the words of a template have the same merge tags and elements in each language', () => {
  // The default of a merge tag is a word of the language.
  const marks = (words: string) => (words.match(/\*\|[A-Z:]+(?=[|:])|<\/?\w+>/g) ?? []).sort();
  for (const language of starterLanguages)
    for (const [key, words] of Object.entries(starterWords(language)))
      for (const [name, text] of Object.entries(words))
        assert.deepEqual(marks(text), marks(starterWords('en')[key]![name]!), `${language} ${key} ${name}`);
});

test('every language of the web application has them', () => {
  assert.deepEqual([...starterLanguages], [...messageLanguages]);
});

test('the PNGs are from the drawings as they are', () => {
  const art = join(import.meta.dirname, 'art');
  for (const file of readdirSync(art).filter((name) => name.endsWith('.svg'))) {
    const source = createHash('sha256')
      .update(readFileSync(join(art, file)))
      .digest('hex');
    const png = readFileSync(join(art, file.replace(/svg$/, 'png')));
    assert.ok(png.includes(`Source\0${source}`), `${file}: npm run starter:art`);
    assert.ok(png.length < 40_000, `${file}: ${png.length} bytes`);
  }
});

test('a new account gets the templates from a task, once; its templates of the same name stay', async () => {
  const other = await app.anotherAccount();
  const own = await other.call<string>('templateCreate', { name: 'Letter', source: '<p>mine</p>' });
  await addTo(other.account.id);
  await addTo(other.account.id);
  const templates = await templatesOf(other);
  assert.deepEqual(
    templates.map((template) => template.name).sort(),
    startersIn('en')
      .map((template) => template.name)
      .sort(),
  );
  assert.equal(templates.find((template) => template.name === 'Letter')!.id, own);
});

test('the pictures are those of the account, and are served', async () => {
  const base = await app.listen();
  const other = await app.anotherAccount();
  await addTo(other.account.id);
  const [letter] = await templatesOf(other);
  const addresses = [...letter!.source.matchAll(/src="([^"]+)"/g)].map(([, address]) => address!);
  assert.ok(addresses.length >= 2);
  for (const address of addresses) {
    assert.ok(address.startsWith(`${base}/asset/`), address);
    const response = await fetch(address);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'image/png');
  }
});

test('an account has them in its language; a change of the language translates those that were not edited', async () => {
  const other = await app.anotherAccount();
  await addTo(other.account.id);
  const offer = (await templatesOf(other)).find(({ name }) => name === 'Offer')!;
  const value = offer.source.replace('SPRING20', 'MINE');
  await other.call('templateUpdate', { template_id: offer.id, name: 'source', value });
  await other.call('accountUpdate', { name: 'language', value: 'de' });
  await translateTemplatesTask(context(), { account_id: other.account.id });
  const german = await templatesOf(other);
  assert.equal(german.length, 20);
  const letter = german.find(({ name }) => name === 'Brief')!;
  assert.match(letter.source, /<html lang="de"[\s\S]*Was uns ein ruhiger Monat gelehrt hat[\s\S]*Abmelden/);
  assert.equal(german.find(({ id }) => id === offer.id)!.source, value);
  assert.equal(german.filter(({ name }) => starterNames.de[starterNamed(name)!] === name).length, 19);
  await other.call('accountUpdate', { name: 'language', value: 'pl' });
  await translateTemplatesTask(context(), { account_id: other.account.id });
  const polish = await templatesOf(other);
  assert.match(
    polish.find(({ name }) => name === 'List')!.source,
    /<html lang="pl"[\s\S]*Czego nauczył nas spokojny miesiąc/,
  );
  // A language that they are not written in gets English.
  await other.call('accountUpdate', { name: 'language', value: 'cs' });
  await translateTemplatesTask(context(), { account_id: other.account.id });
  assert.ok((await templatesOf(other)).some(({ name }) => name === 'Letter'));
});
