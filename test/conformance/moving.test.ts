// What docs/guide/moving.md promises, sentence by sentence and row by row: each claim is quoted as it is on the page, and shown
// to be true. A row of "What differs" without a claim here fails. Larger tables have tests of their own, named in `elsewhere`.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { providerOf } from '../../src/audience/import/file/providers.ts';
import { sql } from '../../src/db/connect.ts';
import { parseId } from '../../src/db/ids.ts';
import { writeBody } from '../../src/webhooks/batch.ts';
import { plainOf } from '../support/builders/xml-call.ts';
import { decodeResponse, encodeCall } from '../support/builders/xmlrpc-client.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';
import { providerExports } from '../support/samples/provider-exports.ts';
import { smsMethods } from './family-calls.ts';
import { draftOf } from './fixture.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/guide/moving.md'), 'utf8');
const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

type Params = Record<string, unknown>;
let t: TestApp;
let base: string;
let key: string;
let list: string;
let draft: string;

before(async () => {
  t = await testApp();
  base = await t.listen();
  key = await t.anotherKey('full');
  list = await t.call<string>('listCreate', { title: 'Readers' });
  draft = await t.call<string>('campaignCreate', draftOf(list));
});
after(() => t.close());

/** The value, or the fault's code. */
async function send(method: string, params: unknown[], path = '/xmlrpc'): Promise<unknown> {
  const response = await fetch(base + path, { method: 'POST', body: encodeCall(method, params as Params[]) });
  const answer = decodeResponse(new Uint8Array(await response.arrayBuffer()));
  return 'fault' in answer ? answer.fault.code : plainOf(answer.value);
}
const xml = (method: string, params: Params = {}, path?: string) => send(method, [{ apikey: key, ...params }], path);
const json = async (method: string, params: Params = {}) => {
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${base}/api/${method}`, { method: 'POST', headers, body: JSON.stringify(params) });
  return (await response.json()) as never;
};
const ok = "Everything's Ok!";

async function findingsOf(text: string): Promise<string[]> {
  const content = { html: `<p>${text}</p>`, plain: text };
  const cid = await t.call<string>('campaignCreate', draftOf(list, { content }));
  const findings = await t.call<{ code: string; found: string[] }[]>('campaignCheck', { cid });
  return findings.filter(({ code }) => /^tag_|^condition_/.test(code)).flatMap(({ code, found }) => [code, ...found]);
}

const head: [claim: string, proof: () => Promise<void>][] = [
  [
    'sign-up widgets that pass on all fields of a form, and shops that send their customers in batches keyed by id',
    async () => {
      const vars = { EMAIL: 'widget@example.org', FNAME: 'Zoë', form_id: 'widget-2', submit: '' };
      const one = { id: list, email_address: 'widget@example.org', merge_vars: vars, double_optin: false };
      assert.equal(await xml('listSubscribe', one), true);
      const batch = { 17: { EMAIL: 'b17@example.org' }, c42: { EMAIL: 'b42@example.org' } };
      assert.deepEqual(await xml('listBatchSubscribe', { id: list, batch, double_optin: false }), {
        success_count: 2,
        error_count: 0,
        errors: [],
      });
    },
  ],
  [
    'Postrider accepts all paths of the family: `/`, `/xmlrpc`, `/RPC2`, and any version such as `/1.3/`.',
    async () => {
      for (const path of ['/', '/xmlrpc', '/RPC2', '/1.3/', '/1.3', '/1.8/', '/2.0/'])
        assert.equal(await xml('ping', {}, path), ok, path);
    },
  ],
  [
    'A suffix on a key, such as `-us1`, is ignored.',
    async () => {
      assert.equal(await send('ping', [{ apikey: `${key}-us1` }]), ok);
      assert.equal(await send('ping', [{ apikey: `${key}x` }]), 104);
    },
  ],
  [
    'The exports of Mailchimp, HubSpot, Klaviyo, Brevo, CleverReach, Mautic, phpList, listmonk, Sendy and ConvertKit are recognised',
    async () => {
      const headings = (text: string) =>
        text
          .split('\r\n')[0]!
          .split(/[,;\t]/)
          .map((name) => name.replaceAll('"', ''));
      const named = new Set(providerExports.map(({ content }) => providerOf(headings(content))));
      for (const name of [
        'Mailchimp',
        'HubSpot',
        'Klaviyo',
        'Brevo',
        'CleverReach',
        'Mautic',
        'phpList',
        'listmonk',
        'Sendy',
        'Kit',
      ])
        assert.ok(named.has(name), name);
    },
  ],
  [
    'columns such as `UNSUB_TIME`, `CLEAN_TIME`, _Unsubscribed from all email_, _Blacklisted_ or `doNotContact` unsubscribe or mark as bounced.',
    async () => {
      for (const [heading, target] of [
        ['UNSUB_TIME', 'UNSUBSCRIBED'],
        ['CLEAN_TIME', 'BOUNCED'],
        ['Unsubscribed from all email', 'UNSUBSCRIBED'],
        ['Blacklisted', 'UNSUBSCRIBED'],
        ['doNotContact', 'UNSUBSCRIBED'],
      ]) {
        const content = `Email,${heading}\na@example.org,1\n`;
        const id = await t.call<string>('importCreate', { id: list, content });
        const { columns } = await t.call<{ columns: { target: string }[] }>('importPreview', { import: id });
        assert.equal(columns[1]!.target, target);
      }
    },
  ],
  [
    "Add the provider's list of complaints and hard bounces with `suppressedListBatchSubscribe`.",
    async () => {
      const batch = ['no1@example.org', 'no2@example.org'];
      assert.equal(((await xml('suppressedListBatchSubscribe', { batch })) as Params).success_count, 2);
    },
  ],
  [
    '`templateCreate` takes the HTML.',
    async () => {
      const template = { name: 'Letter', source: '<p>Hello *|FNAME|*</p>', layout: 'basic' };
      assert.match(String(await xml('templateCreate', template)), /^[abcdf][0-9a-f]{7}$/);
    },
  ],
  [
    '`*|FNAME|*`, `#[FNAME]#` and `*[FNAME]*` mean the same.',
    async () => {
      assert.deepEqual(await findingsOf('*|FNAME:you|* #[FNAME:you]# *[FNAME:you]*'), []);
      assert.deepEqual(await findingsOf('*|SHOE|* #[SHOE]# *[SHOE]*'), ['tag_unknown', '*|SHOE|*']);
    },
  ],
  [
    '`MC:SUBJECT`, `CURRENT_YEAR`, `LIST:ADDRESSLINE`, `HTML:LIST_ADDRESS_HTML` and `LIST:DESCRIPTION` (why the recipient gets the email) are known as well, and so are conditions (`IF`, `IFNOT`, `ELSE`, `END:IF`).',
    async () => {
      for (const tag of [
        'MC:SUBJECT',
        'CURRENT_YEAR',
        'LIST:ADDRESSLINE',
        'HTML:LIST_ADDRESS_HTML',
        'LIST:DESCRIPTION',
      ])
        assert.deepEqual(await findingsOf(`*|${tag}|*`), [], tag);
      for (const condition of ['IF:FNAME', 'IFNOT:FNAME'])
        assert.deepEqual(await findingsOf(`*|${condition}|*a*|ELSE:|*b*|END:IF|*`), [], condition);
    },
  ],
  [
    'Not known are `FORWARD`, `REWARDS`, `MC:TOC`, the profiles of social networks (`TWITTER:…`, `FACEBOOK:…`) and, outside of recurring campaigns, feeds: remove them. The check before sending names each unknown tag, without what follows its colon.',
    async () => {
      for (const tag of ['FORWARD', 'REWARDS', 'MC:TOC', 'TWITTER:PROFILE', 'FACEBOOK:LIKE', 'FEED:http://a.example'])
        assert.deepEqual(await findingsOf(`*|${tag}|*`), ['tag_unknown', `*|${tag.split(':')[0]}|*`]);
      assert.deepEqual(await findingsOf('*|RSSITEM:TITLE|*'), ['tag_of_feed']);
    },
  ],
  [
    'If your receivers expect the older request body, choose the format _Classic_. If they check the signature in a header of another name, enter that name and the algorithm they use.',
    async () => {
      const url = 'http://127.0.0.1:9/';
      const options = {
        url,
        events: ['contact.subscribe'],
        format: 'classic',
        signature_header: 'X-Old',
        algorithm: 'sha1',
      };
      await t.call('webhookCreate', { title: 'Old', options });
      const [webhook] = await t.call<Params[]>('webhooks');
      assert.deepEqual([webhook!.format, webhook!.signature_header, webhook!.algorithm], ['classic', 'X-Old', 'sha1']);
    },
  ],
];

