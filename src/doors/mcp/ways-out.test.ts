// What an assistant has read leaves by no tool: not by a test to a stranger, not by an address that the program fetches, not by a
// campaign that is sent without a person's review; in whatever spelling or type the parameters arrive.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, test } from 'node:test';
import { listOf } from '../../../test/support/builders/campaigns.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { setAccount } from '../../accounts/account/account.ts';
import { addMember, createUser } from '../../accounts/people/user.ts';
import type { Fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { runTool, type Use } from './tools.ts';

let t: TestApp;
let use: Use;
let list: string;
let cid: string;
let leak: string;
const fetched: string[] = [];
const server = createServer((request, response) => {
  fetched.push(request.url ?? '');
  response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Page <a href="*|UNSUB|*">x</a></p>');
});

const options = () => ({
  list_id: list,
  subject: 'News',
  from_email: 'editors@example.com',
  from_name: 'The editors',
  generate_text: true,
});
const html = '<p>Hello</p><p><a href="*|UNSUB|*">Unsubscribe</a></p>';

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  leak = `http://127.0.0.1:${(server.address() as AddressInfo).port}/?leak=ann@example.org,SecretName`;
  t = await testApp({ OUTBOUND_ALLOW: '127.0.0.1' });
  await setAccount(t.app.db, t.account.id, { addons: ['inline_img'] });
  const person = await createUser(t.app.db, { email: 'Kate@example.net', password: 'correct horse' });
  await addMember(t.app.db, t.account.id, person.id, 'editor');
  use = { app: t.app, credentials: { kind: 'key', key: t.key, ip: '127.0.0.1' }, door: 'mcp' };
  list = await listOf(t, ['ann@example.org']);
});
beforeEach(async () => {
  fetched.length = 0;
  cid = await t.call<string>('campaignCreate', { type: 'HTML', options: options(), content: { html } });
});
after(async () => {
  await t.close();
  server.close();
});

const tests = () =>
  t.app.db.rows<{ emails: string[] }>(sql`
    select j.payload -> 'emails' as emails
    from graphile_worker._private_jobs j
    join graphile_worker._private_tasks k on k.id = j.task_id
    where k.identifier = 'sendTestMails'`);

const evil = 'evil@attacker.example';
const asOneAddress: Record<string, unknown> = {
  'a text': evil,
  'a list': [evil],
  'a list beside a person': ['kate@example.net', evil],
  'a struct by number': { 0: evil },
  'a struct by name': { email: evil },
  'a nested list': [[evil]],
  'two in a text': `kate@example.net, ${evil}`,
  'two with a semicolon': `kate@example.net;${evil}`,
  'two in an item': [`kate@example.net ${evil}`],
  'a display name': [`"kate@example.net" <${evil}>`],
  'an address as a name': [`kate@example.net <${evil}>`],
  'a full-width letter': ['\uff2bate@example.net'],
  'a Cyrillic letter': ['k\u0430te@example.net'],
  'another domain behind a line break': [`kate@example.net\n${evil}`],
  nothing: [],
  'a number': 5,
  null: null,
};
for (const [shape, test_emails] of Object.entries(asOneAddress)) {
  test(`a test goes to no stranger: ${shape}`, async () => {
    const before = await tests();
    await assert.rejects(
      runTool(use, 'campaignSendTest', { cid, test_emails }),
      (fault: Fault) => fault.fault !== 'INTERNAL' && fault.fault !== undefined,
    );
    assert.deepEqual(await tests(), before);
  });
}

for (const test_emails of ['kate@example.net', [' KATE@Example.Net '], ['Kate@example.net']]) {
  test(`a test goes to a person of the account: ${JSON.stringify(test_emails)}`, async () => {
    assert.equal(await runTool(use, 'campaignSendTest', { cid, test_emails }), true);
    const sent = (await tests()).at(-1)!;
    assert.deepEqual(
      sent.emails.map((email) => email.toLowerCase()),
      ['kate@example.net'],
    );
  });
}

