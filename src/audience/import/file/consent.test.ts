// Which columns look as if they say who may get email: by their heading or by their cells.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  AddressLook,
  agreesByTime,
  ConsentLook,
  ConsentTimeLook,
  isConsentHeading,
  type Look,
  marksLeavers,
  nameLook,
  type Stated,
  saysLeft,
  statesStatus,
  tagsLook,
} from './consent.ts';

const nothingElse: Stated = { status: false, left: false, bounced: false };
const withStatus: Stated = { ...nothingElse, status: true };
const withLeft: Stated = { ...nothingElse, left: true };
const withBounced: Stated = { ...nothingElse, bounced: true };

function after(look: Look, cells: string[]): boolean {
  for (const cell of cells) look.add(cell);
  return look.looks;
}

/** Whether a column is asked about, with what the other columns of the file give. */
const asks = (heading: string, cells: string[], stated = nothingElse) => after(new ConsentLook(heading, stated), cells);

const headings: [language: string, heading: string, yes: string, no: string][] = [
  ['da', 'Samtykke', 'ja', 'nej'],
  ['de', 'Einwilligung', 'ja', 'nein'],
  ['en', 'Receives newsletter', 'yes', 'no'],
  ['es', 'Acepta publicidad', 'sí', 'no'],
  ['et', 'Uudiskirja nõusolek', 'jah', 'ei'],
  ['fi', 'Uutiskirje', 'kyllä', 'ei'],
  ['fr', 'Consentement', 'oui', 'non'],
  ['it', 'Consenso', 'sì', 'no'],
  ['ja', 'メルマガ', 'はい', 'いいえ'],
  ['lt', 'Sutikimas', 'taip', 'ne'],
  ['lv', 'Piekrišana', 'jā', 'nē'],
  ['nb', 'Nyhetsbrev', 'ja', 'nei'],
  ['pl', 'Zgoda', 'tak', 'nie'],
  ['pt', 'Permissão', 'sim', 'não'],
  ['ru', 'Рассылка', 'да', 'нет'],
  ['sv', 'Samtycke', 'ja', 'nej'],
  ['zh', '同意', '是', '否'],
  ['ar', 'موافقة', 'نعم', 'لا'],
  ['bg', 'Съгласие', 'да', 'не'],
  ['cs', 'Souhlas', 'ano', 'ne'],
  ['el', 'Συγκατάθεση', 'ναι', 'όχι'],
  ['he', 'הסכמה', 'כן', 'לא'],
  ['hr', 'Pristanak', 'da', 'ne'],
  ['hu', 'Hozzájárulás', 'igen', 'nem'],
  ['id', 'Persetujuan', 'ya', 'tidak'],
  ['ko', '수신동의', '예', '아니오'],
  ['ro', 'Acord', 'da', 'nu'],
  ['sk', 'Súhlas', 'áno', 'nie'],
  ['th', 'ยินยอม', 'ใช่', 'ไม่ใช่'],
  ['tr', 'Bülten izni', 'evet', 'hayır'],
  ['uk', 'Згода', 'так', 'ні'],
  ['vi', 'Đồng ý', 'có', 'không'],
];
for (const [language, heading, yes, no] of headings)
  test(`a heading or a yes and no in ${language} asks`, () => {
    assert.equal(asks(heading, [yes, no]), true);
    assert.equal(asks('Q7', [yes, no]), true);
    assert.equal(asks(heading, ['A', 'B']), true);
  });

const departures: [language: string, heading: string][] = [
  ['da', 'Udmeldt'],
  ['de', 'Austritt'],
  ['en', 'Resigned on'],
  ['es', 'Fecha de baja'],
  ['et', 'Väljaastumine'],
  ['fi', 'Eronnut'],
  ['fr', 'Date de démission'],
  ['it', 'Dimissioni'],
  ['ja', '脱退日'],
  ['lt', 'Išstojo'],
  ['lv', 'Izstājās'],
  ['nb', 'Utmeldt'],
  ['pl', 'Data wystąpienia'],
  ['pt', 'Data de saída'],
  ['ru', 'Дата выхода'],
  ['sv', 'Utträde'],
  ['zh', '退出日期'],
  ['ar', 'تاريخ إلغاء الاشتراك'],
  ['bg', 'Дата на отписване'],
  ['cs', 'Datum odhlášení'],
  ['el', 'Ημερομηνία απεγγραφής'],
  ['he', 'תאריך הסרה'],
  ['hr', 'Datum odjave'],
  ['hu', 'Leiratkozás dátuma'],
  ['id', 'Tanggal berhenti berlangganan'],
  ['ko', '수신거부일'],
  ['ro', 'Data dezabonării'],
  ['sk', 'Dátum odhlásenia'],
  ['th', 'วันที่ยกเลิกการสมัคร'],
  ['tr', 'Abonelikten çıkma tarihi'],
  ['uk', 'Дата відписки'],
  ['vi', 'Ngày hủy đăng ký'],
];
for (const [language, heading] of departures)
  test(`a date of leaving in ${language} is asked about, or marks who left`, () => {
    const cells = ['', '2023-12-31'];
    assert.ok(asks(heading, cells) || marksLeavers(heading, cells));
  });

