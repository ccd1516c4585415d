// Untidy calls of programs built on published clients: names that cannot be a field, bytes that are no text, other encodings,
// "null" for nothing. One of them costs its name, value or row, never the whole sign-up or batch. The JSON door stays strict.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../src/db/connect.ts';
import { parseId } from '../../src/db/ids.ts';
import { plainOf } from '../support/builders/xml-call.ts';
import { decodeResponse, encodeCall } from '../support/builders/xmlrpc-client.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';
import { draftOf } from './fixture.ts';

type Params = Record<string, unknown>;
type Send = (method: string, params: Params) => Promise<unknown>;

let t: TestApp;
let base: string;
let key: string;

before(async () => {
  t = await testApp();
  base = await t.listen();
  key = await t.anotherKey('full');
});
after(() => t.close());

/** Bytes as latin1 text, so that a test can write any of them. */
async function postForm(method: string, body: string, charset = ''): Promise<unknown> {
  const response = await fetch(`${base}/1.8/?output=json&method=${method}`, {
    method: 'POST',
    headers: { 'content-type': `application/x-www-form-urlencoded${charset && `; charset=${charset}`}` },
    body: Buffer.from(`apikey=${key}&${body}`, 'latin1'),
  });
  return response.json();
}

async function postXml(document: string | Uint8Array, contentType = 'text/xml'): Promise<unknown> {
  const response = await fetch(`${base}/xmlrpc`, {
    method: 'POST',
    headers: { 'content-type': contentType },
    body: Buffer.from(document),
  });
  const answer = decodeResponse(new Uint8Array(await response.arrayBuffer()));
  return 'fault' in answer ? { error: answer.fault.message, code: answer.fault.code } : plainOf(answer.value);
}

const pairsOf = (value: unknown, name = ''): [string, string][] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, item]) => pairsOf(item, name === '' ? key : `${name}[${key}]`))
    : [[name, typeof value === 'boolean' ? String(Number(value)) : String(value)]];

const doors: Record<string, Send> = {
  form: (method, params) => postForm(method, new URLSearchParams(pairsOf(params)).toString()),
  xmlrpc: (method, params) => postXml(encodeCall(method, [{ apikey: key, ...params }])),
};

const ok = (value: unknown, expected: unknown) => assert.deepEqual(value, expected, JSON.stringify(value));
const member = async (id: string, email_address: string) =>
  (await t.call<{ merges: Record<string, string>; status: string }>('listMemberInfo', { id, email_address }))!;
const ignoredOf = async (id: string) =>
  (await t.call<{ name: string; count: number }[]>('listIgnoredNames', { id })).map(({ name }) => name).sort();

async function listWith(...fields: [tag: string, field_type: string][]): Promise<string> {
  const id = await t.call<string>('listCreate', { title: 'Shop' });
  for (const [tag, field_type] of fields)
    await t.call('listMergeVarAdd', {
      id,
      tag,
      name: tag,
      options: field_type === 'dropdown' ? { field_type, choices: ['S', 'M'] } : { field_type },
    });
  return id;
}

