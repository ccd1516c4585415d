// Workbooks (.xlsx) and address books (.vcf) are imported like a table, within limits; the kind of any other file is named.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { zipOf } from '../../../test/support/builders/archives.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { appendUpload, createUpload } from './file/upload.ts';
import { runImport } from './run.ts';

let t: TestApp;
before(async () => {
  t = await testApp();
});
after(() => t.close());

type Preview = {
  columns: { heading: string; target: string; samples: string[]; undecided: boolean }[];
  warnings: string[];
  format: { packing: string };
};
type Status = { state: string; reason: string; result: Record<string, number> };

async function create(name: string, bytes: Buffer, options: Record<string, unknown> = {}) {
  const list = await t.call<string>('listCreate', { title: name });
  const upload = await createUpload(t.app.db, t.account.id, name);
  await appendUpload(t.app.db, t.account.id, upload, 0, pieces(bytes));
  const id = await t.call<string>('importCreate', { id: list, upload: formatId(upload), options });
  return { list, id };
}
async function* pieces(bytes: Buffer) {
  for (let at = 0; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000);
}
async function run(id: string): Promise<Status> {
  await t.call('importStart', { import: id });
  await runImport(t.app, t.account.id, parseId(id), false, new AbortController().signal, t.app.log);
  return t.call<Status>('importGet', { import: id });
}
const preview = (id: string) => t.call<Preview>('importPreview', { import: id });
const emails = async (list: string) =>
  (
    await t.app.db.rows<{ email: string }>(sql`
      select c.email
      from subscription s
      join contact c on c.account_id = s.account_id and c.id = s.contact_id
      where s.list_id = ${parseId(list)}
      order by c.email`)
  ).map(({ email }) => email);

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
type Book = { rows: string; strings?: string; styles?: string; properties?: string; sheets?: string; more?: string };

/** A workbook of one sheet with these rows, and of further parts. */
function workbook({ rows, strings = '', styles = '', properties = '', sheets, more }: Book): Buffer {
  const part = (name: string, body: string) => ({
    name,
    body: `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n${body}`,
  });
  return zipOf([
    part('[Content_Types].xml', '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'),
    part(
      'xl/workbook.xml',
      `<workbook xmlns="${main}" xmlns:r="${relations}">${properties}<sheets>${sheets ?? '<sheet name="People" sheetId="1" r:id="rId1"/>'}</sheets></workbook>`,
    ),
    part(
      'xl/_rels/workbook.xml.rels',
      '<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Target="/xl/worksheets/sheet2.xml"/></Relationships>',
    ),
    part('xl/worksheets/sheet1.xml', `<worksheet xmlns="${main}"><sheetData>${rows}</sheetData></worksheet>`),
    ...(more
      ? [part('xl/worksheets/sheet2.xml', `<worksheet xmlns="${main}"><sheetData>${more}</sheetData></worksheet>`)]
      : []),
    ...(strings ? [part('xl/sharedStrings.xml', `<sst xmlns="${main}">${strings}</sst>`)] : []),
    ...(styles ? [part('xl/styles.xml', `<styleSheet xmlns="${main}">${styles}</styleSheet>`)] : []),
  ]);
}
const text = (reference: string, value: string) => `<c r="${reference}" t="inlineStr"><is><t>${value}</t></is></c>`;

