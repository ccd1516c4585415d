// A column that looks as if it says who may get email is not left out without a decision: importStart refuses until then.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { parseId } from '../../db/ids.ts';
import { runImport } from './run.ts';

let t: TestApp;
before(async () => {
  t = await testApp();
});
after(() => t.close());

type Preview = { columns: { heading: string; target: string; undecided: boolean }[]; warnings: string[] };
type Status = { state: string; reason: string; result: Record<string, number> };

const newList = () => t.call<string>('listCreate', { title: 'Readers' });
const create = async (content: string, options: Record<string, unknown> = {}) =>
  t.call<string>('importCreate', { id: await newList(), content, options });
const preview = (id: string) => t.call<Preview>('importPreview', { import: id });
const asked = async (id: string) =>
  (await preview(id)).columns.filter(({ undecided }) => undecided).map(({ heading }) => heading);
const run = (id: string, dry = false) =>
  runImport(t.app, t.account.id, parseId(id), dry, new AbortController().signal, t.app.log);

test('a file with an undecided column is refused at the start, and imported once it is decided', async () => {
  const list = await newList();
  const content = 'email,newsletter\nann@x.example,yes\nlou@x.example,no\n';
  const id = await t.call<string>('importCreate', { id: list, content });
  assert.deepEqual(await asked(id), ['newsletter']);
  assert.match((await preview(id)).warnings.join(), /newsletter/);
  await assert.rejects(t.call('importStart', { import: id }), {
    fault: 'IMPORT_INVALID',
    message: /"newsletter".*STATUS.*UNSUBSCRIBED/s,
  });
  assert.equal((await t.call<Status>('importGet', { import: id })).state, 'mapped');
  assert.deepEqual(await t.call('listMembers', { id: list }), []);
  await t.call('importUpdate', { import: id, mapping: { newsletter: 'STATUS' } });
  assert.deepEqual(await asked(id), []);
  await t.call('importStart', { import: id });
  assert.equal(await run(id), 'finished');
  const members = await t.call<{ email: string }[]>('listMembers', { id: list, status: 'subscribed' });
  assert.deepEqual(
    members.map(({ email }) => email),
    ['ann@x.example'],
  );
});

test('to leave the column out is a decision too, and another column does not decide it', async () => {
  const id = await create('email,newsletter,city\nann@x.example,yes,Rome\n', { mapping: { city: 'new:CITY' } });
  assert.deepEqual(await asked(id), ['newsletter']);
  await t.call('importUpdate', { import: id, mapping: { city: '' }, options: { update: 'add' } });
  await assert.rejects(t.call('importStart', { import: id }), { fault: 'IMPORT_INVALID' });
  await t.call('importUpdate', { import: id, mapping: { newsletter: '' } });
  await t.call('importStart', { import: id });
  assert.equal(await run(id), 'finished');
});