const rows: Record<string, () => Promise<void> | void> = {
  ids: () => assert.match(list, /^[abcdf][0-9a-f]{7}$/),
  'positional XML-RPC parameters, as older relatives send them': async () =>
    assert.equal(await send('listMembers', [key, list]), -32602),
  'methods about folders, `listWebhooks` and split tests (`absplit`)': async () => {
    for (const method of ['folders', 'folderAdd', 'listWebhooks']) assert.equal(await xml(method), -32601, method);
    assert.equal(await xml('campaignCreate', { ...draftOf(list), type: 'absplit' }), 312);
    assert.ok(Array.isArray(await xml('webhooks')));
    await t.call('campaignTestUpdate', { cid: draft, share: 50, variants: [{ subject: 'Another' }] });
  },
  'methods about text messages (SMS)': async () => {
    for (const method of smsMethods) assert.equal(await xml(method, { cid: draft }), 122, method);
  },
  '`sendtime_start` alone': async () => {
    const sent = await t.call<string>('campaignCreate', draftOf(list));
    await t.app.db.run(sql`
      update campaign set status = 'sent', send_at = '2024-06-01', finished_at = '2024-06-01'
      where id = ${parseId(sent)}`);
    const found = async (filters: Params) =>
      ((await xml('campaigns', { filters })) as { id: string }[]).map(({ id }) => id);
    const [early, late] = ['2024-01-01 00:00:00', '2024-12-01 00:00:00'];
    assert.deepEqual(await found({ sendtime_start: early }), []);
    assert.deepEqual(await found({ sendtime_start: late }), [sent]);
    assert.deepEqual(await found({ sendtime_end: early }), [sent]);
    assert.deepEqual(await found({ sendtime_end: late }), []);
    assert.deepEqual(await found({ sendtime_start: early, sendtime_end: late }), [sent]);
  },
  'a call by GET': async () => {
    const response = await fetch(`${base}/1.8/?output=json&method=ping&apikey=${key}`);
    assert.deepEqual([response.status, ((await response.json()) as Params).code], [405, -32600]);
  },
  '`multipart/form-data`': async () => {
    const body = new FormData();
    body.append('apikey', key);
    const response = await fetch(`${base}/1.8/?output=json&method=ping`, { method: 'POST', body });
    assert.equal(((await response.json()) as Params).code, -32600);
  },
  'a campaign that cannot be sent': async () =>
    assert.equal(await xml('campaignCreate', { ...draftOf(list), content: { plain: '' } }), 311),
  '`schedule_time` without an offset': async () => {
    for (const [schedule_time, stored] of [
      ['2099-01-01 09:00:00', '2099-01-01 09:00:00'],
      ['2099-01-01 09:00:00 +0100', '2099-01-01 08:00:00'],
    ]) {
      const cid = await t.call<string>('campaignCreate', draftOf(list));
      assert.equal(await xml('campaignSchedule', { cid, schedule_time }), true);
      const [campaign] = (await xml('campaigns', { filters: { campaign_id: cid } })) as Params[];
      assert.equal(campaign!.schedule_time, stored);
    }
  },
  'machine opens': async () => {
    const stats = (await xml('campaignStats', { cid: draft })) as Params;
    assert.deepEqual([stats.opens, stats.machine_opens], [0, 0]);
  },
  '`campaignClickStats`': async () => {
    assert.ok(Array.isArray(await xml('campaignClickStats', { cid: draft }, '/1.8/')));
    for (const path of ['/1.0/', '/1.7/'])
      assert.deepEqual(await xml('campaignClickStats', { cid: draft }, path), {}, path);
  },
  'contacts that have not confirmed': async () => {
    const waits = { id: list, email_address: 'waits@example.org' };
    await xml('listSubscribe', waits);
    assert.equal(((await xml('listMemberInfo', waits)) as Params).status, 'inactive');
    assert.equal(((await json('listMemberInfo', waits)) as Params).status, 'pending');
  },
  '`apikeys`, `login`': async () => {
    const keys = (await xml('apikeys')) as { apikey: string }[];
    assert.ok(keys.some(({ apikey }) => apikey.endsWith(key.slice(-4))));
    assert.ok(keys.every(({ apikey }) => apikey.length === 32 && apikey !== key));
  },
  '`campaignGeoOpens`, `campaignForwardStats`, `campaignClickStatsDetails`': async () => {
    assert.deepEqual(await xml('campaignForwardStats', { cid: draft }), []);
    assert.deepEqual(await xml('campaignGeoOpens', { cid: draft }), []);
  },
  '`getAccountDetails`': async () => {
    const details = (await xml('getAccountDetails')) as Params;
    assert.deepEqual([details.orders, details.last_payment, details.emails_left], [[], '', 2147483647]);
  },
  'times in webhook events': () => {
    const payload = JSON.stringify({ ts: '2026-01-15 09:30:00' });
    const stored = { id: 1, eventId: 'evt_1', type: 'contact.subscribe', payload, failures: 0 };
    const timeIn = (format: 'standard' | 'classic') => {
      const body = JSON.parse(writeBody([stored], format, 1).toString());
      return (format === 'classic' ? body.data[0] : body.events[0].data).ts;
    };
    assert.deepEqual([timeIn('standard'), timeIn('classic')], ['2026-01-15 09:30:00', 1_768_469_400]);
  },
};

/** Rows of which the rest is shown by another test. */
const elsewhere = {
  'What XML-RPC and forms accept beyond JSON': [
    'test/conformance/programs.test.ts',
    'test/conformance/clients.test.ts',
  ],
  'What is compatible': ['test/conformance/family.test.ts', 'test/conformance/family-calls.ts'],
};

for (const [claim, proof] of head)
  test(`the page says: ${claim}`, async () => {
    assert.ok(oneLine(page.split('## What is compatible')[0]!).includes(oneLine(claim)), 'the page no longer says it');
    await proof();
  });

const section = page.split('## What differs\n')[1]!;
const firstCells = section
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .slice(2)
  .map((line) => line.split(' | ')[0]!.slice(2).trim());

test('each row of what differs is shown, and no other', () => assert.deepEqual(firstCells, Object.keys(rows)));

for (const [row, proof] of Object.entries(rows)) test(`what differs: ${row}`, async () => proof());

test('the other tables have tests of their own', () => {
  for (const [title, files] of Object.entries(elsewhere)) {
    assert.ok(page.includes(`## ${title}`), title);
    for (const file of files) assert.ok(existsSync(join(root, file)), file);
  }
});