test('a workbook is imported: shared and inline text, numbers, dates, booleans, gaps', async () => {
  const strings =
    '<si><t>Email</t></si><si><t>ann@x.example</t></si><si><r><t>An</t></r><r><t xml:space="preserve">n Lee</t></r><rPh sb="0" eb="1"><t>no</t></rPh></si>';
  const styles =
    '<numFmts><numFmt numFmtId="164" formatCode="dd\\.mm\\.yyyy"/><numFmt numFmtId="165" formatCode="0.00&quot; days&quot;"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs>';
  const rows = [
    `<row r="1"><c r="A1" t="s"><v>0</v></c>${text('B1', 'Name')}${text('C1', 'Born')}${text('D1', 'Since')}${text('E1', 'Points')}${text('F1', 'Phone')}${text('G1', 'Subscribed')}</row>`,
    '<row r="2"><c r="A2" t="s"><v>1</v></c><c r="B2" t="s"><v>2</v></c><c r="C2" s="1"><v>29234</v></c><c r="D2" s="2"><v>44197.5</v></c><c r="E2" s="3"><v>0.1</v></c><c r="F2"><v>4.91701234567E11</v></c><c r="G2" t="b"><v>1</v></c></row>',
    `<row r="4">${text('A4', 'lou@x.example')}<c r="E4"><f>1+1</f><v>2</v></c><c r="G4" t="b"><v>0</v></c></row>`,
    `<row r="5">${text('A5', 'no address')}</row>`,
  ].join('');
  const { list, id } = await create('people.xlsx', workbook({ rows, strings, styles }), {
    mapping: {
      Name: 'new:NAME',
      Born: 'new:BORN:date',
      Since: 'new:SINCE:date',
      Points: 'new:POINTS:number',
      Phone: 'new:PHONE',
    },
  });
  const { columns, format } = await preview(id);
  assert.equal(format.packing, 'xlsx');
  assert.deepEqual(
    columns.map(({ samples }) => samples[0]),
    ['ann@x.example', 'Ann Lee', '1980-01-14', '2021-01-01 12:00:00', '0.1', '491701234567', 'TRUE'],
  );
  const { state, result } = await run(id);
  assert.equal(state, 'done');
  assert.deepEqual([result['rows'], result['added'], result['invalid'], result['values_left_out']], [3, 2, 1, 0]);
  const { merges, status } = await t.call<{ merges: Record<string, string>; status: string }>('listMemberInfo', {
    ...{ id: list, email_address: 'ann@x.example' },
  });
  assert.deepEqual(
    [merges['NAME'], merges['BORN'], merges['SINCE'], merges['POINTS'], merges['PHONE'], status],
    ['Ann Lee', '1980-01-14', '2021-01-01', '0.1', '491701234567', 'subscribed'],
  );
  const lou = await t.call<{ status: string }>('listMemberInfo', { id: list, email_address: 'lou@x.example' });
  assert.equal(lou.status, 'unsubscribed');
  const [error] = await t.call<{ line: number }[]>('importErrors', { import: id });
  assert.equal(error!.line, 5, 'the number of the row in the sheet');
});

test('an error in the status of a contact does not subscribe it', async () => {
  const row = (n: number, email: string, cell: string) => `<row r="${n}">${text(`A${n}`, email)}${cell}</row>`;
  const rows = [
    row(1, 'Email', text('B1', 'Status')),
    row(2, 'ann@x.example', text('B2', 'subscribed')),
    row(3, 'lou@x.example', '<c r="B3" t="e"><v>#N/A</v></c>'),
  ].join('');
  const { list, id } = await create('errors.xlsx', workbook({ rows }));
  const { result } = await run(id);
  assert.equal(result['invalid'], 1);
  assert.deepEqual(await emails(list), ['ann@x.example']);
});

test('the first visible sheet is imported, and the others are named', async () => {
  const row = (email: string) => `<row r="1">${text('A1', email)}${text('B1', 'x')}</row>`;
  const sheets =
    '<sheet name="Old" sheetId="1" state="hidden" r:id="rId1"/><sheet name="Now" sheetId="2" r:id="rId2"/>';
  const { list, id } = await create(
    'two.xlsx',
    workbook({ rows: row('old@x.example'), more: row('new@x.example'), sheets }),
  );
  assert.match((await preview(id)).warnings.join(), /"Old"/);
  await run(id);
  assert.deepEqual(await emails(list), ['new@x.example']);
});

test('a sheet whose name says that its contacts left is asked about, whether it is read or not', async () => {
  const row = (email: string) => `<row r="1">${text('A1', 'Email')}</row><row r="2">${text('A2', email)}</row>`;
  for (const names of [
    ['Contacts', 'Unsubscribed'],
    ['Bounces', 'Contacts'],
  ]) {
    const sheets = names.map((name, i) => `<sheet name="${name}" sheetId="${i + 1}" r:id="rId${i + 1}"/>`).join('');
    const { id } = await create(
      'sheets.xlsx',
      workbook({ rows: row('a@x.example'), more: row('b@x.example'), sheets }),
    );
    assert.equal((await preview(id)).columns[0]!.undecided, true, names.join());
    await assert.rejects(t.call('importStart', { import: id }), { message: /name of the file or of a sheet/ });
  }
});

