// What counts as an email that no one has written. The sample words are compared with the texts of the web application.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startersIn } from '../../../test/support/samples/starters.ts';
import { messageLanguages } from '../../base/messages.ts';
import { starterLanguages } from '../starter/catalogue.ts';
import { linesOfSamples, sampleLeave } from './sample-words.ts';
import { unwrittenHtml, unwrittenPlain } from './unwritten.ts';

const texts = (language: string, file: string): Record<string, string> =>
  JSON.parse(readFileSync(join(import.meta.dirname, `../../../ui/src/locales/${language}/${file}.json`), 'utf8'));

/** Those of the composer and of its visual editor. */
const composerTexts = (language: string) => ({ ...texts(language, 'composer'), ...texts(language, 'visual') });

const footer = '<p>*|LIST:COMPANY|* · *|LIST:ADDRESS|*<br><a href="*|UNSUB|*">Unsubscribe</a></p>';

const empty = [
  '',
  '<p></p>',
  '<!doctype html><html><head><title>*|CAMPAIGN:SUBJECT|*</title><style>p { color: red }</style></head><body></body></html>',
  '<p>&nbsp;</p><br>\u200b',
  footer,
  '<div style="display:none;max-height:0">A preview text<div>and more</div></div><p></p>',
  '*|EACH:ITEMS|* *|IF:ITEM:x|*&nbsp;*|ENDIF|* *|END:EACH|*',
  '<!-- only a comment --><script>document.write("x")</script>',
];
for (const html of empty)
  test(`empty: ${html.slice(0, 60)}`, () => assert.deepEqual(unwrittenHtml(html), { state: 'empty', samples: [] }));

const written = [
  '<p>Hello</p>',
  'Hello',
  '<img src="https://example.com/letter.png" alt="">',
  '<table background="https://example.com/letter.png"><tr><td></td></tr></table>',
  '<td style="background: url(https://example.com/a.png)">&nbsp;</td>',
  '*|FNAME|*',
  '*|RSSITEMS:|**|RSSITEM:TITLE|**|END:RSSITEMS|*',
  '*|IF:FNAME|*Hello*|END:IF|*',
  '*|EACH:ITEMS|**|ITEM:name|**|END:EACH|*',
  '<div style="display:none">never closed<p>Hello</p>',
  '<svg viewBox="0 0 1 1"></svg>',
  '<p>5 €</p>',
  '<p>👋</p>',
  `<p>Read more</p>${footer}`,
];
for (const html of written)
  test(`written: ${html.slice(0, 60)}`, () => assert.deepEqual(unwrittenHtml(html), { state: 'written', samples: [] }));

for (const language of messageLanguages) {
  const words = composerTexts(language);
  const page = texts(language, 'templates');

  test(`the letter of a new campaign is a sample (${language})`, () => {
    const letter = `<title>*|CAMPAIGN:SUBJECT|*</title><td>${words['letterHeading']}</td><td>${words['letterBody']}</td>
      <td>*|LIST:COMPANY|* · *|LIST:ADDRESS|*<br><a href="*|UNSUB|*">${words['letterLeave']}</a></td>`;
    assert.equal(unwrittenHtml(letter).state, 'letter');
    assert.equal(unwrittenPlain(words['letterPlain']!).state, 'letter');
    assert.equal(unwrittenHtml(`<td>${page['sampleHeading']}</td><td>${page['sampleText']}</td>`).state, 'letter');
    const blocks = `<td>${words['sampleText']}</td><td><p>${words['sampleHtml']}</p></td>`;
    assert.equal(unwrittenHtml(blocks).state, 'letter');
    assert.ok(sampleLeave.includes(words['letterLeave']!));
    const changed = unwrittenHtml(letter.replace(words['letterHeading']!, 'The autumn issue'));
    assert.equal(changed.state, 'written');
    assert.equal(changed.samples.length, 1);
  });
}

for (const language of messageLanguages)
  test(`a sample is found among other words (${language})`, () => {
    const words = composerTexts(language);
    const [, body = ''] = words['letterBody']!.split('<br><br>');
    const [first = '', second = ''] = body.split(/(?<=\.) /);
    const found = (line: string) => {
      const { state, samples } = unwrittenHtml(`<td>${line}</td>`);
      assert.equal(state, 'written', line);
      return samples;
    };
    for (const sample of [body, first, second, words['sampleText']!, words['letterHeading']!]) {
      for (const line of [
        `The lake. ${sample}`,
        `${sample} The lake.`,
        `We met. ${sample} And left.`,
        `<b>1</b> ${sample}`,
      ])
        assert.deepEqual(found(line), [sample]);
      // Nothing but samples: not one word of one's own.
      assert.equal(unwrittenHtml(`<td>${sample} ${sample}</td>`).state, 'letter', sample);
    }
    assert.deepEqual(unwrittenPlain(`The lake. ${first}\nBye.`), { state: 'written', samples: [first] });
    for (const short of [words['sampleHtml']!, words['sampleButton']!, texts(language, 'templates')['sampleHeading']!])
      assert.deepEqual(found(`See here: ${short}, and more.`), []);
  });

test('words that only begin like a sample are one’s own', () => {
  for (const line of [
    'DA heading that says what this is about',
    'Rewrite your news here.',
    'You can write your news here. It is easy.',
  ])
    assert.deepEqual(unwrittenHtml(`<td>${line}</td>`), { state: 'written', samples: [] }, line);
});

test('each sample line is in the texts of the web application', () => {
  const all = messageLanguages.flatMap((language) => [composerTexts(language), texts(language, 'templates')]);
  const lines = new Set(all.flatMap((words) => Object.values(words)).flatMap((text) => String(text).split(/<br>|\n/)));
  for (const line of [...linesOfSamples('sample'), ...linesOfSamples('greeting'), ...sampleLeave])
    assert.ok(lines.has(line), line);
});

test('a starter template as it came is a sample, a changed one is not', () => {
  for (const { name, source } of starterLanguages.flatMap((language) => startersIn(language))) {
    const found = unwrittenHtml(source);
    assert.equal(found.state, 'template', name);
    assert.ok(!found.samples.includes('a merge tag'), 'what it is compared by is not shown');
    assert.equal(unwrittenHtml(source.replace('</body>', '<p>Our own words.</p></body>')).state, 'written', name);
  }
});