const leavers: [language: string, subscribed: string, unsubscribed: string, bounced: string, pending: string][] = [
  ['da', 'tilmeldt', 'afmeldt', 'returneret', 'afventer'],
  ['de', 'angemeldet', 'abgemeldet', 'unzustellbar', 'unbestätigt'],
  ['en', 'subscribed', 'opt-out', 'bounced', 'unconfirmed'],
  ['es', 'suscrito', 'dado de baja', 'rebotado', 'pendiente'],
  ['et', 'tellija', 'loobunud', 'tagastatud', 'ootel'],
  ['fi', 'tilaaja', 'peruutettu', 'palautunut', 'odottaa'],
  ['fr', 'abonné', 'désabonné', 'rebond', 'en attente'],
  ['it', 'iscritto', 'disiscritto', 'respinto', 'in attesa'],
  ['ja', '購読中', '退会', '不達', '仮登録'],
  ['lt', 'prenumeratorius', 'atsisakė', 'grąžintas', 'laukia'],
  ['lv', 'abonents', 'atteicās', 'atgriezts', 'gaida'],
  ['nb', 'påmeldt', 'avmeldt', 'returnert', 'venter'],
  ['pl', 'zapisany', 'wypisany', 'odbity', 'niepotwierdzony'],
  ['pt', 'inscrito', 'descadastrado', 'devolvido', 'pendente'],
  ['ru', 'подписан', 'отписан', 'недоставлено', 'не подтвержден'],
  ['sv', 'prenumererar', 'avregistrerad', 'studsat', 'obekräftad'],
  ['zh', '已订阅', '已退订', '退信', '待确认'],
  ['ar', 'مشترك', 'ألغى الاشتراك', 'مرتد', 'قيد الانتظار'],
  ['bg', 'абониран', 'отписан', 'недоставено', 'непотвърден'],
  ['cs', 'přihlášen', 'odhlášen', 'nedoručeno', 'nepotvrzeno'],
  ['el', 'εγγεγραμμένος', 'διεγραμμένος', 'ανεπίδοτο', 'εκκρεμεί'],
  ['he', 'מנוי', 'הוסר', 'הוחזר', 'ממתין'],
  ['hr', 'pretplaćen', 'odjavljen', 'nedostavljeno', 'nepotvrđeno'],
  ['hu', 'feliratkozott', 'leiratkozott', 'kézbesíthetetlen', 'megerősítésre vár'],
  ['id', 'berlangganan', 'berhenti berlangganan', 'gagal terkirim', 'belum dikonfirmasi'],
  ['ko', '구독', '수신거부', '반송', '미확인'],
  ['ro', 'abonat', 'dezabonat', 'nelivrat', 'neconfirmat'],
  ['sk', 'prihlásený', 'odhlásený', 'nedoručené', 'nepotvrdený'],
  ['sl', 'naročen', 'odjavljen', 'nedostavljeno', 'nepotrjen'],
  ['sr', 'претплаћен', 'одјављен', 'недостављено', 'непотврђен'],
  ['th', 'สมัครแล้ว', 'ยกเลิกการสมัคร', 'ตีกลับ', 'รอการยืนยัน'],
  ['tr', 'abone', 'abonelikten çıktı', 'teslim edilemedi', 'onay bekliyor'],
  ['uk', 'підписаний', 'відписаний', 'не доставлено', 'непідтверджений'],
  ['vi', 'đã đăng ký', 'đã hủy đăng ký', 'bị trả lại', 'chưa xác nhận'],
];
/** As other programs write the same words: in capitals, composed otherwise, with a mark of direction. */
const spelled = (language: string, words: string[]) =>
  ['cs', 'hu', 'sk', 'vi', 'el'].includes(language)
    ? words.map((word) => word.toUpperCase().normalize('NFD'))
    : words.map((word) => (['ar', 'he'].includes(language) ? `\u200f${word}\u200e` : word));

for (const [language, ...plainWords] of leavers)
  test(`words of status in ${language} are read, or asked about, under any heading`, async () => {
    const list = await newList();
    const words = spelled(language, plainWords);
    const content = `email,Z9\n${words.map((word, i) => `c${i}@x.example,${word}\n`).join('')}`;
    const id = await t.call<string>('importCreate', { id: list, content });
    if ((await asked(id)).length > 0) await t.call('importUpdate', { import: id, mapping: { Z9: 'STATUS' } });
    await t.call('importStart', { import: id });
    assert.equal(await run(id), 'finished');
    const found = await Promise.all(
      words.map((_, i) => t.call<{ status: string }>('listMemberInfo', { id: list, email_address: `c${i}@x.example` })),
    );
    assert.deepEqual(
      found.map(({ status }) => status),
      ['subscribed', 'unsubscribed', 'bounced', 'pending'],
    );
  });

test('what does not look like consent is not asked about', async () => {
  const plain =
    'email,First name,City,Customer no,Points,Last visit,Website,Phone,Notes\nann@x.example,Ann,Rome,1,0,2024-05-06,https://x.example,+49 30 1,likes tea\nbob@x.example,Bo,Paris,2,3,2024-05-07,https://y.example,+49 30 2,\n';
  assert.deepEqual(await asked(await create(plain)), []);
  // Another column says who left; a yes and no of something else needs no decision.
  assert.deepEqual(
    await asked(await create('email,status,Tax exempt\na@x.example,active,no\nb@x.example,active,yes\n')),
    [],
  );
  assert.deepEqual(await asked(await create('email,unsubscribed_at,SMS consent\na@x.example,,no\n')), []);
});