test('dates of workbooks that begin in 1904', async () => {
  const styles = '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>';
  const rows = `<row r="1">${text('A1', 'Email')}${text('B1', 'Born')}</row><row r="2">${text('A2', 'ann@x.example')}<c r="B2" s="1"><v>27772</v></c></row>`;
  const { id } = await create('mac.xlsx', workbook({ rows, styles, properties: '<workbookPr date1904="1"/>' }));
  assert.deepEqual((await preview(id)).columns[1]!.samples, ['1980-01-14']);
});

test('workbooks that are damaged, or grow too far, are refused with the reason', async () => {
  const refused = async (bytes: Buffer, reason: RegExp) => {
    try {
      const { id } = await create('bad.xlsx', bytes);
      const { state, reason: given } = await run(id);
      assert.equal(state, 'failed');
      assert.match(given, reason);
    } catch (error) {
      assert.match((error as Error).message, reason);
      assert.doesNotMatch((error as Error).message, /Internal/);
    }
  };
  await refused(workbook({ rows: '<row r="1"><c' }), /cannot be read/);
  await refused(workbook({ rows: '<row r="99999999999"></row>' }), /cannot be read/);
  await refused(workbook({ rows: '<row r="2"></row><row r="1"></row>' }), /cannot be read/);
  await refused(workbook({ rows: '', sheets: ' ' }), /no sheet/);
  const entities = workbook({ rows: '<row r="1"><c r="A1" t="str"><v>&lol;</v></c></row>' });
  await refused(entities, /cannot be read/);
  // A sheet of blanks, and one long text in every cell.
  await refused(workbook({ rows: ' '.repeat(64 * 1024 * 1024) }), /too many times/);
  const cells = Array.from(
    { length: 50 },
    (_, i) => `<c r="${String.fromCharCode(65 + (i % 26))}1" t="s"><v>0</v></c>`,
  );
  const long = `<si><t>${'x'.repeat(200_000)}</t></si>`;
  await refused(workbook({ rows: `<row r="1">${cells.join('')}</row>`, strings: long }), /256 KiB|cannot be read/);
  const wide = Array.from({ length: 600 }, (_, i) => `<c t="inlineStr"><is><t>${i}</t></is></c>`).join('');
  await refused(workbook({ rows: `<row r="1">${wide}</row>` }), /500 columns/);
});

test('an address book is imported: one contact for each card', async () => {
  const cards = [
    'BEGIN:VCARD',
    'VERSION:3.0',
    'N:Lee;Ann;;;',
    'FN:Ann Lee',
    'EMAIL;TYPE=HOME:second@x.example',
    'item1.EMAIL;TYPE=INTERNET,PREF:ann@x.example',
    'ORG:Acme\\, Ltd;Sales',
    'BDAY:19800203',
    'CATEGORIES:vip,press',
    `PHOTO;ENCODING=b;TYPE=JPEG:${'A'.repeat(70)}`,
    ...Array.from({ length: 2_000 }, () => ` ${'A'.repeat(70)}`),
    'END:VCARD',
    'BEGIN:VCARD',
    'VERSION:2.1',
    'N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;J=C3=',
    '=BCrgen;;;',
    'EMAIL;INTERNET:jue@x.example',
    'END:VCARD',
    'BEGIN:VCARD',
    'VERSION:4.0',
    'FN:Bob',
    'EMAIL;PREF=2:bob2@x.example',
    'EMAIL;PREF=1:bob@x',
    ' .example',
    'END:VCARD',
    'BEGIN:VCARD',
    'VERSION:4.0',
    'FN:No address',
    'END:VCARD',
    '',
  ].join('\r\n');
  const { list, id } = await create('people.vcf', Buffer.from(cards));
  const { columns, warnings } = await preview(id);
  assert.deepEqual(
    columns.filter(({ target }) => target !== '').map(({ target }) => target),
    ['EMAIL', 'FNAME', 'LNAME', 'TAGS', 'LANGUAGE', 'TIMEZONE'],
  );
  assert.match(warnings.join(), /"Email 2"/);
  const { result } = await run(id);
  assert.deepEqual([result['added'], result['invalid']], [3, 1]);
  assert.deepEqual(await emails(list), ['ann@x.example', 'bob@x.example', 'jue@x.example']);
  const { merges } = await t.call<{ merges: Record<string, string> }>('listMemberInfo', {
    ...{ id: list, email_address: 'jue@x.example' },
  });
  assert.deepEqual([merges['FNAME'], merges['LNAME']], ['Jürgen', 'Müller']);
  const { tags } = await t.call<{ tags: string[] }>('contactGet', { email: 'ann@x.example' });
  assert.deepEqual(tags, ['press', 'vip']);
});

