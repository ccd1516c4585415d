// The conditions of a segment in words.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConditionName, SegmentFilter } from '../model/segment.ts';
import { filterInWords, idsIn } from './describe.ts';

const is = (field: string, value: string, condition: ConditionName = 'is') => ({ field, condition, value });
const names = new Map([['c1', 'Spring']]);

test('answers and choices are described as people read them', () => {
  const typed = new Map([
    ...[
      ['VIP', 'Friend of the house'],
      ['type of VIP', 'yes_no'],
    ],
    ...[
      ['TOPICS', 'Topics'],
      ['type of TOPICS', 'multiple_choice'],
    ],
  ] as [string, string][]);
  const words = (filter: SegmentFilter, language: string) => filterInWords('all', filter, language, typed);
  assert.equal(words([is('VIP', 'no')], 'de'), 'Friend of the house ist “nein”');
  assert.equal(words([is('VIP', 'yes', 'not')], 'en'), 'Friend of the house is not “yes”');
  assert.equal(words([is('TOPICS', 'Food\\, drinks, Wine')], 'en'), 'Topics is “Food, drinks”, “Wine”');
  assert.equal(
    words([is('TOPICS', 'Food\\, drinks, Wine', 'hasnone')], 'de'),
    'Topics hat keines von “Food, drinks”, “Wine”',
  );
  assert.equal(words([is('FNAME', 'yes')], 'de'), 'FNAME ist “yes”');
});

