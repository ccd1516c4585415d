// Merge tags that readers would get as text, in each part of a message; and what is no tag.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unfilledTags } from './unfilled-tags.ts';

const fields = ['EMAIL', 'FNAME', 'CITY'].map((tag) => ({ tag, type: 'text', default: '' }));
const inHtml = (html: string) => {
  const { broken, foreign } = unfilledTags({ type: 'html', html, plain: '', headers: [], fields });
  return [...broken, ...foreign.map(({ found }) => found)];
};

for (const [html, expected] of [
  ['<p>*|FNAME:<i>friend</i>|*</p>', '*|FNAME:friend|*'],
  ['<p>*|<b>FNAME</b>|*</p>', '*|FNAME|*'],
  ['<p>*|FNA<span>ME</span>|*</p>', '*|FNAME|*'],
  ['<p>*<b>|FNAME|</b>*</p>', '*|FNAME|*'],
  ['<p>*&#124;FNAME&#124;*</p>', '*|FNAME|*'],
  ['<p>*|FNAME:dear\n  friend|*</p>', '*|FNAME:dear friend|*'],
  ['<p>*|FNAME<br>|*</p>', '*|FNAME'],
  ['<p>*|FNAME:a|b|*</p>', '*|FNAME:a|b|*'],
  ['<p>Hi *|&nbsp;FNAME|*</p>', '*|\u00a0FNAME|*'.replace('\u00a0', ' ')],
  ['<p>{{<b> first_name </b>}}</p>', '{{ first_name }}'],
  ['<p>{{&nbsp;FNAME&nbsp;}}</p>', '{{ FNAME }}'],
  ['<p>&lt;%= name %&gt;</p>', '<%= name %>'],
  ['<p><%= name %></p>', '<%= name %>'],
  ['<div style="display:none">%recipient.name%</div>', '%recipient.name%'],
  ['<a href="https://example.com/?n=%7B%7Bname%7D%7D">x</a>', '{{name}}'],
  ['<a href="https://example.com/?n=*%7CF-NAME%7C*">x</a>', '*|F-NAME|*'],
  ['<img src="https://example.com/{$name}.png" alt="x">', '{$name}'],
  ['<img src="https://example.com/a.png" alt="For [% name %]">', '[% name %]'],
  ['<p><unsubscribe>Leave</unsubscribe></p>', '<unsubscribe>'],
  ['<p><webversion style="color:red">Look</webversion></p>', '<webversion>'],
  ['<p><preferences>Change</preferences></p>', '<preferences>'],
  ['<p><forwardtoafriend>Share</forwardtoafriend></p>', '<forwardtoafriend>'],
  ['<p>&lt;First Name&gt;</p>', '<First Name>'],
  ...['∣', '│', 'ǀ', '❘', '¦', '￨', '｜'].map((bar) => [`<p>*${bar}FNAME${bar}*</p>`, `*${bar}FNAME${bar}*`] as const),
  ['<p>∗|FNAME|∗</p>', '∗|FNAME|∗'],
  ['<!--[if mso]><p>%%name%%</p><![endif]-->', '%%name%%'],
  ['<!--[if !mso]><!--><p>[[name]]</p><!--<![endif]-->', '[[name]]'],
] as const)
  test(`found: ${html}`, () => assert.deepEqual(inHtml(html), [expected]));

for (const html of [
  '<p>Dear *|FNAME:friend|*, <a href="*%7CUNSUB%7C*">leave</a> <a href="https://example.com/?c=*|CITY|*">x</a></p>',
  '<style>.a{b:{{c}}}</style><script type="application/ld+json">{"a":{"@{{b}}":1}}</script><!-- {{ name }} *|FNAME| -->',
  '<p style="{color:red}">A {b} c; 50 % off [1] | 3 * 4 | x || y</p>',
  '<td>*</td><td>|</td><td>FNAME</td>',
  '<p>*|UNKNOWN|*</p>',
  '<pre>│ NAME │ CITY │ ¦ * ✱ ∗</pre>',
])
  test(`not found: ${html}`, () => assert.deepEqual(inHtml(html), []));

test('the plain text and the headers are read, each tag is named once', () => {
  const { broken, foreign } = unfilledTags({
    type: 'plain',
    html: '<p>{{ of_no_part }}</p>',
    plain: 'Hello {{ first_name }}\n*|FNAME|\nBye {{ first_name }}',
    headers: ['*|F-NAME|*', '{{ first_name }}', '*|FNAME:<you>|*', '*|FNAME:a|b|*'],
    fields,
  });
  assert.deepEqual(broken, ['*|F-NAME|*', '*|FNAME:a|b|*', '*|FNAME|']);
  assert.deepEqual(foreign, [{ found: '{{ first_name }}', replacement: '*|FNAME|*' }]);
});

for (const [html, expected] of [
  ['<p title="{{name}}">x</p>', '{{name}}'],
  ['<td background="https://example.com/{{name}}.png">x</td>', '{{name}}'],
  ['<p>*|FNAME *|CITY|* |*</p>', '*|FNAME … |*'],
] as const)
  test(`found in other places: ${html}`, () => assert.deepEqual(inHtml(html), [expected]));