test('the kind of a file that is no table is named', async () => {
  const kinds: [bytes: Buffer | string, kind: RegExp][] = [
    [Buffer.from('d0cf11e0a1b11ae1000000', 'hex'), /\.xls/],
    ['%PDF-1.7\n', /PDF/],
    ['[{"email":"ann@x.example"}]', /JSON/],
    ['{"contacts":[]}', /JSON/],
    [Buffer.from('\ufeff[{"email":"ann@x.example"}]', 'utf16le'), /JSON/],
    ['{"email":"ann@x.example"}\n{"email":"bob@x.example"}\n', /JSON/],
    [Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.from('WordDocument', 'utf16le')]), /\.doc\b/],
    ['dn: cn=Ann\nmail: ann@x.example\n', /LDIF/],
    ['From: ann@x.example\nTo: bob@x.example\n\nHi\n', /\.eml/],
    ['---\n- email: ann@x.example\n', /YAML/],
    [Buffer.from(Array.from({ length: 500 }, (_, i) => (i * 7) % 256)), /binary/],
    [zipOf([{ name: 'a.vcf', body: 'BEGIN:VCARD\nEMAIL:ann@x.example\nEND:VCARD\n' }]), /vCard \(\.vcf\) inside/],
    ['<!DOCTYPE html><html></html>', /HTML/],
    ['<?xml version="1.0"?><a/>', /XML/],
    ['{\\rtf1 ann@x.example}', /RTF/],
    [zipOf([{ name: 'word/document.xml', body: 'x' }]), /Word/],
    [
      zipOf([
        { name: 'mimetype', body: 'application/vnd.oasis.opendocument.spreadsheet' },
        { name: 'META-INF/manifest.xml', body: 'x' },
      ]),
      /OpenDocument/,
    ],
    [zipOf([{ name: 'xl/workbook.bin', body: 'x' }]), /xlsb/],
    [zipOf([{ name: 'people.xlsx', body: workbook({ rows: '' }) }]), /another archive/],
    [zipOf([{ name: 'people.json', body: '[{"email":"ann@x.example"}]' }]), /JSON/],
  ];
  for (const [bytes, kind] of kinds)
    await assert.rejects(create('file', Buffer.from(bytes)), (error: { fault: string; message: string }) => {
      assert.equal(error.fault, 'IMPORT_INVALID');
      assert.match(error.message, kind);
      return true;
    });
});

test('an address book in UTF-16 is read', async () => {
  const text = '\ufeffBEGIN:VCARD\r\nVERSION:2.1\r\nN:Müller;Jörg\r\nEMAIL:jo@x.example\r\nEND:VCARD\r\n';
  for (const bytes of [Buffer.from(text, 'utf16le'), Buffer.from(text, 'utf16le').swap16()]) {
    const { list, id } = await create('cards.vcf', bytes);
    assert.deepEqual((await preview(id)).columns[1]!.samples, ['Jörg']);
    await run(id);
    assert.deepEqual(await emails(list), ['jo@x.example']);
  }
});

test('an address book with 8-bit names, a card without an end, and a birthday without a year', async () => {
  const card = (...lines: string[]) => ['BEGIN:VCARD', 'VERSION:2.1', ...lines].join('\r\n');
  const text = [
    card('N;CHARSET=ISO-8859-1:M\xfcller;J\xf6rg', 'EMAIL:one@x.example'),
    card('N:Lee;Ann', 'EMAIL:two@x.example', 'BDAY;X-APPLE-OMIT-YEAR=1604:1604-05-06', 'END:VCARD'),
    card('EMAIL:three@x.example'),
  ].join('\r\n');
  const { list, id } = await create('cards.vcf', Buffer.from(text, 'latin1'));
  const { columns } = await preview(id);
  assert.deepEqual(columns[1]!.samples, ['Jörg', 'Ann']);
  assert.deepEqual(columns[6]!.samples, ['--05-06']);
  await run(id);
  assert.deepEqual(await emails(list), ['one@x.example', 'three@x.example', 'two@x.example']);
});
