// The starter templates: they use what every email client supports, pass the check and reach every new account.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import type { Finding } from '../check/check-mail.ts';
import { readStartTags } from '../markup/scan-html.ts';
import { addStarterTemplates, addTemplatesTask, starterTemplates } from './starter.ts';

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

type Template = { id: string; name: string; layout: string; source: string; preview_image: string };

/** What Outlook's Word engine, Gmail and Apple Mail all show; styles of the head are for those that read them. */
const commonElements = new Set(
  'html head meta title style body div table tr td p h1 h2 a strong br img span'.split(' '),
);
const commonStyles = new Set(
  'margin padding background-color font-family font-size line-height font-weight color text-align text-decoration width max-width vertical-align display border-radius border-top border-bottom max-height overflow mso-hide mso-padding-alt -webkit-text-size-adjust -ms-text-size-adjust'.split(
    ' ',
  ),
);

for (const { name, layout, source } of starterTemplates) {
  test(`"${name}" uses only what all email clients support, and loads nothing from elsewhere`, () => {
    let tables = 0;
    for (const { name: element, attributes } of readStartTags(source)) {
      assert.ok(commonElements.has(element), element);
      if (element === 'table') {
        tables += 1;
        assert.equal(attributes.get('role'), 'presentation');
        const spacing = ['cellpadding', 'cellspacing', 'border'].map((name) => attributes.get(name));
        assert.deepEqual(spacing, ['0', '0', '0']);
      }
      assert.equal(attributes.get('src'), undefined);
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
    assert.ok(Buffer.byteLength(source) < 10_000);
    assert.doesNotMatch(source.replace(/xmlns:\w="[^"]*"/g, ''), /https?:/);
  });

  test(`a campaign made from "${name}" passes the check and can be unsubscribed from`, async () => {
    const list = await app.call<string>('listCreate', {
      title: name,
      options: { address: '1 Road', website: 'https://example.com/' },
    });
    await addStarterTemplates(app.app.db, app.account.id);
    const template = (await app.call<Template[]>('campaignTemplates')).find((item) => item.name === name)!;
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
    );
    const { plain } = await app.call<{ plain: string }>('campaignContent', { cid });
    assert.match(plain, /\*\|UNSUB\|\*/);
    assert.match(plain, /\*\|LIST:ADDRESS\|\*/);
    readsWell(plain);
  });
}

test('they have four looks: a band in the colour of the brand, a large one, a dark one, and white', () => {
  const looks = starterTemplates.map(({ source }) => {
    const [, ground, space] = /<tr>\n<td class="(?:sheet )?pad[^>]*bgcolor="(#\w{6})" style="padding:(\d+)/.exec(
      source,
    )!;
    return ground === '#1f5fbf' && Number(space) > 40 ? 'large' : ground;
  });
  assert.deepEqual([...new Set(looks)].sort(), ['#1b1f24', '#1f5fbf', '#ffffff', 'large']);
});

/** A text alternative: no markup, no words run together, no long gaps, and its headline near the start. */
function readsWell(plain: string) {
  assert.doesNotMatch(plain, /<\/?[a-z]|&[a-z]+;|mso|\{ *color/i);
  assert.doesNotMatch(plain, /\n{4,}| {6,}/);
  assert.doesNotMatch(plain, /[a-z][.!?][A-Z]|[a-z][A-Z]{2}/);
  const lines = plain.split('\n').filter((line) => line.trim() !== '');
  assert.ok(lines.length >= 8, plain);
}

test('there are twelve templates, with every layout of the specification', () => {
  assert.equal(starterTemplates.length, 12);
  assert.deepEqual(
    [...new Set(starterTemplates.map((template) => template.layout))],
    ['basic', 'left column', 'right column', 'postcard'],
  );
});

test('a new account gets the templates from a task, once; its templates of the same name stay', async () => {
  const other = await app.anotherAccount();
  const own = await other.call<string>('templateCreate', { name: 'Letter', source: '<p>mine</p>' });
  const run = () =>
    addTemplatesTask(
      { app: app.app, log: app.app.log, signal: new AbortController().signal },
      { account_id: other.account.id },
    );
  await run();
  await run();
  const templates = await other.call<Template[]>('campaignTemplates');
  assert.deepEqual(
    templates.map((template) => template.name).sort(),
    starterTemplates.map((template) => template.name).sort(),
  );
  assert.equal(templates.find((template) => template.name === 'Letter')!.id, own);
});