test('a date of an end is asked about, in any language, and the end of something else is not', () => {
  const ends = [
    ...['Consent withdrawn', 'Consent revoked at', 'Consent expired', 'Permission revoked', 'Subscription ended'],
    ...[
      'Subscription cancelled at',
      'Newsletter stopped at',
      'Removed from list',
      'Left',
      'Left the club',
      'Hard bounce date',
    ],
    ...['Inactive since', 'Newsletter abbestellt am', 'Abbestellt', 'Werbewiderspruch', 'Einwilligung zurückgezogen'],
    ...[
      'Consentement retiré le',
      'Consenso revocato',
      'Zgoda wycofana',
      'Toestemming ingetrokken',
      'Samtycke återkallat',
      '同意撤回',
    ],
  ];
  for (const heading of ends) assert.equal(asks(heading, ['2021-01-01', '']), true, heading);
  for (const heading of ends) assert.equal(asks(heading, ['2021-01-01', ''], withStatus), true, `${heading}, status`);
  const others = [
    ...['Attended', 'Order cancelled at', 'Trial ended', 'Bestellung storniert', 'expiry', 'Extended until'],
    ...['Payment cancelled', 'Card expires', 'Invoice cancelled at'],
  ];
  for (const heading of others) assert.equal(asks(heading, ['2021-01-01', '']), false, heading);
});

test('the end of a membership or of a consent is asked about, by its form', () => {
  for (const heading of ['Member until', 'Mitglied bis', 'Newsletter until', 'Consent expires', 'Newsletter valid to'])
    assert.equal(asks(heading, ['2021-01-01']), true, heading);
  assert.equal(asks('Licence until', ['2021-01-01']), false);
});

test('yes and no, 1 and 0, or a mark and nothing ask under any heading, a count or one value for all does not', () => {
  const columns: [cells: string[], expected: boolean][] = [
    [['yes', 'no'], true],
    [['yes'], true],
    [['1', '0'], true],
    [['1', ''], true],
    [['x', ''], true],
    [['✓', '0'], true],
    [['+', ' '], true],
    [['1', 'NULL'], true],
    [['1', '1'], false],
    [['x', 'X'], false],
    [['0', ''], false],
    [['1', '0', '2'], false],
    [['1', '0', 'Rome'], false],
    [['', 'NULL'], false],
    [[], false],
    [['Rome', ''], false],
  ];
  for (const [cells, expected] of columns) assert.equal(asks('Q7', cells), expected, JSON.stringify(cells));
  for (const [cells] of columns) assert.equal(asks('Q7', cells, withStatus), false, `${JSON.stringify(cells)}, status`);
});

test('words of status ask under any heading, also among yes and no; those that an order may have only where all are', () => {
  assert.equal(asks('Q7', ['active', 'pending']), true);
  assert.equal(asks('Q7', ['active', 'yes']), true);
  assert.equal(asks('Q7', ['active', 'Rome']), false);
  assert.equal(asks('Q7', ['active', 'pending'], withStatus), false);
  assert.equal(asks('Q7', ['Rome', 'unsubscribed']), true);
  assert.equal(asks('Q7', ['Rome', 'unsubscribed'], withStatus), true);
});

test('words of a note that say that the contact left ask, unless another column says who left', () => {
  for (const note of [
    'asked on the phone to be removed from the newsletter',
    'möchte keine weiteren E-Mails',
    'she does not want emails',
    'no longer newsletters please',
    'please stop sending',
    'se ha dado de baja',
    'ne veut plus de courriels',
  ]) {
    assert.equal(asks('Q7', [note, 'nice']), true, note);
    assert.equal(asks('Q7', [note, 'nice'], withLeft), false, `${note}, left`);
  }
  assert.equal(asks('Q7', ['likes tea, and the newsletter']), false);
  const note = (length: number) => 'keine post'.padEnd(length, '!');
  assert.deepEqual(
    [10, 11, 500, 501].map((length) => asks('Q7', [note(length)])),
    [false, true, true, false],
  );
});

