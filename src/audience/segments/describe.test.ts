// The conditions of a segment in words.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messageLanguages } from '../../base/messages.ts';
import { builtInFields, type ConditionName, conditions, type Match, type SegmentFilter } from '../model/segment.ts';
import { filterAsSentence, filterInWords, idsIn } from './describe.ts';

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
  assert.equal(words([is('VIP', 'no')], 'de'), 'Friend of the house ist „nein“');
  assert.equal(words([is('VIP', 'yes', 'not')], 'en'), 'Friend of the house is not “yes”');
  assert.equal(words([is('TOPICS', 'Food\\, drinks, Wine')], 'en'), 'Topics is “Food, drinks”, “Wine”');
  assert.equal(
    words([is('TOPICS', 'Food\\, drinks, Wine', 'hasnone')], 'de'),
    'Topics hat keines von „Food, drinks“, „Wine“',
  );
  assert.equal(words([is('FNAME', 'yes')], 'de'), 'FNAME ist „yes“');
});

test('filters are described in further languages, and in English for a language without words', () => {
  const ada = is('FNAME', 'Ada');
  const age = is('AGE', '30', 'greater');
  const table: [match: Match, filter: SegmentFilter, english: string, german: string][] = [
    ['all', [], 'everyone', 'alle'],
    ['any', [], 'no one', 'niemand'],
    ['none', [], 'everyone', 'alle'],
    ['none', [ada], 'this condition is not met: FNAME is “Ada”', 'diese Bedingung trifft nicht zu: FNAME ist „Ada“'],
    [
      'all',
      [ada, { match: 'none', filter: [ada, age] }],
      'FNAME is “Ada” and (none of these conditions is met: FNAME is “Ada” or AGE is greater than “30”)',
      'FNAME ist „Ada“ und (keine dieser Bedingungen trifft zu: FNAME ist „Ada“ oder AGE ist größer als „30“)',
    ],
    [
      'all',
      [ada, { match: 'none', filter: [ada] }],
      'FNAME is “Ada” and (this condition is not met: FNAME is “Ada”)',
      'FNAME ist „Ada“ und (diese Bedingung trifft nicht zu: FNAME ist „Ada“)',
    ],
    [
      'all',
      [{ match: 'none', filter: [ada, ada] }],
      'none of these conditions is met: FNAME is “Ada” or FNAME is “Ada”',
      'keine dieser Bedingungen trifft zu: FNAME ist „Ada“ oder FNAME ist „Ada“',
    ],
    ['all', [ada, age], 'FNAME is “Ada” and AGE is greater than “30”', 'FNAME ist „Ada“ und AGE ist größer als „30“'],
    ['any', [ada, age], 'FNAME is “Ada” or AGE is greater than “30”', 'FNAME ist „Ada“ oder AGE ist größer als „30“'],
    [
      'all',
      [ada, { match: 'any', filter: [ada, age] }],
      'FNAME is “Ada” and (FNAME is “Ada” or AGE is greater than “30”)',
      'FNAME ist „Ada“ und (FNAME ist „Ada“ oder AGE ist größer als „30“)',
    ],
    [
      'all',
      [ada, { match: 'any', filter: [ada] }],
      'FNAME is “Ada” and FNAME is “Ada”',
      'FNAME ist „Ada“ und FNAME ist „Ada“',
    ],
    [
      'any',
      [{ match: 'all', filter: [ada, ada] }],
      'FNAME is “Ada” and FNAME is “Ada”',
      'FNAME ist „Ada“ und FNAME ist „Ada“',
    ],
    ['all', [is('list', 'c1')], 'the contact is on the list “Spring”', 'der Kontakt steht auf der Liste „Spring“'],
    [
      'all',
      [is('list', 'c1', 'not')],
      'the contact is not on the list “Spring”',
      'der Kontakt steht nicht auf der Liste „Spring“',
    ],
    ['all', [is('contact_tag', 'vip')], 'the contact has the tag “vip”', 'der Kontakt hat das Tag „vip“'],
    [
      'all',
      [is('contact_tag', 'vip', 'not')],
      'the contact does not have the tag “vip”',
      'der Kontakt hat das Tag „vip“ nicht',
    ],
    [
      'all',
      [is('contact_tag', 'a; b', 'isoneof')],
      'the contact has one of the tags “a”, “b”',
      'der Kontakt hat eines der Tags „a“, „b“',
    ],
    [
      'all',
      [is('contact_tag', 'a; b', 'notoneof')],
      'the contact has none of the tags “a”, “b”',
      'der Kontakt hat keines der Tags „a“, „b“',
    ],
    ['all', [is('contact_tag', '', 'isany')], 'the contact has a tag', 'der Kontakt hat ein Tag'],
    ['all', [is('opened', 'c1')], 'the contact opened “Spring”', 'der Kontakt hat „Spring“ geöffnet'],
    [
      'all',
      [is('opened', 'c1', 'notoneof')],
      'the contact did not open “Spring”',
      'der Kontakt hat „Spring“ nicht geöffnet',
    ],
    [
      'all',
      [is('opened', '30 days'), is('clicked', '7 days', 'not')],
      'the contact opened a message within the last 30 days and did not click within the last 7 days',
      'der Kontakt hat in den letzten 30 Tagen eine Nachricht geöffnet und hat in den letzten 7 Tagen nicht geklickt',
    ],
    [
      'all',
      [is('opened', '30 days', 'not'), is('clicked', '7 days')],
      'the contact opened no message within the last 30 days and clicked within the last 7 days',
      'der Kontakt hat in den letzten 30 Tagen keine Nachricht geöffnet und hat in den letzten 7 Tagen geklickt',
    ],
    [
      'all',
      [is('clicked', 'c2')],
      'the contact clicked in “c2” (deleted)',
      'der Kontakt hat in „c2“ (gelöscht) geklickt',
    ],
    [
      'all',
      [is('opened', 'last 1')],
      'the contact opened the latest campaign',
      'der Kontakt hat die letzte Kampagne geöffnet',
    ],
    [
      'all',
      [is('was_sent', 'last 3', 'not')],
      'the contact did not get any of the latest 3 campaigns',
      'der Kontakt hat keine der letzten 3 Kampagnen bekommen',
    ],
    [
      'all',
      [is('clicked_link', 'x', 'contains')],
      'the address of a clicked link contains “x”',
      'die Adresse eines angeklickten Links enthält „x“',
    ],
    ['all', [is('EMAIL', '', 'isany')], 'the address is known', 'die Adresse ist bekannt'],
    [
      'all',
      [is('event', 'order.placed'), { ...is('event', 'cart', 'not'), times: 2 }],
      'the event “order.placed” happened and the event “cart” happened fewer than 2 times',
      'das Ereignis „order.placed“ ist eingetreten und das Ereignis „cart“ ist weniger als 2-mal eingetreten',
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
      'die Anmeldung ist nicht „2026-01-01“',
    ],
    [
      'all',
      [is('DOMAIN', 'a; b', 'isoneof')],
      'the domain of the address is one of “a”, “b”',
      'die Domain der Adresse ist eines von „a“, „b“',
    ],
    [
      'all',
      [is('DOMAIN', 'a;b', 'notoneof')],
      'the domain of the address is none of “a”, “b”',
      'die Domain der Adresse ist keines von „a“, „b“',
    ],
  ];
  for (const [match, filter, english, german] of table) {
    assert.equal(filterInWords(match, filter, 'en', names), english);
    assert.equal(filterInWords(match, filter, 'DE-at', names), german);
  }
  const fields = new Map([...names, ['CITY', 'City of birth']]);
  assert.equal(filterInWords('all', [is('CITY', 'x', 'contains')], 'en', fields), 'City of birth contains “x”');
  assert.equal(filterInWords('all', [is('opened', 'c2')], 'fi'), 'the contact opened “c2”', 'without names, the id');
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
    assert.equal(words('de', 'AGE', condition), `AGE ${german} „7“`);
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
    assert.equal(words('de', field, 'is'), `${german} ist „7“`);
  }
  const did: [field: string, condition: ConditionName, english: string, german: string][] = [
    ['clicked', 'is', 'the contact clicked in “7”', 'der Kontakt hat in „7“ geklickt'],
    ['clicked', 'not', 'the contact did not click in “7”', 'der Kontakt hat in „7“ nicht geklickt'],
    ['not_opened', 'is', 'the contact got and did not open “7”', 'der Kontakt hat „7“ bekommen und nicht geöffnet'],
    ['not_opened', 'not', 'the contact opened “7”', 'der Kontakt hat „7“ geöffnet'],
    ['was_sent', 'is', 'the contact got “7”', 'der Kontakt hat „7“ bekommen'],
    ['was_sent', 'not', 'the contact did not get “7”', 'der Kontakt hat „7“ nicht bekommen'],
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
    'FNAME est «\u00a0Ada\u00a0» et le contact a ouvert un message dans les 30 derniers jours et n’est pas sur la liste «\u00a0Spring\u00a0»',
  );
  assert.equal(
    filterInWords('all', filter, 'es-MX', names),
    'FNAME es «Ada» y el contacto abrió un mensaje en los últimos 30 días y no está en la lista «Spring»',
  );
  assert.equal(
    filterInWords('all', filter, 'it-CH', names),
    'FNAME è “Ada” e il contatto ha aperto un messaggio negli ultimi 30 giorni e non è nella lista “Spring”',
  );
  assert.equal(
    filterInWords('all', filter, 'pl', names),
    'FNAME to „Ada” i kontakt otworzył wiadomość w ciągu ostatnich 30 dni i nie jest na liście „Spring”',
  );
  assert.equal(
    filterInWords('all', filter, 'pt-BR', names),
    'FNAME é “Ada” e o contato abriu uma mensagem nos últimos 30 dias e não está na lista “Spring”',
  );
  assert.equal(
    filterInWords('all', filter, 'nl-BE', names),
    'FNAME is “Ada” en het contact opende een bericht in de laatste 30 dagen en staat niet op de lijst “Spring”',
  );
  assert.equal(filterInWords('any', [], 'constructor'), 'no one');
});