test('a column without a heading, and one that would become a field of the list, are asked about', async () => {
  const bare = await create('ann@x.example,yes\nbob@x.example,no\n');
  assert.deepEqual(
    (await preview(bare)).columns.map(({ undecided }) => undecided),
    [false, true],
  );
  await assert.rejects(t.call('importStart', { import: bare }), { message: /"2"/ });
  const list = await newList();
  await t.call('listMergeVarAdd', { id: list, tag: 'NEWSLETTER', name: 'Newsletter' });
  const content = 'email,Newsletter\nann@x.example,no\n';
  const id = await t.call<string>('importCreate', { id: list, content });
  assert.deepEqual(await asked(id), ['Newsletter']);
  await t.call('importUpdate', { import: id, mapping: { Newsletter: 'NEWSLETTER' } });
  await t.call('importStart', { import: id });
});

test('a second consent with yes and no is asked about although a column has the status', async () => {
  assert.deepEqual(await asked(await create('email,status,newsletter\na@x.example,active,no\n')), ['newsletter']);
});

test('a column that shows what it is only after the first rows sends the import back, before any row is written', async () => {
  const list = await newList();
  const rows = Array.from({ length: 400 }, (_, i) => `r${i}@x.example,${i === 350 ? 'unsubscribed' : 'Berlin'}`);
  const id = await t.call<string>('importCreate', { id: list, content: `email,Remark\n${rows.join('\n')}\n` });
  assert.deepEqual(await asked(id), []);
  await t.call('importStart', { import: id });
  assert.equal(await run(id), 'stopped');
  const status = await t.call<Status>('importGet', { import: id });
  assert.equal(status.state, 'mapped');
  assert.match(status.reason, /Remark/);
  assert.deepEqual(await t.call('listMembers', { id: list }), []);
  assert.deepEqual(await asked(id), ['Remark']);
  await assert.rejects(t.call('importStart', { import: id }), { fault: 'IMPORT_INVALID' });
  await t.call('importUpdate', { import: id, mapping: { Remark: '' } });
  await t.call('importStart', { import: id });
  assert.equal(await run(id), 'finished');
  assert.equal((await t.call<Status>('importGet', { import: id })).reason, '');
});

test('a dry run finds such a column too', async () => {
  const rows = Array.from({ length: 400 }, (_, i) => `r${i}@x.example,${i === 350 ? 'opt-out' : 'Berlin'}`);
  const id = await create(`email,Remark\n${rows.join('\n')}\n`);
  await t.call('importDryRun', { import: id });
  assert.equal(await run(id, true), 'finished');
  assert.deepEqual(await asked(id), ['Remark']);
  await assert.rejects(t.call('importStart', { import: id }), { fault: 'IMPORT_INVALID' });
});

test('a column of status in codes that no one can read is asked about', async () => {
  assert.deepEqual(await asked(await create('email,status\na@x.example,C\nb@x.example,U\n')), ['status']);
  assert.deepEqual(await asked(await create('email,status\na@x.example,1\nb@x.example,2\nc@x.example,0\n')), [
    'status',
  ]);
  assert.deepEqual(await asked(await create('email,status\na@x.example,active\nb@x.example,gone\n')), []);
});

test('where only a mark says yes, an empty cell is a no', async () => {
  const list = await newList();
  const content = 'email,newsletter\nann@x.example,x\nlou@x.example,\n';
  const statuses = async () => {
    const found = await Promise.all(
      ['ann', 'lou'].map((name) =>
        t.call<{ status: string }>('listMemberInfo', { id: list, email_address: `${name}@x.example` }),
      ),
    );
    return found.map(({ status }) => status);
  };
  const id = await t.call<string>('importCreate', {
    id: list,
    content,
    options: { mapping: { newsletter: 'STATUS' } },
  });
  assert.match((await preview(id)).warnings.join(), /newsletter.*empty/);
  await t.call('importStart', { import: id });
  assert.equal(await run(id), 'finished');
  assert.deepEqual(await statuses(), ['subscribed', 'unsubscribed']);
  // With a status for the rest, it is decided.
  const other = await create(content, { mapping: { newsletter: 'STATUS' }, status: 'pending' });
  assert.deepEqual((await preview(other)).warnings, []);
});
