// Yes/no and multiple choice in messages: one table of texts, each in the subject, the plain text and the HTML of a message that is
// rendered and read back; and as they are stored in the address of a link.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import PostalMime from 'postal-mime';
import { content, mailOf, recipient } from '../../../test/support/builders/mail.ts';
import { compile } from '../../campaigns/compile/compile.ts';
import { asMailed, renderArchive, resolveTarget } from '../../campaigns/compile/fill.ts';
import { prepare } from './render.ts';

const fields = [
  { tag: 'VIP', type: 'yes_no', default: '' },
  { tag: 'NEWS', type: 'yes_no', default: 'no' },
  { tag: 'TOPICS', type: 'multiple_choice', default: 'Food\\, drinks' },
];
const tracking = { opens: false, htmlClicks: false, textClicks: false };

type Values = Record<string, string>;
async function received(text: string, values: Values, language: string) {
  const parts = { fields, tracking, language };
  const compiled = compile(content({ subject: text, plain: `[${text}]`, html: `<p>[${text}]</p>`, ...parts }));
  const mail = await PostalMime.parse(mailOf(prepare(compiled).render(recipient({ values }))));
  const between = (part: string | undefined) => /\[([\s\S]*)\]/.exec(part ?? '')?.[1] ?? '';
  assert.deepEqual(compiled.badConditions, [], text);
  return [mail.subject ?? '', between(mail.text), between(mail.html)];
}

const yes = { VIP: 'yes', TOPICS: 'Food\\, drinks, Wine' };
const hostile = { TOPICS: '<b>"&, *|VIP|*' };
const cases: [text: string, values: Values, expected: string, language?: string, html?: string][] = [
  ['*|VIP|*', yes, 'yes'],
  ['*|VIP|*', yes, 'ja', 'de'],
  ['*|VIP|*', { VIP: 'no' }, 'não', 'pt-BR'],
  ['*|VIP:unknown|*', {}, 'unknown'],
  ['*|NEWS|*', {}, 'nein', 'de'],
  ['*|TOPICS|*', yes, 'Food, drinks, Wine'],
  ['*|TOPICS|*', {}, 'Food, drinks'],
  ['*|TOPICS:nothing|*', {}, 'nothing'],
  ['*|TOPICS|*', hostile, '<b>"&, *|VIP|*', 'en', '&lt;b&gt;&quot;&amp;, *|VIP|*'],
  // Set means yes.
  ['*|IF:VIP|*a*|ELSE:|*b*|END:IF|*', yes, 'a'],
  ['*|IF:VIP|*a*|ELSE:|*b*|END:IF|*', { VIP: 'no' }, 'b'],
  ['*|IF:VIP|*a*|ELSE:|*b*|END:IF|*', {}, 'b'],
  ['*|IFNOT:VIP|*a*|ELSE:|*b*|END:IF|*', { VIP: 'no' }, 'a'],
  ['*|IF:VIP=true|*a*|ELSE:|*b*|END:IF|*', yes, 'a'],
  ['*|IF:VIP=Ja|*a*|ELSE:|*b*|END:IF|*', yes, 'a'],
  ['*|IF:VIP=0|*a*|ELSE:|*b*|END:IF|*', { VIP: 'no' }, 'a'],
  ['*|IF:VIP=no|*a*|ELSE:|*b*|END:IF|*', {}, 'b'],
  ['*|IF:VIP!=1|*a*|ELSE:|*b*|END:IF|*', {}, 'a'],
  ['*|IF:TOPICS|*a*|ELSE:|*b*|END:IF|*', yes, 'a'],
  ['*|IF:TOPICS|*a*|ELSE:|*b*|END:IF|*', { TOPICS: '' }, 'b'],
  ['*|IF:TOPICS=wine|*a*|ELSE:|*b*|END:IF|*', yes, 'a'],
  ['*|IF:TOPICS=Win|*a*|ELSE:|*b*|END:IF|*', yes, 'b'],
  ['*|IF:TOPICS=Food, drinks|*a*|ELSE:|*b*|END:IF|*', yes, 'a'],
  ['*|IF:TOPICS=Wine, Food\\, drinks|*a*|ELSE:|*b*|END:IF|*', yes, 'a'],
  ['*|IF:TOPICS=Wine, Jobs|*a*|ELSE:|*b*|END:IF|*', yes, 'b'],
  ['*|IF:TOPICS!=Jobs|*a*|ELSE:|*b*|END:IF|*', yes, 'a'],
  ['*|IF:TOPICS!=Wine|*a*|ELSE:|*b*|END:IF|*', yes, 'b'],
  ['*|IF:VIP AND TOPICS=Wine|*a*|ELSE:|*b*|END:IF|*', yes, 'a'],
];

test('values and conditions are as people read them, in the language of the message', async () => {
  for (const [text, values, expected, language = 'en', html = expected] of cases)
    assert.deepEqual(await received(text, values, language), [expected, expected, html], `${text} ${language}`);
});

test('in the address of a link a value is as it is stored, and the archive has the default', () => {
  const html = '<a href="https://a.example/?v=*|VIP|*&amp;t=*|TOPICS|*">x</a> *|TOPICS|* *|NEWS|*';
  const compiled = compile(content({ html, fields, language: 'de', tracking: { ...tracking, htmlClicks: true } }));
  const to = recipient({ values: yes });
  const at = new Date('2026-03-04T05:06:07Z');
  const target = 'https://a.example/?v=yes&t=Food%5C%2C%20drinks%2C%20Wine';
  assert.equal(resolveTarget(compiled.links[0]!.target, compiled, { recipient: to, at }), target);
  assert.match(renderArchive(compiled, at)!, /> Food, drinks nein$/);
  const plain = compile(content({ html, fields, language: 'de', tracking }));
  assert.match(
    asMailed(plain, to, at, to.tokens).html!,
    /href="https:\/\/a\.example\/\?v=yes&amp;t=Food%5C%2C%20drinks%2C%20Wine"/,
  );
});
