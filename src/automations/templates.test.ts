// The drafts that templates make: in the language of the list, with a footer of the same.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { sql } from '../db/connect.ts';
import { parseId } from '../db/ids.ts';
import { stateOfEmail } from './steps/send.ts';
import { type TemplateName, templateNames } from './templates.ts';

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

type Draft = { subject: string; html: string; language: string };

const listIn = async (language: string) => {
  const id = await app.call<string>('listCreate', { title: `Readers ${language}` });
  await app.app.db.run(sql`update list set default_language = ${language} where id = ${parseId(id)}`);
  return id;
};
const draftsOf = (list: string) =>
  app.app.db.rows<Draft>(sql`
    select c.subject, c.html, c.language
    from campaign c
    join campaign_list l on l.account_id = c.account_id and l.campaign_id = c.id
    where l.list_id = ${parseId(list)}
    order by c.id`);

async function draftsIn(language: string, templates: readonly TemplateName[]): Promise<Draft[]> {
  const list = await listIn(language);
  for (const template of templates) await app.call('automationCreate', { title: template, list, template });
  return draftsOf(list);
}

test('a template has drafts in the language of the list', async () => {
  const seen = new Map<string, string>();
  // That no language lacks a text is checked in locales/text.test.ts.
  const languages = ['en', 'ja', 'nb', 'ru'];
  for (const language of languages)
    for (const { html, language: own } of await draftsIn(language, ['welcome'])) {
      assert.equal(own, language);
      assert.equal(seen.get(html), undefined, `${language}: ${html}`);
      seen.set(html, language);
    }
  assert.equal(seen.size, 2 * languages.length);
  const french = await draftsIn('fr', templateNames);
  assert.deepEqual(french.map(({ subject }) => subject).sort(), [
    'Bienvenue',
    'Joyeux anniversaire',
    'Souhaitez-vous encore avoir de nos nouvelles ?',
    'Trois choses pour commencer',
    'Votre panier expire bientôt',
    'Vous avez oublié quelque chose',
  ]);
});

test('a list in a language without texts gets those of the account, and a region those of its language', async () => {
  await app.call('accountUpdate', { name: 'language', value: 'sv' });
  assert.ok((await draftsIn('eo', ['welcome'])).some(({ subject }) => subject === 'Välkommen'));
  assert.ok((await draftsIn('pt-br', ['welcome'])).some(({ subject }) => subject === 'Boas-vindas'));
});

test('the letter of a recurring campaign begins in the language of its list', async () => {
  const list = await listIn('it');
  const feed = 'https://example.com/feed.xml';
  await app.call('recurringCreate', {
    title: 'Blog',
    list,
    source_url: feed,
    schedule: { type: 'daily', time: '09:00' },
  });
  const [letter] = await draftsOf(list);
  assert.match(letter!.html, /Novità da/);
  assert.match(letter!.html, /Continua a leggere/);
  assert.equal(letter!.language, 'it');
});

test('a new email begins in the brand of the account, with its footer in the language of the list, and says nothing of its own', async () => {
  await app.call('brandUpdate', {
    ...{ logo_url: 'https://example.com/logo.png', color: '#7a1fa2', background: '#fff7ee', font: 'georgia' },
    footer: 'Company no. 12345',
  });
  const list = await listIn('de');
  const email = await app.call<string>('automationEmailCreate', { list, subject: 'Willkommen' });
  const [{ html }] = (await draftsOf(list)) as [Draft];
  assert.match(html, /<img src="https:\/\/example\.com\/logo\.png" alt="\*\|LIST:NAME\|\*"/);
  for (const part of [
    '#7a1fa2',
    '#fff7ee',
    'Georgia,serif',
    'Company no. 12345',
    '*|LIST:COMPANY|*',
    '*|LIST:ADDRESS|*',
  ])
    assert.ok(html.includes(part), part);
  assert.doesNotMatch(html, /#1f5fbf|#eef1f5|Arial|\{\w+\}/);
  assert.match(html, />Abmelden<\/a>/);
  assert.equal(stateOfEmail(html), 'sample');
  const written = html.replace('Schreiben Sie hier Ihre Nachricht.</p>', 'Guten Tag</p>');
  assert.notEqual(written, html);
  assert.equal(stateOfEmail(written), 'written');
  const { html: sent } = await app.call<{ html: string }>('campaignContent', { cid: email });
  assert.equal(sent, html);
  const greeting = await app.call<string>('automationEmailCreate', {
    list,
    subject: 'Zwei',
    text: 'Gr\u00fc\u00dfe & {body} $& \u2026',
  });
  const { html: greeted } = await app.call<{ html: string }>('campaignContent', { cid: greeting });
  assert.ok(greeted.includes('>Gr\u00fc\u00dfe &amp; {body} $&amp; \u2026</p>'));
});