test('a heading of consent asks unless all of its cells are times or addresses of computers', () => {
  assert.equal(asks('Newsletter', ['weekly', 'monthly']), true);
  assert.equal(asks('Newsletter', ['2020-01-02', 'weekly']), true);
  assert.equal(asks('Newsletter', ['2020-01-02', '2020-01-03 10:00:00 UTC']), false);
  assert.equal(asks('Newsletter', ['192.0.2.1', '2001:db8::1']), false);
  assert.equal(asks('Newsletter', ['192.0.2.1', '2020-01-02']), false);
  assert.equal(asks('Newsletter', ['1700000000', '02.01.2020 3:04 pm']), false);
  assert.equal(asks('Newsletter', ['2020', '300']), true, 'these are no times');
  assert.equal(asks('Newsletter', ['a.b']), true, 'this is no address');
  assert.equal(asks('Newsletter', ['abba']), true);
  assert.equal(asks('Newsletter', ['x'.repeat(81)]), true);
});

test('a time of agreement asks where some have none', () => {
  for (const heading of ['Confirmed at', 'email_verified_at', 'Opt-in date', 'Einwilligung am']) {
    assert.equal(asks(heading, ['2020-01-02', '']), true, heading);
    assert.equal(asks(heading, ['2020-01-02', '2020-01-03']), false, heading);
    assert.equal(asks(heading, ['2020-01-02', ''], withStatus), false, heading);
  }
});

test('what goes with leaving asks while nothing else says who left, and then not', () => {
  for (const heading of ['Unsubscribe reason', 'Unsubscribe IP', 'Opt-out type', 'Unsubscribe count']) {
    assert.equal(asks(heading, ['', '2']), true, heading);
    assert.equal(asks(heading, ['0', '']), false, `${heading}, only zeros`);
    assert.equal(asks(heading, ['0', '2'], withStatus), false, heading);
    assert.equal(asks(heading, ['0', '2'], withLeft), false, heading);
    assert.equal(asks(heading, ['0', '2'], withBounced), true, `${heading}: who bounced are others`);
  }
  for (const heading of ['Bounce type', 'Bounce count', 'Bounces']) {
    assert.equal(asks(heading, ['', 'hard']), true, heading);
    for (const stated of [withStatus, withLeft, withBounced])
      assert.equal(asks(heading, ['', 'hard'], stated), false, heading);
  }
  for (const heading of ['Newsletter source', 'Opt-in IP', 'Subscribe URL', 'Consent method'])
    assert.equal(asks(heading, ['form', 'paper']), false, heading);
});

test('how often, and on which lists, asks where nothing else says who gets email', () => {
  for (const heading of ['Email frequency', 'Häufigkeit', 'Lists', 'Email digest', 'Membership status']) {
    assert.equal(asks(heading, ['daily', '']), true, heading);
    assert.equal(asks(heading, ['daily', ''], withStatus), false, heading);
  }
});

test('a state in codes asks, a state of a country does not', () => {
  for (const heading of ['State', 'Estado', 'Stan']) assert.equal(asks(heading, ['A', 'U']), true, heading);
  assert.equal(asks('State', ['NY', 'CA']), false);
  assert.equal(asks('State', ['A', 'NY']), false);
  assert.equal(asks('State', ['A', 'U'], withStatus), false);
});

test('other channels than email, and addresses of a person, never ask', () => {
  for (const heading of [
    'SMS consent',
    'WhatsApp opt-in',
    'Phone ok',
    'Mailing city',
    'Cookie consent',
    'Push',
    '電話',
  ])
    assert.equal(asks(heading, ['yes', 'no', 'unsubscribed']), false, heading);
  for (const heading of ['Email and SMS consent', 'SMS 邮']) assert.equal(asks(heading, ['yes', 'no']), true, heading);
});

test('blanks around a cell count for nothing', () => {
  assert.equal(asks('Q7', [' yes ', '\tno']), true);
  assert.equal(asks('Q7', ['  ', ' NULL ']), false);
});

test('a time of consent that some have and some have not is asked about', () => {
  const looks = (heading: string, cells: string[]) => after(new ConsentTimeLook(heading), cells);
  assert.equal(looks('Consent date', ['2020-01-02', '']), true);
  assert.equal(looks('Consent date', ['2020-01-02', '0000-00-00']), true);
  assert.equal(looks('Consent date', ['never', '2020-01-02']), true);
  assert.equal(looks('Consent date', ['2020-01-02', 'Rome']), false);
  assert.equal(looks('Consent date', ['2020-01-02', '2020-01-02']), false);
  assert.equal(looks('Consent date', ['', '']), false);
  assert.equal(looks('Last visit', ['2020-01-02', '']), false);
});