test('one day, one campaign and none of several are said as people say them', () => {
  const table: [filter: SegmentFilter, english: string, german: string][] = [
    [
      [is('opened', '1 days')],
      'the contact opened a message within the last day',
      'der Kontakt hat innerhalb des letzten Tages eine Nachricht geöffnet',
    ],
    [
      [is('signup_time', '1 days', 'less')],
      'the sign-up lies more than a day ago',
      'die Anmeldung liegt mehr als einen Tag zurück',
    ],
    [
      [is('BORN', '1 days', 'next')],
      'BORN is today or within the next day',
      'BORN ist heute oder innerhalb des nächsten Tages',
    ],
    [
      [{ ...is('event', 'order', 'not'), days: 1 }],
      'the event “order” did not happen within the last day',
      'das Ereignis „order“ ist innerhalb des letzten Tages nicht eingetreten',
    ],
    [
      [{ ...is('event', 'order'), days: 7, where: [is('value', '5', 'greater')] } as SegmentFilter[number]],
      'the event “order” happened within the last 7 days where the value is greater than “5”',
      'das Ereignis „order“ ist in den letzten 7 Tagen eingetreten mit: Wert ist größer als „5“',
    ],
    [
      [is('clicked', 'last 3', 'not')],
      'the contact did not click in any of the latest 3 campaigns',
      'der Kontakt hat in keine der letzten 3 Kampagnen geklickt',
    ],
    [
      [is('CITY', 'Lisbon'), is('opened', '30 days'), is('contact_tag', 'vip')],
      'CITY is “Lisbon” and the contact opened a message within the last 30 days and has the tag “vip”',
      'CITY ist „Lisbon“ und der Kontakt hat in den letzten 30 Tagen eine Nachricht geöffnet und hat das Tag „vip“',
    ],
  ];
  for (const [filter, english, german] of table) {
    assert.equal(filterInWords('all', filter, 'en'), english);
    assert.equal(filterInWords('all', filter, 'de'), german);
  }
  assert.equal(filterInWords('all', [is('opened', 'last 1', 'not')], 'pl'), 'kontakt nie otworzył ostatniej kampanii');
});

test('a sentence begins with a capital letter', () => {
  assert.equal(filterAsSentence('all', [is('opened', '7 days')], 'de').slice(0, 12), 'Der Kontakt ');
  assert.equal(filterAsSentence('all', [is('signup_time', '7 days', 'greater')], 'fr').slice(0, 3), 'L’i');
  assert.equal(filterAsSentence('all', [], 'en'), 'Everyone');
});

test('every language has words of its own for every field and every comparison', () => {
  const values = ['x', '1 days', '30 days', '0 days', 'last 1', 'last 3', ''];
  const cases = [...builtInFields, 'CITY'].flatMap((field) =>
    conditions.flatMap((condition) => values.map((value) => is(field, value, condition))),
  );
  for (const language of messageLanguages)
    for (const asked of cases) {
      const text = filterInWords('all', [asked], language);
      const what = `${language} ${JSON.stringify(asked)}: ${text}`;
      assert.doesNotMatch(text, /undefined|[%#~{}|]| {2}/, what);
      const english = filterInWords('all', [asked], 'en');
      if (language !== 'en' && !(language === 'nl' && asked.field === 'CITY')) assert.notEqual(text, english, what);
    }
});
