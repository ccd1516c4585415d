// The example data that previews and tests of an email with members and loops show.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { content } from '../../../test/support/builders/mail.ts';
import { compile } from './compile.ts';
import { exampleData } from './example.ts';
import { preview } from './fill.ts';

const fields = [{ tag: 'EVENT', type: 'data', default: '' }];
const compiled = (text: string) => compile(content({ html: text, plain: text, subject: '', toName: '', fields }));

test('each member that is shown has an example, and a loop has two items', () => {
  const table: [text: string, data: unknown][] = [
    ['no members', undefined],
    ['*|EVENT:total|*', { EVENT: { total: 'total' } }],
    ['*|EVENT:customer.first_name:friend|*', { EVENT: { customer: { first_name: 'first name' } } }],
    ['<a href="*|EVENT:cart_url|*">x</a>', { EVENT: { cart_url: 'https://example.com/' } }],
    ['*|EACH:EVENT:items|**|ITEM:name|**|END:EACH|*', { EVENT: { items: [{ name: 'name 1' }, { name: 'name 2' }] } }],
    ['*|EACH:EVENT:sizes|**|ITEM|**|END:EACH|*', { EVENT: { sizes: ['sizes 1', 'sizes 2'] } }],
    ['*|EVENT:items.1.name|*', { EVENT: { items: [null, { name: 'name' }] } }],
    ['*|IF:EVENT:total>50|*a*|END:IF|*', { EVENT: { total: '51' } }],
    ['*|IF:EVENT:total<50 AND EVENT:kind=b|*a*|END:IF|*', { EVENT: { total: '49', kind: 'b' } }],
    ['*|IF:EVENT:paid|*a*|ELSEIF:EVENT:kind!=b|*c*|END:IF|*', { EVENT: { paid: 'true', kind: 'b 2' } }],
    [
      '*|EACH:EVENT:items|**|IF:ITEM:gift=yes|**|ITEM:gift|**|END:IF|**|END:EACH|*',
      { EVENT: { items: [{ gift: 'yes' }, { gift: 'yes' }] } },
    ],
    ['<img src="*|EVENT:picture|*">*|EVENT:picture|*', { EVENT: { picture: 'https://example.com/' } }],
    ['*|EVENT:a|**|EVENT:a.b|*', { EVENT: { a: { b: 'b' } } }],
  ];
  for (const [text, data] of table) assert.deepEqual(exampleData(compiled(text)), data, text);
});

test('an email is shown with its examples', () => {
  const message = compiled(
    '<p>*|EACH:EVENT:items|*<a href="*|ITEM:url|*">*|ITEM:name|*</a>*|END:EACH|**|EVENT:total|*</p>',
  );
  const data = exampleData(message)!;
  const shown = preview(message, { email: '', emailType: 'html', values: {}, data, list: 0 }, new Date(0));
  assert.equal(
    shown.html,
    '<p><a href="https://example.com/1">name 1</a><a href="https://example.com/2">name 2</a>total</p>',
  );
});