test('a heading of a time of agreement is none of leaving, of an end, or of another channel', () => {
  for (const heading of ['Confirmed at', 'Subscribed on', 'Data iscrizione', 'подтверждено', '確認日'])
    assert.equal(agreesByTime(heading), true, heading);
  for (const heading of ['Unsubscribed at', 'Subscription ended', 'SMS consent', 'Consent withdrawn', 'City'])
    assert.equal(agreesByTime(heading), false, heading);
});

test('a heading is about consent, and not about its reason', () => {
  for (const heading of ['Newsletter', 'Opt out', 'status', 'Einwilligung', '購読', 'Aktiv'])
    assert.equal(isConsentHeading(heading), true, heading);
  for (const heading of ['Newsletter source', 'SMS consent', 'City', 'status of order', ''])
    assert.equal(isConsentHeading(heading), false, heading);
});

test('the column of addresses says who left in its heading, a name of the file, a line between them, or beside one', () => {
  const looks = (heading: string, names: string[], cells: string[]) => after(new AddressLook(heading, names), cells);
  assert.equal(looks('Unsubscribed email', [], []), true);
  assert.equal(looks('Email', ['cleaned_members.csv'], []), true);
  assert.equal(looks('Email', ['people.csv', 'Abgemeldet'], ['a@x.example']), true);
  assert.equal(looks('Email', [], ['a@x.example', 'Unsubscribed contacts:', 'b@x.example']), true);
  assert.equal(looks('Email', [], ['a@x.example (unsubscribed)']), true);
  assert.equal(looks('Email', [], ['unsubscribe@x.example', 'Ann <removed@x.example>', 'b@x.example']), false);
  assert.equal(looks('Email', [], ['Active contacts:', 'a@x.example']), false);
});

test('a title says that these left, in words of leaving but not of agreeing', () => {
  for (const title of [
    'Unsubscribed',
    'Opt-outs',
    'cleaned_members',
    'Hard bounces',
    'Former subscribers',
    'Désabonnés',
  ])
    assert.equal(saysLeft(title), true, title);
  for (const title of ['Subscribed', 'Subscribers without opt-out', 'Opt-in, not removed', 'Members', '', '—'])
    assert.equal(saysLeft(title), false, title);
});

test('a tag and a name say of a contact that it left', () => {
  assert.equal(after(tagsLook(), ['vip', 'customer; Unsubscribed']), true);
  assert.equal(after(tagsLook(), ['vip|do not email', 'vip']), true);
  assert.equal(after(tagsLook(), ['vip', 'customer', '']), false);
  assert.equal(after(tagsLook(), ['Unsubscribed', 'vip']), true, 'a later cell changes nothing');
  const longest = `Unsubscribed,${'x'.repeat(10_000 - 13)}`;
  assert.deepEqual([after(tagsLook(), [longest]), after(tagsLook(), [`${longest}x`])], [true, false]);
  assert.equal(after(nameLook(), ['Ann', 'Unsubscribed']), true);
  assert.equal(after(nameLook(), ['Ann', 'Subscribed', 'Rose Left']), false);
});

test('a column whose every cell is a word of status, one of them of subscriptions only, states it', () => {
  assert.equal(statesStatus('Q7', ['active', 'unsubscribed', ' ']), true);
  assert.equal(statesStatus('Q7', ['active', 'cancelled']), false, 'an order can be that');
  assert.equal(statesStatus('Q7', ['unsubscribed', 'Rome']), false);
  assert.equal(statesStatus('Q7', ['unsubscribed', 'yes']), false);
  assert.equal(statesStatus('SMS', ['active', 'unsubscribed']), false);
  assert.equal(statesStatus('Q7', ['', ' ']), false);
});

test('a column marks who left by a time or a yes, where its heading says so', () => {
  const heading = 'Unsubscribed';
  for (const cells of [['2020-01-02', ''], ['yes', 'no'], ['1', '0'], ['0', ''], [' 1 ', '-'], []])
    assert.equal(marksLeavers(heading, cells), true, JSON.stringify(cells));
  assert.equal(marksLeavers(heading, ['weekly', 'yes']), false);
  for (const name of ['Disabled', 'Is removed', 'Archived at', 'deaktiviert', 'Odhlášen'])
    assert.equal(marksLeavers(name, ['1', '']), true, name);
  for (const name of ['Unsubscribe reason', 'Subscribed, no mail', 'SMS opt-out', 'Newsletter', 'Disabled people'])
    assert.equal(marksLeavers(name, ['1', '']), false, name);
});