for (const [door, send] of Object.entries(doors)) {
  const at = (name: string) => `${name}-${door}@example.org`;

  test(`${door}: a name that cannot be a field costs no sign-up and no row`, async () => {
    const names = [
      'MC_NOTES ',
      'groupings[0]',
      'a[b',
      'x]',
      `${'long '.repeat(400)}`,
      'a\tb\nc',
      'émoji 😀 \ud83d',
      ...(door === 'form' ? ['bell\u0007', 'nul\0'] : ['']),
    ];
    const id = await listWith();
    for (const [i, name] of names.entries()) {
      const merge_vars = Object.fromEntries([
        [name, 'x'],
        ['FNAME', 'Ada'],
      ]);
      const sent = { id, email_address: at(`name${i}`), merge_vars, double_optin: false };
      ok(await send('listSubscribe', sent), true);
      ok((await member(id, at(`name${i}`))).merges.FNAME, 'Ada');
      ok(await send('listUpdateMember', { id, email_address: at(`name${i}`), merge_vars }), true);
    }
    ok((await ignoredOf(id)).length, names.length);
    ok((await ignoredOf(id)).includes('groupings[0]'), true);
    const rowList = await listWith();
    const batch = names.map((name, i) =>
      Object.fromEntries([
        [name, 'x'],
        ['EMAIL', at(`row${i}`)],
      ]),
    );
    const result = (await send('listBatchSubscribe', { id: rowList, batch, double_optin: false })) as Params;
    ok([result.success_count, result.errors], [names.length, []]);
    const upper = async (list: string) => (await ignoredOf(list)).map((name) => name.toUpperCase()).sort();
    ok(await upper(rowList), await upper(id));
  });

  test(`${door}: blanks around the name of a field do not hide the field`, async () => {
    const id = await listWith();
    const merge_vars = { 'FNAME ': 'Ada', ' lname': 'Lovelace' };
    ok(await send('listSubscribe', { id, email_address: at('blank'), merge_vars, double_optin: false }), true);
    const { FNAME, LNAME } = (await member(id, at('blank'))).merges;
    ok([FNAME, LNAME], ['Ada', 'Lovelace']);
  });

  test(`${door}: null where a number, a date or an option is due is not given`, async () => {
    const id = await listWith(['TOTAL', 'number'], ['BORN', 'date'], ['SIZE', 'dropdown']);
    const given = { TOTAL: '12.5', BORN: '2001-02-03', SIZE: 'M', FNAME: 'Null' };
    ok(await send('listSubscribe', { id, email_address: at('null'), merge_vars: given, double_optin: 'null' }), true);
    ok((await member(id, at('null'))).status, 'pending');
    for (const nothing of ['null', 'NULL', ' Null ', 'undefined', 'nil', '(null)', 'None']) {
      const merge_vars = { TOTAL: nothing, BORN: nothing, SIZE: nothing };
      ok(await send('listUpdateMember', { id, email_address: at('null'), merge_vars, email_type: nothing }), true);
      const { merges } = await member(id, at('null'));
      ok([merges.TOTAL, merges.BORN, merges.SIZE, merges.FNAME], ['12.5', '2001-02-03', 'M', 'Null']);
      assert.ok(Array.isArray(await send('listMembers', { id, since: nothing, limit: nothing, start: nothing })));
      const filters = { sendtime_start: nothing, status: nothing };
      assert.ok(!('error' in ((await send('campaigns', { filters })) as object)), nothing);
    }
    // A text may be the word.
    ok(await send('listUpdateMember', { id, email_address: at('null'), merge_vars: { LNAME: 'Null' } }), true);
    ok((await member(id, at('null'))).merges.LNAME, 'Null');
  });

  test(`${door}: numbers may have a decimal comma`, async () => {
    const id = await listWith(['TOTAL', 'number']);
    const numbers = { '12,5': '12.5', '-0,75': '-0.75', '1.234,50': '1234.50', '1,234.50': '1234.50', '1234': '1234' };
    const batch = Object.keys(numbers).map((TOTAL, i) => ({ EMAIL: at(`number${i}`), TOTAL }));
    ok(((await send('listBatchSubscribe', { id, batch, double_optin: false })) as Params).errors, []);
    for (const [i, stored] of Object.values(numbers).entries())
      ok((await member(id, at(`number${i}`))).merges.TOTAL, stored);
    // What has two readings is refused: it is one thousand in one country and one in another.
    const doubtful = { id, email_address: at('number0'), merge_vars: { TOTAL: '1,234' } };
    ok(((await send('listUpdateMember', doubtful)) as Params).code, 254);
  });

  test(`${door}: members that only classes of version 1.3 have are taken where nothing depends on them`, async () => {
    const id = await listWith();
    const { options } = draftOf(id);
    const social = {
      folder_id: '5',
      auto_tweet: '',
      auto_fb_post: [],
      fb_comments: '1',
      ecomm360: '',
      crm_tracking: [],
    };
    const cid = await send('campaignCreate', {
      type: 'regular',
      options: { ...(options as Params), ...social },
      content: { html: '<p>Hello</p>', text: 'Hello' },
      segment_opts: [],
    });
    assert.match(String(cid), /^[abcdf]/);
    ok(((await send('campaigns', { filters: { status: 'save', campaign_id: cid } })) as unknown[]).length, 1);
    ok(((await send('campaigns', { filters: { status: 'schedule', campaign_id: cid } })) as unknown[]).length, 0);
    const sorted = { sort_field: 'create_time', sort_dir: 'DESC' };
    assert.ok(Array.isArray(await send('campaigns', { ...sorted, limit: 5 })));
    assert.ok(Array.isArray(await send('lists', { ...sorted, limit: 5 })));
    assert.ok(Array.isArray(await send('listMembers', { id, sort_dir: 'ASC' })));
    const types = { radio: 'dropdown', url: 'website', imageurl: 'image', zip: 'text', birthday: 'text' };
    for (const type of Object.keys(types)) {
      const shown = { helptext: 'Help', dateformat: '', phoneformat: '', defaultcountry: '164' };
      const field_type = { field_type: type, ...(type === 'radio' ? { choices: ['a', 'b'] } : {}) };
      ok(await send('listMergeVarAdd', { id, tag: type, name: type, options: { ...field_type, ...shown } }), true);
    }
    const fields = await t.call<{ tag: string; field_type: string }[]>('listMergeVars', { id });
    for (const [type, ours] of Object.entries(types))
      ok(fields.find(({ tag }) => tag === type.toUpperCase())!.field_type, ours);
    // What would change who gets what is refused.
    for (const refused of [{ timewarp: '1' }, { base_template_id: '7' }, { gallery_template_id: '7' }]) {
      const call = { type: 'regular', options: { ...(options as Params), ...refused }, content: { html: 'x' } };
      ok(((await send('campaignCreate', call)) as Params).code, 312);
    }
    ok(((await send('campaigns', { filters: { folder_id: '5' } })) as Params).code, 506);
    const segmented = { type: 'regular', options, content: { html: 'x' }, segment_opts: { match: 'any' } };
    ok(((await send('campaignCreate', segmented)) as Params).code, -32602);
  });

  test(`${door}: the IP address of a sign-up is the first of those given that is one`, async () => {
    const id = await listWith();
    const cases: [Params, string][] = [
      [{ ip_signup: '192.0.2.4, 192.0.2.8' }, '192.0.2.4'],
      [{ ip_signup: 'unknown, 192.0.2.8' }, '192.0.2.8'],
      [{ ip_signup: `192.0.2.5, ${'10.0.0.1, '.repeat(200)}` }, '192.0.2.5'],
      [{ ip_signup: '192.0.2.6:51234' }, '192.0.2.6'],
      [{ ip_signup: '[2001:db8::1]:443' }, '2001:db8::1'],
      [{ ip_signup: 'x'.repeat(5_000) }, ''],
      [{ ip_signup: 'null' }, ''],
      [{ ip_confirm: '192.0.2.7, 10.0.0.1' }, '192.0.2.7'],
      [{ ip_signup: '192.0.2.4', ip_confirm: '192.0.2.7' }, '192.0.2.4'],
    ];
    for (const [i, [sent, stored]] of cases.entries()) {
      const email_address = at(`ip${i}`);
      ok(await send('listSubscribe', { id, email_address, merge_vars: {}, double_optin: false, ...sent }), true);
      const row = await t.app.db.row<{ ip: string | null }>(sql`
        select s.signup_ip as ip from subscription s join contact c on c.id = s.contact_id
        where c.email = ${email_address} and s.list_id = ${parseId(id)}`);
      ok(row!.ip ?? '', stored);
    }
  });
}

