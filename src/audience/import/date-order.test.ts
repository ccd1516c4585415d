// Dates of an import have one order for each column: shown by values with one reading, or chosen by a person, never guessed.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { DateLook, dayIn, isNoDate, timeIn } from './file/dates.ts';
import { runImport } from './run.ts';

let t: TestApp;
before(async () => {
  t = await testApp();
});
after(() => t.close());

type Column = { heading: string; date_order: string };
const newList = () => t.call<string>('listCreate', { title: 'Readers' });
const run = (id: string) => runImport(t.app, t.account.id, parseId(id), false, new AbortController().signal, t.app.log);
const orderOf = async (id: string, heading: string) =>
  (await t.call<{ columns: Column[] }>('importPreview', { import: id })).columns.find(
    (column) => column.heading === heading,
  )!.date_order;
const birthdays = async (list: string) =>
  (
    await t.app.db.rows<{ day: string }>(sql`
      select coalesce(s.fields ->> 'BDAY', '') as day
      from subscription s
      join contact c on c.account_id = s.account_id and c.id = s.contact_id
      where s.list_id = ${parseId(list)}
      order by c.email`)
  ).map(({ day }) => day);
async function imported(values: string[], target = 'new:BDAY:date') {
  const list = await newList();
  const content = `email;birthday\n${values.map((value, i) => `a${i}@x.example;${value}\n`).join('')}`;
  const id = await t.call<string>('importCreate', { id: list, content, options: { mapping: { birthday: target } } });
  await t.call('importStart', { import: id });
  assert.equal(await run(id), 'finished');
  return birthdays(list);
}

test('values with one reading decide for their column', async () => {
  assert.deepEqual(await imported(['13/02/1980', '04/07/1980', '31/12/1999']), [
    '1980-02-13',
    '1980-07-04',
    '1999-12-31',
  ]);
  assert.deepEqual(await imported(['02/13/1980', '04/07/1980', '12/31/1999']), [
    '1980-02-13',
    '1980-04-07',
    '1999-12-31',
  ]);
  assert.deepEqual(await imported(['31-12-2019', '04-07-1980']), ['2019-12-31', '1980-07-04']);
  assert.deepEqual(await imported(['2020/02/03', '2020.02.03', '20200203', '3.2.2020', '5/5/1980']), [
    '2020-02-03',
    '2020-02-03',
    '2020-02-03',
    '2020-02-03',
    '1980-05-05',
  ]);
});

test('where no value decides, or values contradict each other, the order is asked for', async () => {
  for (const rows of [
    ['04/07/1980', '05/06/1981'],
    ['04/07/1980', '13/02/1980', '02/13/1980'],
    ['04-07-80', '04-07-1980'],
    ['01/02/99'],
  ]) {
    const list = await newList();
    const content = `email;birthday\n${rows.map((value, i) => `a${i}@x.example;${value}\n`).join('')}`;
    const mapping = { birthday: 'new:BDAY:date' };
    const id = await t.call<string>('importCreate', { id: list, content, options: { mapping } });
    assert.equal(await orderOf(id, 'birthday'), 'unclear');
    const { warnings } = await t.call<{ warnings: string[] }>('importPreview', { import: id });
    assert.match(warnings.join(), /birthday.*(day|month)/);
    await assert.rejects(t.call('importStart', { import: id }), {
      fault: 'IMPORT_INVALID',
      message: /birthday.*day_first/s,
    });
    await t.call('importUpdate', { import: id, mapping: { birthday: 'new:BDAY:date:day_first' } });
    assert.equal(await orderOf(id, 'birthday'), 'day_first');
    await t.call('importUpdate', { import: id, options: { update: 'add' } });
    assert.equal(await orderOf(id, 'birthday'), 'day_first');
  }
  const list = await newList();
  await t.call('listMergeVarAdd', { id: list, tag: 'BDAY', name: 'Birthday', options: { field_type: 'date' } });
  const content = 'email,Birthday\na@x.example,04/07/1980\n';
  const id = await t.call<string>('importCreate', { id: list, content });
  await t.call('importUpdate', { import: id, mapping: { Birthday: 'BDAY:month_first' } });
  await t.call('importStart', { import: id });
  assert.equal(await run(id), 'finished');
  assert.deepEqual(await birthdays(list), ['1980-04-07']);
  await assert.rejects(
    t.call('importCreate', { id: list, content, options: { mapping: { email: 'EMAIL:day_first' } } }),
    { fault: 'IMPORT_INVALID' },
  );
});