test('filters are described in further languages, and in English for a language without words', () => {
  const ada = is('FNAME', 'Ada');
  const age = is('AGE', '30', 'greater');
  const table: [match: 'all' | 'any', filter: SegmentFilter, english: string, german: string][] = [
    ['all', [], 'everyone', 'alle'],
    ['any', [], 'no one', 'niemand'],
    ['all', [ada, age], 'FNAME is “Ada” and AGE is greater than “30”', 'FNAME ist “Ada” und AGE ist größer als “30”'],
    ['any', [ada, age], 'FNAME is “Ada” or AGE is greater than “30”', 'FNAME ist “Ada” oder AGE ist größer als “30”'],
    [
      'all',
      [ada, { match: 'any', filter: [ada, age] }],
      'FNAME is “Ada” and (FNAME is “Ada” or AGE is greater than “30”)',
      'FNAME ist “Ada” und (FNAME ist “Ada” oder AGE ist größer als “30”)',
    ],
    [
      'all',
      [ada, { match: 'any', filter: [ada] }],
      'FNAME is “Ada” and FNAME is “Ada”',
      'FNAME ist “Ada” und FNAME ist “Ada”',
    ],
    [
      'any',
      [{ match: 'all', filter: [ada, ada] }],
      'FNAME is “Ada” and FNAME is “Ada”',
      'FNAME ist “Ada” und FNAME ist “Ada”',
    ],
    ['all', [is('list', 'c1')], 'is on the list “Spring”', 'steht auf der Liste “Spring”'],
    ['all', [is('list', 'c1', 'not')], 'is not on the list “Spring”', 'steht nicht auf der Liste “Spring”'],
    ['all', [is('contact_tag', 'vip')], 'has the tag “vip”', 'hat das Tag “vip”'],
    ['all', [is('contact_tag', 'vip', 'not')], 'does not have the tag “vip”', 'hat das Tag “vip” nicht'],
    ['all', [is('contact_tag', 'a; b', 'isoneof')], 'has one of the tags “a”, “b”', 'hat eines der Tags “a”, “b”'],
    ['all', [is('contact_tag', 'a; b', 'notoneof')], 'has none of the tags “a”, “b”', 'hat keines der Tags “a”, “b”'],
    ['all', [is('contact_tag', '', 'isany')], 'has a tag', 'hat ein Tag'],
    ['all', [is('opened', 'c1')], 'opened “Spring”', 'hat “Spring” geöffnet'],
    ['all', [is('opened', 'c1', 'notoneof')], 'did not open “Spring”', 'hat “Spring” nicht geöffnet'],
    [
      'all',
      [is('opened', '30 days'), is('clicked', '7 days', 'not')],
      'opened a message within the last 30 days and did not click within the last 7 days',
      'hat in den letzten 30 Tagen eine Nachricht geöffnet und hat in den letzten 7 Tagen nicht geklickt',
    ],
    [
      'all',
      [is('opened', '30 days', 'not'), is('clicked', '7 days')],
      'opened no message within the last 30 days and clicked within the last 7 days',
      'hat in den letzten 30 Tagen keine Nachricht geöffnet und hat in den letzten 7 Tagen geklickt',
    ],
    ['all', [is('clicked', 'c2')], 'clicked in “c2” (deleted)', 'hat in “c2” (gelöscht) geklickt'],
    ['all', [is('opened', 'last 1')], 'opened the latest campaign', 'hat die letzte Kampagne geöffnet'],
    [
      'all',
      [is('was_sent', 'last 3', 'not')],
      'did not get any of the latest 3 campaigns',
      'hat eine der letzten 3 Kampagnen nicht bekommen',
    ],
    [
      'all',
      [is('clicked_link', 'x', 'contains')],
      'the address of a clicked link contains “x”',
      'die Adresse eines angeklickten Links enthält “x”',
    ],
    ['all', [is('EMAIL', '', 'isany')], 'the address is known', 'die Adresse ist bekannt'],
    [
      'all',
      [is('event', 'order.placed'), { ...is('event', 'cart', 'not'), times: 2 }],
      'the event “order.placed” happened and the event “cart” happened fewer than 2 times',
      'das Ereignis “order.placed” ist eingetreten und das Ereignis “cart” ist weniger als 2-mal eingetreten',
    ],
    [
      'all',
      [is('BIRTHDAY', '7 days', 'anniversary'), is('BIRTHDAY', '0 days', 'anniversary')],
      'BIRTHDAY has its anniversary today or within the next 7 days and BIRTHDAY has its anniversary today',
      'BIRTHDAY jährt sich heute oder in den nächsten 7 Tagen und BIRTHDAY jährt sich heute',
    ],
    [
      'all',
      [is('signup_time', '3 days', 'greater')],
      'the sign-up lies within the last 3 days',
      'die Anmeldung liegt in den letzten 3 Tagen',
    ],
    [
      'all',
      [is('signup_time', '3 days', 'less')],
      'the sign-up lies more than 3 days ago',
      'die Anmeldung liegt mehr als 3 Tage zurück',
    ],
    [
      'all',
      [is('signup_time', '2026-01-01', 'greater')],
      'the sign-up is after 2026-01-01',
      'die Anmeldung liegt nach 2026-01-01',
    ],
    ['all', [is('ENDS', '2026-01-01', 'less')], 'ENDS is before 2026-01-01', 'ENDS liegt vor 2026-01-01'],
    [
      'all',
      [is('signup_time', '2026-01-01', 'not')],
      'the sign-up is not “2026-01-01”',
      'die Anmeldung ist nicht “2026-01-01”',
    ],
    [
      'all',
      [is('DOMAIN', 'a; b', 'isoneof')],
      'the domain of the address is one of “a”, “b”',
      'die Domain der Adresse ist eines von “a”, “b”',
    ],
    [
      'all',
      [is('DOMAIN', 'a;b', 'notoneof')],
      'the domain of the address is none of “a”, “b”',
      'die Domain der Adresse ist keines von “a”, “b”',
    ],
  ];
  for (const [match, filter, english, german] of table) {
    assert.equal(filterInWords(match, filter, 'en', names), english);
    assert.equal(filterInWords(match, filter, 'DE-at', names), german);
  }
  const fields = new Map([...names, ['CITY', 'City of birth']]);
  assert.equal(filterInWords('all', [is('CITY', 'x', 'contains')], 'en', fields), 'City of birth contains “x”');
  assert.equal(filterInWords('all', [is('opened', 'c2')], 'fi'), 'opened “c2”', 'without names, the id');
});

test('the ids in a filter are those of lists and campaigns', () => {
  const filter: SegmentFilter = [
    is('list', ' l1 '),
    is('FNAME', 'c0'),
    { match: 'any', filter: [is('opened', 'c1'), is('opened', 'last 3'), is('clicked_link', 'x')] },
  ];
  assert.deepEqual(idsIn(filter), ['l1', 'c1']);
});