/** Contents that make the program fetch, or unpack a file. */
const contents: Record<string, () => unknown> = {
  'a URL': () => ({ url: leak }),
  'a URL beside HTML': () => ({ html, url: leak }),
  'a URL with blanks': () => ({ url: `  ${leak}  ` }),
  'a URL as a list': () => ({ url: [leak] }),
  'an archive': () => ({ archive: 'UEsDBAo=' }),
  'a URL under another spelling': () => ({ URL: leak }),
  'a nested content': () => ({ content: { url: leak } }),
};
for (const [shape, content] of Object.entries(contents)) {
  test(`no content makes the program fetch an address: ${shape}`, async () => {
    for (const work of [
      () => runTool(use, 'campaignCreate', { type: 'HTML', options: options(), content: content() }),
      () => runTool(use, 'campaignUpdate', { cid, name: 'content', value: content() }),
      () => runTool(use, 'campaignUpdate', { cid, name: ' Content ', value: content() }),
    ])
      await assert.rejects(work(), (fault: Fault) =>
        ['NOT_ALLOWED', 'CONTENT_INVALID', 'CAMPAIGN_OPTION_INVALID', 'INVALID_PARAMETER'].includes(fault.fault),
      );
    assert.deepEqual(fetched, []);
  });
}

for (const name of [
  'url',
  'URL',
  ' url',
  'Url\n',
  '\u00a0url',
  'archive',
  'ARCHIVE ',
  'archive_type',
  'inline_img',
  'INLINE_IMG',
]) {
  test(`campaignUpdate refuses ${JSON.stringify(name)}`, async () => {
    const value = /archive_type/i.test(name) ? 'zip' : /inline/i.test(name) ? true : leak;
    await assert.rejects(
      runTool(use, 'campaignUpdate', { cid, name, value }),
      (fault: Fault) => fault.fault === 'NOT_ALLOWED' && /assistant/.test(fault.message),
    );
    assert.deepEqual(fetched, []);
  });
}

test('pictures that the program would fetch can not be chosen by an assistant', async () => {
  const picture = `<p><img src="${leak}" alt="x"></p>${html}`;
  await assert.rejects(
    runTool(use, 'campaignCreate', {
      type: 'HTML',
      options: { ...options(), inline_img: 'true' },
      content: { html: picture },
    }),
    { fault: 'NOT_ALLOWED' },
  );
  // A copy of a campaign in which a person has switched it on.
  await t.call('campaignUpdate', { cid, name: 'inline_img', value: true });
  const copy = (await runTool(use, 'campaignReplicate', { cid })) as string;
  const template = await runTool(use, 'templateCreate', { name: 'x', source: picture });
  for (const [name, value] of [
    ['html', picture],
    ['HTML', picture],
    ['markdown', `![x](${leak})`],
    ['mjml', `<mjml><mj-body><mj-image src="${leak}" /></mj-body></mjml>`],
    ['content', { html: picture }],
    ['template_id', template],
  ])
    await assert.rejects(runTool(use, 'campaignUpdate', { cid: copy, name, value }), { fault: 'NOT_ALLOWED' });
  await runTool(use, 'campaignCheck', { cid: copy });
  assert.deepEqual(fetched, []);
  await runTool(use, 'campaignUpdate', { cid: copy, name: 'subject', value: 'Still free' });
  await runTool(use, 'campaignUpdate', { cid: copy, name: 'inline_img', value: 'false' });
  await runTool(use, 'campaignUpdate', { cid: copy, name: 'html', value: picture });
  await runTool(use, 'campaignCheck', { cid: copy });
  assert.deepEqual(fetched, []);
});

test('what is sent without a review can not be changed: scheduled campaigns, and originals of recurring ones', async () => {
  const change = (spelling: unknown) =>
    runTool(use, 'campaignUpdate', { cid: spelling, name: 'subject', value: 'Changed' });
  assert.equal(await change(cid), true, 'a draft');
  await assert.rejects(change('a9999999'), { fault: 'CAMPAIGN_UNKNOWN' });
  await t.call('recurringCreate', {
    title: 'Weekly',
    campaign: cid,
    schedule: { type: 'weekly', time: '09:00', weekdays: [1] },
    time_zone: 'Europe/Berlin',
    source_url: 'https://blog.example.com/feed.xml',
  });
  await assert.rejects(change(cid), { fault: 'NOT_ALLOWED' });
  const scheduled = await t.call<string>('campaignCreate', { type: 'HTML', options: options(), content: { html } });
  await t.call('campaignSchedule', { cid: scheduled, schedule_time: '2099-01-01 09:00:00' });
  for (const spelling of [scheduled, scheduled.toUpperCase(), ` ${scheduled} `, [scheduled], `${scheduled},${cid}`])
    await assert.rejects(change(spelling), (fault: Fault) =>
      ['NOT_ALLOWED', 'CAMPAIGN_UNKNOWN', 'INVALID_PARAMETER'].includes(fault.fault),
    );
  const [row] = await t.call<{ subject: string }[]>('campaigns', { filters: { campaign_id: scheduled } });
  assert.equal(row!.subject, 'News');
});
