import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameFrom } from './name.ts';

test('the name of a campaign is its subject without merge tags, with what empty values become', () => {
  assert.equal(nameFrom('Autumn news'), 'Autumn news');
  assert.equal(nameFrom('Autumn news for *|FNAME:friend|*'), 'Autumn news for friend');
  assert.equal(nameFrom('Hello *|FNAME|*, our autumn'), 'Hello, our autumn');
  assert.equal(
    nameFrom('For *|EVENT:customer.name:you|*: *|EACH:EVENT:items|**|ITEM:name:x|*, *|END:EACH|*now'),
    'For you: now',
  );
  assert.equal(nameFrom('Order *|EVENT:no|* of today'), 'Order of today');
  assert.equal(nameFrom('#[FNAME]#, your autumn – *[DATE:Y]*'), 'your autumn');
  assert.equal(nameFrom('*|IF:FNAME|*Dear *|FNAME|**|ELSE:|*Hello*|END:IF|*: news'), 'Hello: news');
  assert.equal(nameFrom('*|IFNOT:CITY|*Everywhere*|ELSE:|*In *|CITY|**|ENDIF|*'), 'Everywhere');
  assert.equal(nameFrom('What a year!'), 'What a year!');
});

test('a subject of nothing but tags remains', () => {
  assert.equal(nameFrom('*|RSSFEED:TITLE|*: *|RSSITEM:TITLE|*'), '*|RSSFEED:TITLE|*: *|RSSITEM:TITLE|*');
});