test('every condition and every built-in field has a text in both languages', () => {
  const words = (language: string, field: string, condition: ConditionName) =>
    filterInWords('all', [is(field, '7', condition)], language);
  const compared: [condition: ConditionName, english: string, german: string][] = [
    ['is', 'is', 'ist'],
    ['not', 'is not', 'ist nicht'],
    ['isoneof', 'is one of', 'ist eines von'],
    ['notoneof', 'is none of', 'ist keines von'],
    ['contains', 'contains', 'enthält'],
    ['notcontain', 'does not contain', 'enthält nicht'],
    ['starts', 'begins with', 'beginnt mit'],
    ['ends', 'ends with', 'endet mit'],
    ['greater', 'is greater than', 'ist größer als'],
    ['less', 'is less than', 'ist kleiner als'],
  ];
  for (const [condition, english, german] of compared) {
    assert.equal(words('en', 'AGE', condition), `AGE ${english} “7”`);
    assert.equal(words('de', 'AGE', condition), `AGE ${german} “7”`);
  }
  const fields: [field: string, english: string, german: string][] = [
    ['EMAIL', 'the address', 'die Adresse'],
    ['DOMAIN', 'the domain of the address', 'die Domain der Adresse'],
    ['LANGUAGE', 'the language', 'die Sprache'],
    ['TIMEZONE', 'the time zone', 'die Zeitzone'],
    ['EMAIL_TYPE', 'the format', 'das Format'],
    ['signup_source', 'the source of the sign-up', 'die Herkunft der Anmeldung'],
    ['confirm_time', 'the confirmation', 'die Bestätigung'],
    ['signup_time', 'the sign-up', 'die Anmeldung'],
    ['changed_time', 'the last change', 'die letzte Änderung'],
  ];
  for (const [field, english, german] of fields) {
    assert.equal(words('en', field, 'is'), `${english} is “7”`);
    assert.equal(words('de', field, 'is'), `${german} ist “7”`);
  }
  const did: [field: string, condition: ConditionName, english: string, german: string][] = [
    ['clicked', 'is', 'clicked in “7”', 'hat in “7” geklickt'],
    ['clicked', 'not', 'did not click in “7”', 'hat in “7” nicht geklickt'],
    ['not_opened', 'is', 'got and did not open “7”', 'hat “7” bekommen und nicht geöffnet'],
    ['not_opened', 'not', 'opened “7”', 'hat “7” geöffnet'],
    ['was_sent', 'is', 'got “7”', 'hat “7” bekommen'],
    ['was_sent', 'not', 'did not get “7”', 'hat “7” nicht bekommen'],
  ];
  for (const [field, condition, english, german] of did) {
    assert.equal(words('en', field, condition), english);
    assert.equal(words('de', field, condition), german);
  }
});

test('filters are described in French, Spanish, Italian, Polish and Portuguese, and in English for a language without words', () => {
  const filter: SegmentFilter = [is('FNAME', 'Ada'), is('opened', '30 days'), is('list', 'c1', 'not')];
  assert.equal(
    filterInWords('all', filter, 'fr-CA', names),
    'FNAME est “Ada” et a ouvert un message dans les 30 derniers jours et n’est pas sur la liste “Spring”',
  );
  assert.equal(
    filterInWords('all', filter, 'es-MX', names),
    'FNAME es “Ada” y abrió un mensaje en los últimos 30 días y no está en la lista “Spring”',
  );
  assert.equal(
    filterInWords('all', filter, 'it-CH', names),
    'FNAME è “Ada” e ha aperto un messaggio negli ultimi 30 giorni e non è nella lista “Spring”',
  );
  assert.equal(
    filterInWords('all', filter, 'pl', names),
    'FNAME to “Ada” i otworzył wiadomość w ciągu ostatnich 30 dni i nie jest na liście “Spring”',
  );
  assert.equal(
    filterInWords('all', filter, 'pt-BR', names),
    'FNAME é “Ada” e abriu uma mensagem nos últimos 30 dias e não está na lista “Spring”',
  );
  assert.equal(
    filterInWords('all', filter, 'nl-BE', names),
    'FNAME is “Ada” en opende een bericht in de laatste 30 dagen en staat niet op de lijst “Spring”',
  );
  assert.equal(filterInWords('any', [], 'constructor'), 'no one');
});