const rows = (values: string[]) =>
  values
    .map((value, i) => `batch[${i}][EMAIL]=r${i}-f@example.org&batch[${i}][FNAME]=${value}`)
    .concat('double_optin=0')
    .join('&');
const xmlRows = (
  values: string[],
  head: string,
  id: string,
) => `${head}<methodCall><methodName>listBatchSubscribe</methodName>
<params><param><value><struct><member><name>apikey</name><value>${key}</value></member>
<member><name>id</name><value>${id}</value></member><member><name>double_optin</name><value><boolean>0</boolean></value></member>
<member><name>batch</name><value><array><data>${values
  .map(
    (value, i) => `<value><struct><member><name>EMAIL</name><value>r${i}-x@example.org</value></member>
<member><name>FNAME</name><value><string>${value}</string></value></member></struct></value>`,
  )
  .join('')}</data></array></value></member></struct></value></param></params></methodCall>`;

type BatchResult = {
  success_count: number;
  error_count: number;
  errors: { index: number; message: string; email: string }[];
};
function onlyRow(result: unknown, index: number, what: RegExp): void {
  const { success_count, error_count, errors } = result as BatchResult;
  ok([success_count, error_count, errors[0]?.index], [2, 1, index]);
  assert.match(errors[0]!.message, what);
  assert.match(errors[0]!.email, /^r\d-/);
}

test('a bad byte in one row of a form refuses that row only', async () => {
  for (const bad of ['J%FCrgen', 'J\xfcrgen', 'a%00b', 'a%01b', '%ED%A0%80']) {
    const id = await listWith();
    const result = await postForm('listBatchSubscribe', `id=${id}&${rows(['%C3%84da', bad, '\xc3\x96zil'])}`);
    onlyRow(result, 1, /batch\.1\.FNAME/);
    ok((await member(id, 'r0-f@example.org')).merges.FNAME, 'Äda');
    ok((await member(id, 'r2-f@example.org')).merges.FNAME, 'Özil');
  }
});