test('the time of consent is never guessed', async () => {
  const confirmed = async (list: string) =>
    (
      await t.app.db.rows<{ at: Date }>(sql`
        select s.optin_at as at
        from subscription s
        join contact c on c.account_id = s.account_id and c.id = s.contact_id
        where s.list_id = ${parseId(list)}
        order by c.email`)
    ).map(({ at }) => at.toISOString());
  const list = await newList();
  const create = (rows: string) => t.call<string>('importCreate', { id: list, content: `email;OPTINTIME\n${rows}` });
  const id = await create('a@x.example;04/07/2020 09:15\n');
  await assert.rejects(t.call('importStart', { import: id }), { fault: 'IMPORT_INVALID', message: /OPTINTIME/ });
  await t.call('importUpdate', { import: id, mapping: { OPTINTIME: 'OPTINTIME:day_first' } });
  await t.call('importStart', { import: id });
  assert.equal(await run(id), 'finished');
  assert.deepEqual(await confirmed(list), ['2020-07-04T09:15:00.000Z']);
  const second = await create('b@x.example;04/07/2020 09:15 PM\nc@x.example;13/07/2020\n');
  await t.call('importStart', { import: second });
  assert.equal(await run(second), 'finished');
  assert.deepEqual(await confirmed(list), [
    '2020-07-04T09:15:00.000Z',
    '2020-07-04T21:15:00.000Z',
    '2020-07-13T00:00:00.000Z',
  ]);
});

test('the order is found, or asked for, where only later rows need it', async () => {
  const rows = (...later: string[]) => [...Array.from({ length: 300 }, () => '1980-01-02'), ...later];
  assert.deepEqual(
    (await imported(rows('04/07/1980', '13/07/1980'))).filter((day) => day !== '1980-01-02'),
    ['1980-07-04', '1980-07-13'],
  );
  const list = await newList();
  const content = `email;birthday\n${rows('04/07/1980')
    .map((value, i) => `a${i}@x.example;${value}\n`)
    .join('')}`;
  const options = { mapping: { birthday: 'new:BDAY:date' } };
  const id = await t.call<string>('importCreate', { id: list, content, options });
  await t.call('importStart', { import: id });
  assert.equal(await run(id), 'stopped');
  const status = await t.call<{ state: string; reason: string }>('importGet', { import: id });
  assert.equal(status.state, 'mapped');
  assert.match(status.reason, /birthday/);
  assert.equal(await orderOf(id, 'birthday'), 'unclear');
  await t.call('importUpdate', { import: id, mapping: { birthday: 'BDAY:day_first' } });
  await t.call('importStart', { import: id });
  assert.equal(await run(id), 'finished');
});

test('empty dates are no value', async () => {
  const none = [
    '0000-00-00',
    '00-00-0000',
    '00.00.0000',
    '00/00/0000',
    '0000-00-00 00:00:00',
    '-',
    'n/a',
    'NULL',
    '\\N',
  ];
  assert.deepEqual(await imported([...none, '1985-03-04']), [...none.map(() => ''), '1985-03-04']);
  for (const text of none.slice(0, -1)) assert.equal(isNoDate(text), true, text);
  assert.equal(isNoDate('1985-03-04'), false);
});

test('dates and times in many forms', () => {
  const thisYear = new Date().getUTCFullYear();
  const forms: Record<string, string | undefined> = {
    '2021-03-04': '2021-03-04',
    '4.3.21': '2021-03-04',
    '31/12/99': '1999-12-31',
    '2021年3月4日': '2021-03-04',
    'Mar 4, 2021': '2021-03-04',
    'March 4, 2021 5:06 PM': '2021-03-04',
    '4 March 2021': '2021-03-04',
    '4th March 2021': '2021-03-04',
    '4-Mar-21': '2021-03-04',
    '4. März 2021': '2021-03-04',
    '4 mars 2021': '2021-03-04',
    '4 de marzo de 2021': '2021-03-04',
    '4 марта 2021 г.': '2021-03-04',
    'Thursday, March 4, 2021': '2021-03-04',
    '04/07/2021': undefined,
    '31/02/2021': undefined,
    '30.02.2021': undefined,
    '44197': undefined,
    soon: undefined,
    '': undefined,
  };
  for (const [text, day] of Object.entries(forms)) assert.equal(dayIn(text), day, text);
  assert.equal(dayIn(`01.01.${String(thisYear % 100)}`), `${thisYear}-01-01`);
  const times: Record<string, string | undefined> = {
    '2024-05-31T01:02:03.456Z': '2024-05-31T01:02:03.000Z',
    '2024-05-31 12:00 +0200': '2024-05-31T10:00:00.000Z',
    '2024-05-31 12:00:00.123456+00': '2024-05-31T12:00:00.000Z',
    '5/31/2024 12:01 AM': '2024-05-31T00:01:00.000Z',
    '31/5/2024 12:01 pm': '2024-05-31T12:01:00.000Z',
    '2024-05-31 24:01': undefined,
    '2024-05-31 13:01 pm': undefined,
    '1969-12-31': undefined,
  };
  Object.assign(times, {
    '1577836800': '2020-01-01T00:00:00.000Z',
    '1577836800000': '2020-01-01T00:00:00.000Z',
    'Wed Jan 01 2020 12:00:00 GMT+0100 (Central European Standard Time)': '2020-01-01T11:00:00.000Z',
  });
  for (const [text, time] of Object.entries(times)) assert.equal(timeIn(text), time, text);
  const look = new DateLook();
  look.add('05/05/2021');
  assert.equal(look.order, undefined);
});