test('a bad byte or a character that XML forbids in one row of a document refuses that row only', async () => {
  for (const bad of [
    'J\xfcrgen',
    'a\x01b',
    'a&#1;b',
    'a&#x0B;b',
    'a&#xD800;b',
    '&#xFFFE;',
    'a\0b',
    '<![CDATA[a\x02b]]>',
  ]) {
    const id = await listWith();
    for (const head of ['', '<?xml version="1.0" encoding="UTF-8"?>']) {
      const document = Buffer.from(xmlRows(['\xc3\x84da', bad, '&#214;zil'], head, id), 'latin1');
      const result = await postXml(document);
      if (head === '') onlyRow(result, 1, /batch\.1\.FNAME/);
    }
    ok((await member(id, 'r0-x@example.org')).merges.FNAME, 'Äda');
    ok((await member(id, 'r2-x@example.org')).merges.FNAME, 'Özil');
  }
});

test('a bad byte elsewhere refuses the call and names the value', async () => {
  const id = await listWith();
  const body = `id=${id}&email_address=one@example.org&merge_vars[FNAME]=J%FCrgen`;
  const refused = (await postForm('listSubscribe', body)) as { error: string; code: number };
  assert.match(refused.error, /merge_vars\.FNAME/);
  const emails = `id=${id}&emails[0]=J%FCrgen@example.org`;
  assert.match(JSON.stringify(await postForm('listBatchUnsubscribe', emails)), /emails\.0/);
});

test('a document or form is read in the encoding that it declares', async () => {
  const encoded: [string, number[], string][] = [
    ['ISO-8859-15', [0xa4, 0x20, 0xbd, 0x75, 0x76, 0x72, 0x65], '€ œuvre'],
    ['ISO-8859-2', [0xa3, 0xf3, 0x64, 0xbc], 'Łódź'],
    ['windows-1250', [0xa3, 0xf3, 0x64, 0x9f], 'Łódź'],
    ['windows-1251', [0xcc, 0xee, 0xf1, 0xea, 0xe2, 0xe0], 'Москва'],
    ['KOI8-R', [0xed, 0xcf, 0xd3, 0xcb, 0xd7, 0xc1], 'Москва'],
    ['Shift_JIS', [0x93, 0xfa, 0x96, 0x7b], '日本'],
    ['EUC-JP', [0xc6, 0xfc, 0xcb, 0xdc], '日本'],
    ['GB2312', [0xc8, 0xd5, 0xb1, 0xbe], '日本'],
    ['Big5', [0xa4, 0xe9, 0xa5, 0xbb], '日本'],
  ];
  for (const [encoding, bytes, text] of encoded) {
    const id = await listWith();
    const latin1 = Buffer.from(bytes).toString('latin1');
    const head = `<?xml version="1.0" encoding="${encoding}"?>`;
    const results = [
      await postXml(Buffer.from(xmlRows([latin1], head, id), 'latin1')),
      await postXml(
        Buffer.from(xmlRows([latin1], '', id).replaceAll('r0-x', 'r1-x'), 'latin1'),
        `text/xml; charset=${encoding}`,
      ),
      await postForm('listBatchSubscribe', `id=${id}&${rows([latin1])}`, encoding),
      await postForm(
        'listBatchSubscribe',
        `id=${id}&${rows([bytes.map((byte) => `%${byte.toString(16)}`).join('')]).replace('r0-f', 'r1-f')}`,
        encoding,
      ),
    ];
    for (const result of results) ok((result as BatchResult).errors, []);
    for (const email of ['r0-x', 'r1-x', 'r0-f', 'r1-f'])
      ok((await member(id, `${email}@example.org`)).merges.FNAME, text);
  }
});

test('the JSON door stays strict', async () => {
  const id = await listWith(['TOTAL', 'number'], ['BORN', 'date']);
  const email_address = 'strict@example.org';
  const calls: [string, Params][] = [
    ['listSubscribe', { id, email_address, merge_vars: { 'MC_NOTES ': 'x' } }],
    ['listSubscribe', { id, email_address, merge_vars: { 'FNAME ': 'x' } }],
    ['listSubscribe', { id, email_address, merge_vars: { TOTAL: 'null' } }],
    ['listSubscribe', { id, email_address, merge_vars: { TOTAL: '12,5' } }],
    ['listSubscribe', { id, email_address, merge_vars: { BORN: 'null' } }],
    ['listSubscribe', { id, email_address, ip_signup: '192.0.2.4, 192.0.2.8' }],
    ['listSubscribe', { id, email_address, ip_signup: 'x'.repeat(5_000) }],
    ['listMembers', { id, since: 'null' }],
    ['campaignCreate', { ...draftOf(id), type: 'null' }],
  ];
  for (const [method, params] of calls) {
    const response = await fetch(`${base}/api/${method}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(params),
    });
    ok([method, response.status >= 400], [method, true]);
  }
});
