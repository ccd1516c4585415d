// The findings of the campaign check: link by link as a table, and whole campaigns with a real audience.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { zipOf } from '../../../test/support/builders/archives.ts';
import { content } from '../../../test/support/builders/mail.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import type { Account, App } from '../../base/context.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { compile } from '../compile/compile.ts';
import { compileCampaign } from '../compile/compile-campaign.ts';
import type { ShownFinding as Finding } from '../release/check-campaign.ts';
import { clippedBeyond, fieldsWithoutDefault, isDateFormat, linkBaseFindings, linkProblem } from './check-mail.ts';
import { mailFindings } from './mail-findings.ts';

let app: TestApp;
let pro: Awaited<ReturnType<TestApp['anotherAccount']>>;
let list: string;
let second: string;

before(async () => {
  app = await testApp();
  pro = await app.anotherAccount('pro');
  list = await pro.call<string>('listCreate', { title: 'Readers', options: { address: '1 Road, Town' } });
  second = await pro.call<string>('listCreate', { title: 'Others', options: { address: '1 Road, Town' } });
  const add = (id: string, email: string, FNAME = '', double_optin = false) =>
    pro.call('listSubscribe', { id, email_address: email, merge_vars: { FNAME }, double_optin });
  await add(list, 'ada@example.com', 'Ada');
  await add(list, 'bob@example.com');
  await add(list, 'cy@bad.example', 'Cy');
  await add(list, 'dee@example.com', 'Dee', true);
  await add(list, 'eve@example.com', 'Eve');
  await pro.call('listUnsubscribe', { id: list, email_address: 'eve@example.com' });
  await add(second, 'ada@example.com', 'Ada');
  await app.app.db.run(
    sql`insert into suppression (account_id, kind, value, reason) values (${pro.account.id}, 'domain', 'bad.example', 'manual')`,
  );
});
after(() => app.close());

const leave = '<a href="*|UNSUB|*">leave</a> *|LIST:ADDRESS|*';

async function draft(html: string, options: Record<string, unknown> = {}, content: Record<string, unknown> = {}) {
  return pro.call<string>('campaignCreate', {
    type: 'HTML',
    options: {
      list_id: list,
      subject: 'News',
      from_email: 'a@example.com',
      from_name: 'A',
      generate_text: true,
      ...options,
    },
    content: { html, ...content },
  });
}
const check = async (cid: string) => pro.call<Finding[]>('campaignCheck', { cid });
const codes = (findings: Finding[], level?: Finding['level']) =>
  findings.filter((finding) => level === undefined || finding.level === level).map((item) => item.code);

for (const [address, expected] of [
  ['https://example.com/a?b=c#d', null],
  ['http://*|DOMAIN|*/x', null],
  ['*|URL|*', null],
  ['%2A', 'link_relative'],
  ['https://example.com/*|FNAME|*', null],
  ['https://bücher.example/', null],
  ['mailto:a@example.com', null],
  ['tel:+491234', null],
  ['#top', null],
  ['#', 'link_empty'],
  ['  ', 'link_empty'],
  ['mailto:', 'link_empty'],
  ['mailto: ', 'link_empty'],
  ['tel:', 'link_empty'],
  ['sms://', 'link_empty'],
  ['mailto:?subject=Look', null],
  ['page.html', 'link_relative'],
  ['//example.com/x', 'link_relative'],
  ['www.example.com', 'link_relative'],
  ['http:example.com', 'link_broken'],
  ['http:///x', 'link_broken'],
  ['http://', 'link_broken'],
  ['https://exa mple.com/', 'link_broken'],
  ['https://example..com/', 'link_broken'],
  ['https://example,com/', 'link_broken'],
  ['http://http://example.com', 'link_broken'],
  ['https://example.com:99999/', 'link_broken'],
  ['htp://example.com/', 'link_scheme'],
  ['javascript:alert(1)', 'link_scheme'],
  ['http://localhost/x', 'link_private'],
  ['http://localhost:8080/x', 'link_private'],
  ['https://192.168.0.5/x', 'link_private'],
  ['http://intranet/x', 'link_private'],
  ['http://*|HOST|*:8080/x', null],
  ['file:///etc/passwd', 'link_scheme'],
] as const) {
  test(`the address ${JSON.stringify(address)} is ${expected ?? 'in order'}`, () => {
    assert.equal(linkProblem(address), expected);
  });
}

test('links without https are a warning, except on this machine', () => {
  const codesOf = (baseUrl: string) => linkBaseFindings(baseUrl).map(({ code }) => code);
  assert.deepEqual(codesOf('http://news.example.com'), ['links_not_https']);
  for (const baseUrl of [
    'https://news.example.com',
    'http://localhost:3000',
    'http://127.0.0.1:3000',
    'http://[::1]:3000',
  ])
    assert.deepEqual(codesOf(baseUrl), [], baseUrl);
});

test('a default that is a date format is recognized, and words are none', () => {
  for (const format of ['d.m.Y', 'YYYY-MM-DD', 'dd/mm/yy', 'F jS, Y', 'l, j. F Y', 'd.m.', 'dmY', 'Ymd', ' m/d '])
    assert.ok(isDateFormat(format), format);
  for (const text of [
    '',
    'friend',
    'my',
    'May',
    'Mr',
    'd',
    'Y',
    'd/d',
    '1.2.2020',
    'on Monday',
    'Y/N',
    'n/a',
    'D. Day',
  ])
    assert.ok(!isDateFormat(text), text);
});

test('a default that looks like a date format is a warning', async () => {
  await pro.call('listMergeVarAdd', { id: list, tag: 'BIRTH', name: 'Birthday', options: { field_type: 'date' } });
  const warningOf = async (html: string) =>
    (await check(await draft(html))).find(({ code }) => code === 'tag_default_format');
  const found = await warningOf(`<p>*|BIRTH:d.m.Y|* *|BIRTH:d.m.Y|* *|DATE:d.m.Y|*</p>${leave}`);
  assert.deepEqual([found?.level, found?.found], ['warning', ['*|BIRTH:d.m.Y|*']]);
  assert.equal(await warningOf(`<p>*|BIRTH:soon|* *|DATE:d.m.Y|*</p>${leave}`), undefined);
});

test('without a domain for bounces there is a warning, except on this machine', async () => {
  const publicApp = { ...app.app, baseUrl: 'https://news.example.com' };
  const cid = await draft(`x${leave}`);
  const codesWith = (parts: App) => codesOfCheck(parts, pro.account, cid);
  assert.ok(!(await codesWith(app.app)).includes('bounces_not_seen'));
  assert.ok((await codesWith(publicApp)).includes('bounces_not_seen'));
  const config = { ...app.app.config, bounceDomain: 'back.example' };
  assert.ok(!(await codesWith({ ...publicApp, config })).includes('bounces_not_seen'));
});

/** The findings of a program with other settings on the same database. */
async function codesOfCheck(parts: App, account: Account, cid: string): Promise<string[]> {
  const { findings } = await mailFindings({ app: parts, account, tx: parts.db as never }, parseId(cid));
  return findings.map(({ code }) => code);
}

test('a campaign without errors is sent', async () => {
  const cid = await draft(`<p>Dear *|FNAME:friend|*</p><img src="https://example.com/a.png" alt="A">${leave}`);
  const findings = await check(cid);
  assert.deepEqual(codes(findings, 'error'), []);
  assert.deepEqual(codes(findings, 'warning'), ['from_not_authenticated']);
  assert.equal(await pro.call('campaignSendNow', { cid }), true);
});

test('malformed links and unknown merge tags are warnings, a missing unsubscribe link a remark, and the campaign is sent', async () => {
  const cid = await draft('<a href="http://">x</a>*|NAME|* <img src="a"><a href="">y</a>', {
    subject: 'For *|FIRST|*',
  });
  const findings = await check(cid);
  assert.deepEqual(codes(findings, 'error'), []);
  assert.deepEqual(codes(findings, 'warning').slice(0, 5), [
    'link_broken',
    'link_empty',
    'picture_relative',
    'alt_missing',
    'tag_unknown',
  ]);
  assert.ok(codes(findings, 'info').includes('unsubscribe_missing'));
  assert.match(findings[4]!.message, /\*\|NAME\|\*, \*\|FIRST\|\*/);
  assert.equal(await pro.call('campaignSchedule', { cid, schedule_time: '2099-01-01 00:00:00' }), true);
  assert.equal(await pro.call('campaignSendNow', { cid }), true);
});

test('pictures that readers cannot see are warnings that name them; data is in order where it is embedded', async () => {
  const html = `<img src="pic.png" alt=""><img alt=""><img src="data:image/png;base64,AA" alt=""><p style="background:url(cid:a)">x</p>${leave}`;
  const cid = await draft(html);
  const pictures = async () => (await check(cid)).filter(({ code }) => /^picture_(?!not)/.test(code));
  assert.deepEqual(
    (await pictures()).map(({ level, code, found }) => [level, code, ...found]),
    [
      ['warning', 'picture_empty', '<img alt="">'],
      ['warning', 'picture_relative', 'pic.png'],
      ['warning', 'picture_scheme', 'data:image/png;base64,AA', 'cid:a'],
    ],
  );
  assert.match((await pictures())[1]!.message, /so readers do not see it: pic\.png$/);
  await app.app.db.run(sql`update campaign set inline_img = true where id = ${parseId(cid)}`);
  assert.deepEqual((await pictures()).find(({ code }) => code === 'picture_scheme')?.found, ['cid:a']);
});

test('an image that was not chosen is an error; data is quoted in short', async () => {
  const drawing =
    '<svg xmlns="http://www.w3.org/2000/svg" width="100" viewBox="0 0 24 24" style="fill: rgba(0,0,0,0.15); transform: scale(0.75)"></svg>';
  const address = `data:image/svg+xml;base64,${Buffer.from(drawing).toString('base64')}`;
  const data = `data:image/png;base64,${'A'.repeat(500)}`;
  const cid = await draft(`<p>Hello</p><img src="${address}" alt=""><img src="${data}" alt="">${leave}`);
  const findings = await check(cid);
  const of = (code: string) => findings.find((finding) => finding.code === code);
  assert.deepEqual(codes(findings, 'error'), ['picture_not_chosen']);
  assert.equal(of('picture_not_chosen')!.message, 'An image has not been chosen');
  assert.deepEqual(of('picture_not_chosen')!.found, [address.slice(0, 60)]);
  assert.deepEqual(of('picture_scheme')!.found, [data.slice(0, 60)]);
  assert.ok(of('picture_scheme')!.message.endsWith(`: ${data.slice(0, 59)}…`));
  await assert.rejects(pro.call('campaignSendNow', { cid }), /An image has not been chosen/);
});

test('tags of a feed are one warning, apart from unknown tags', async () => {
  const cid = await draft(`<p>*|RSSITEMS:|**|RSSITEM:TITLE|**|END:RSSITEMS|* *|NAME|*</p>${leave}`);
  const findings = await check(cid);
  assert.equal(findings.filter(({ code }) => code === 'tag_of_feed').length, 1);
  assert.deepEqual(findings.find(({ code }) => code === 'tag_unknown')?.found, ['*|NAME|*']);
});

test('merge tags that are not in order or of another program are warnings, wherever they are and in each variant', async () => {
  const cid = await draft(`<p>*|<b>FNAME</b>|* and {{ first_name }}</p>${leave}`, {
    subject: 'For [% name %]',
    preview_text: 'Dear *|F-NAME|*',
    from_name: 'A {$name}',
  });
  const of = async (code: string) => (await check(cid)).filter((finding) => finding.code === code);
  const [broken] = await of('tag_broken');
  assert.deepEqual([broken?.level, broken?.found], ['warning', ['*|F-NAME|*', '*|FNAME|*']]);
  assert.match(
    broken!.message,
    /merge tags are incomplete. Readers would see them as text: \*\|F-NAME\|\*, \*\|FNAME\|\*$/,
  );
  const [foreign] = await of('tag_foreign');
  assert.deepEqual(foreign?.found, ['[% name %]', '{$name}', '{{ first_name }}']);
  assert.match(foreign!.message, /\{\{ first_name \}\} → \*\|FNAME\|\*/);
  await pro.call('campaignTestUpdate', { cid, variants: [{ subject: 'For %%name%%' }] });
  const ofVariant = (await of('tag_foreign')).find(({ variant }) => variant === 1);
  assert.ok(ofVariant?.found.includes('%%name%%'));
});

test('a link to unsubscribe of another program is one warning: a tag to replace', async () => {
  const found = codes(
    await check(await draft('<p>Hello</p><a href="{{ unsubscribe_link }}">leave</a> *|LIST:ADDRESS|*')),
  );
  assert.deepEqual(
    found.filter((code) => ['tag_foreign', 'link_relative', 'link_broken', 'unsubscribe_missing'].includes(code)),
    ['tag_foreign'],
  );
});

test('incomplete conditions are a warning that names them, and complete ones are none', async () => {
  const cid = await draft(`<p>*|IF:FNAME|*Dear *|FNAME|**|END:IF|* *|IF:FNAME|*x</p>${leave}`, {
    subject: 'a*|ELSE:|*b',
  });
  const finding = (await check(cid)).find(({ code }) => code === 'condition_bad');
  assert.equal(finding?.level, 'warning');
  assert.match(finding.message, /\*\|IF:FNAME\|\*.*\*\|ELSE:\|\*/);
  await pro.call('campaignUpdate', { cid, name: 'subject', value: 'Hello' });
  await pro.call('campaignUpdate', { cid, name: 'html', value: `<p>*|IF:FNAME|*Dear *|FNAME|**|END:IF|*</p>${leave}` });
  const remaining = codes(await check(cid));
  assert.ok(!remaining.includes('condition_bad') && !remaining.includes('tag_without_value'));
});

test('loops in the wrong place are a warning for each mistake, which names them', async () => {
  const cid = await draft(`<p>*|EACH:FNAME|*x*|EACH:FNAME|*y*|END:EACH|*</p>*|ITEM:a|*${leave}`, {
    subject: 'a*|END:EACH|*b*|ITEM:b|*',
  });
  const found = (await check(cid)).filter(({ code }) => code === 'loop_bad');
  assert.deepEqual(
    found.map(({ level, found }) => [level, ...found]),
    [
      ['warning', '*|EACH:FNAME|*'],
      ['warning', '*|EACH:FNAME|*'],
      ['warning', '*|ITEM:b|*'],
      ['warning', '*|END:EACH|*'],
    ],
  );
  assert.match(found[0]!.message, /cannot contain another one; .*\*\|EACH:FNAME\|\*/);
  assert.match(found[1]!.message, /no end.*Write \*\|END:EACH\|\* where it ends: \*\|EACH:FNAME\|\*/);
  await pro.call('campaignUpdate', { cid, name: 'subject', value: 'Hello' });
  await pro.call('campaignUpdate', { cid, name: 'html', value: `<p>*|EACH:FNAME|**|ITEM:a|**|END:EACH|*</p>${leave}` });
  assert.ok(!codes(await check(cid)).includes('loop_bad'));
});

test('what is required by all branches of AND and OR leaves no gap', () => {
  const fields = ['A', 'B', 'C'].map((tag) => ({ tag, type: 'text', default: '' }));
  const gaps = (html: string) => fieldsWithoutDefault(compile(content({ html, plain: '', subject: '', fields })));
  assert.deepEqual(gaps('*|IF:A AND B|**|A|**|B|**|C|**|END:IF|*'), ['C']);
  assert.deepEqual(gaps('*|IF:A OR B|**|A|**|B|**|END:IF|*'), ['A', 'B']);
  assert.deepEqual(gaps('*|IF:A AND B OR A AND C|**|A|**|B|**|END:IF|*'), ['B']);
  assert.deepEqual(gaps('*|IFNOT:A AND B|**|A|**|END:IF|*'), ['A']);
  assert.deepEqual(gaps('*|IF:A!=x AND B=y|**|A|**|B|**|END:IF|*'), ['A']);
  assert.deepEqual(gaps('*|EACH:X|**|IF:A|**|A|**|END:IF|**|B|**|END:EACH|*'), ['B']);
});

test('a missing unsubscribe link is reported, and the part gets the footer, also for a PRO account', async () => {
  const cid = await draft('<p>Hello</p>', { auto_footer: false });
  const missing = (await check(cid)).find(({ code }) => code === 'unsubscribe_missing');
  assert.equal(missing?.level, 'info');
  assert.match(missing.message, /The HTML and the plain text have/);
  const preview = await pro.call<{ html: string; plain: string }>('campaignPreview', { cid });
  for (const part of [preview.html, preview.plain]) assert.match(part, /because you subscribed/);
  await pro.call('campaignUpdate', { cid, name: 'html', value: '<p>Hello</p><a href="*|UNSUB|*">leave</a>' });
  assert.ok(!codes(await check(cid), 'info').includes('unsubscribe_missing'));
  assert.ok(codes(await check(cid), 'info').includes('address_not_shown'));
  await pro.call('campaignUpdate', { cid, name: 'html', value: '<p>Hello</p>' });
  await pro.call('campaignUpdate', { cid, name: 'auto_footer', value: true });
  assert.ok(!codes(await check(cid)).includes('unsubscribe_missing'));
});

test('with auto_footer both parts begin with a link to the browser view, in the language of the campaign', async () => {
  const cid = await draft('<p>Hello</p>', { auto_footer: true, ln: 'jp' });
  const { html, plain } = await pro.call<{ html: string; plain: string }>('campaignPreview', { cid });
  assert.match(html, /^<div[^>]*><a href="[^"]+"[^>]*>ブラウザーで表示<\/a><\/div><p>Hello/);
  assert.match(plain, /^ブラウザーで表示: \S+\n\nHello/);
  assert.match(plain, /配信停止: /);
  await pro.call('campaignUpdate', { cid, name: 'auto_footer', value: false });
  assert.doesNotMatch((await pro.call<{ plain: string }>('campaignPreview', { cid })).plain, /ブラウザーで表示/);
});

test('only the part without an unsubscribe link gets the footer', async () => {
  const freeList = await app.call<string>('listCreate', { title: 'Free' });
  const footerOfParts = async (auto_footer: boolean | undefined, html: string, plain: string) => {
    const cid = await app.call<string>('campaignCreate', {
      type: 'HTML',
      options: {
        list_id: freeList,
        subject: 's',
        from_email: 'a@example.com',
        from_name: 'A',
        ln: 'de',
        ...(auto_footer === undefined ? {} : { auto_footer }),
      },
      content: { html, plain },
    });
    assert.deepEqual(codes(await app.call<Finding[]>('campaignCheck', { cid }), 'error'), []);
    const compiled = await compileCampaign(app.app.db, app.app, app.account, parseId(cid));
    return [compiled!.html, compiled!.plain].map((part) => JSON.stringify(part).includes('dafür angemeldet haben'));
  };
  assert.deepEqual(await footerOfParts(undefined, '<p>x</p>', 'x'), [true, true]);
  assert.deepEqual(await footerOfParts(false, '<p>x</p>', 'x *|UNSUB|*'), [true, false]);
  assert.deepEqual(await footerOfParts(false, '<a href="*%7CUNSUB%7C*">x</a>', 'x'), [false, true]);
  assert.deepEqual(await footerOfParts(undefined, '<a href="*|UNSUB|*">x</a>', '#[UNSUB]#'), [false, false]);
  assert.deepEqual(await footerOfParts(true, '<a href="*|UNSUB|*">x</a>', '#[UNSUB]#'), [true, true]);
});

test('HTML larger than Gmail shows is a warning, measured as sent', async () => {
  const just = await draft(`<p>${'x'.repeat(clippedBeyond - 2_000)}</p>${leave}`);
  assert.ok(!codes(await check(just)).includes('html_clipped'));
  const tooMuch = await draft(`<p>${'x'.repeat(clippedBeyond)}</p>${leave}`);
  assert.ok(codes(await check(tooMuch), 'warning').includes('html_clipped'));
});

test('tags without value are counted for the real audience, and left-out contacts are listed by reason', async () => {
  const cid = await draft(`<p>*|FNAME|* *|LNAME:x|*</p>${leave}`, { list_id: [list, second] });
  const found = new Map((await check(cid)).map((finding) => [finding.code, finding.message]));
  assert.match(found.get('tag_without_value')!, /\*\|FNAME\|\* is empty for 1 of 2 recipients/);
  assert.equal(found.get('audience'), '2 recipients would get this campaign now');
  for (const [code, count] of [
    ['duplicate', 1],
    ['suppressed', 1],
    ['pending', 1],
    ['unsubscribed', 1],
  ] as const)
    assert.match(found.get(`left_out_${code}`)!, new RegExp(`^Left out: ${count} `), code);
  const segment = await pro.call<string>('listSegmentCreate', {
    list,
    title: 'B',
    match: 'all',
    filter: [{ field: 'EMAIL', condition: 'starts', value: 'bob' }],
  });
  await pro.call('campaignUpdate', { cid, name: 'list_id', value: list });
  await pro.call('campaignUpdate', { cid, name: 'segment_id', value: segment });
  const narrowed = new Map((await check(cid)).map((finding) => [finding.code, finding.message]));
  assert.equal(narrowed.get('audience'), '1 recipient would get this campaign now');
  assert.match(narrowed.get('left_out_segment')!, /^Left out: 2 /);
});

test('a tag in a link counts as one without value too', async () => {
  const cid = await draft(`<a href="https://example.com/?n=*|LNAME|*">x</a>${leave}`);
  assert.ok(
    (await check(cid)).some((finding) => finding.code === 'tag_without_value' && /LNAME/.test(finding.message)),
  );
});

test('no recipients, no postal address and a draft that is not ready are reported', async () => {
  const empty = await pro.call<string>('listCreate', { title: 'Empty' });
  const cid = await draft(`x${leave}`, { list_id: empty });
  assert.ok(codes(await check(cid), 'warning').includes('no_recipients'));
  assert.ok(codes(await check(cid), 'warning').includes('address_missing'));
  await pro.call('listDelete', { id: empty });
  const [first] = await check(cid);
  assert.deepEqual([first!.level, first!.code], ['error', 'not_ready']);
});

test('a From domain that does not sign is a warning; one that signs without authenticate is an info; with authenticate there is no finding', async () => {
  const cid = await draft(`x${leave}`, { sender: 'us@signed.example' });
  const said = async () =>
    (await check(cid)).filter((item) => /authenticate/.test(item.code)).map(({ level, code }) => `${level} ${code}`);
  assert.deepEqual(await said(), ['warning from_not_authenticated']);
  await app.app.db.run(
    sql`insert into sender_domain (account_id, domain, active) values (${pro.account.id}, 'signed.example', true)`,
  );
  assert.deepEqual(await said(), ['info authenticate_off']);
  await pro.call('campaignUpdate', { cid, name: 'authenticate', value: true });
  assert.deepEqual(await said(), []);
});

test('a page of pictures only has a plain part that links to it, and can be sent', async () => {
  const cid = await draft('<p><img src="https://example.com/a.png"></p>');
  const compiled = await compileCampaign(app.app.db, app.app, pro.account, parseId(cid));
  assert.match(JSON.stringify(compiled!.plain), /"News\\n\\n",\{"slot":"personal","address":"view"/);
  await pro.call('campaignUpdate', { cid, name: 'auto_footer', value: true });
  assert.equal(await pro.call('campaignSendNow', { cid }), true);
});

test('import warnings are reported until the content is replaced', async () => {
  const archive = zipOf([{ name: 'index.html', body: `<img alt="" src="nowhere.png"><p>x</p>${leave}` }]).toString(
    'base64',
  );
  const cid = await draft('', {}, { archive, archive_type: 'zip' });
  const found = (await check(cid)).find((finding) => finding.code === 'import_missing');
  assert.equal(found?.level, 'warning');
  assert.match(found.message, /nowhere\.png/);
  const copy = await pro.call<string>('campaignReplicate', { cid });
  assert.ok(codes(await check(copy)).includes('import_missing'));
  await pro.call('campaignUpdate', { cid, name: 'html', value: `<p>y</p>${leave}` });
  assert.ok(!codes(await check(cid)).some((code) => code.startsWith('import_')));
  await pro.call('campaignUpdate', { cid, name: 'archive', value: archive });
  assert.ok(codes(await check(cid)).includes('import_missing'));
});

test('a non-ASCII From or Reply-To address is rejected when set, and an error if it was set before', async () => {
  const given = 'jörg@example.com';
  for (const options of [{ from_email: given }, { sender: given }])
    await assert.rejects(draft(`x${leave}`, options), (error: { code?: number }) => error.code === 502);
  const cid = await draft(`x${leave}`);
  for (const name of ['from_email', 'sender'])
    await assert.rejects(
      pro.call('campaignUpdate', { cid, name, value: given }),
      (error: { code?: number }) => error.code === 502,
    );
  await app.app.db.run(sql`update campaign set sender = ${given} where id = ${parseId(cid)}`);
  assert.deepEqual(codes(await check(cid), 'error'), ['from_bad']);
  await assert.rejects(pro.call('campaignSendNow', { cid }), /From address/);
  await assert.rejects(
    pro.call('campaignSendTest', { cid, test_emails: ['me@example.com'] }),
    (error: { code?: number }) => error.code === 502,
  );
});

test('tags of an event are a warning where no event leads to the campaign, and none in an automation that one begins', async () => {
  const cid = await draft(
    `<p>*|EVENT:total|**|IF:EVENT:paid|*x*|END:IF|**|EACH:EVENT:items|**|ITEM:name|**|END:EACH|*<a href="*|EVENT:cart_url|*">y</a></p>${leave}`,
  );
  const finding = async () => (await check(cid)).find(({ code }) => code === 'tag_of_event');
  const found = await finding();
  assert.equal(found?.level, 'warning');
  assert.deepEqual(found.found.sort(), [
    '*|EACH:EVENT:items|*',
    '*|EVENT:cart_url|*',
    '*|EVENT:total|*',
    '*|IF:EVENT:paid|*',
  ]);
  assert.ok(!codes(await check(cid)).includes('tag_unknown'));
  const id = await pro.call<string>('automationCreate', { title: 'Cart', list });
  const steps = [{ type: 'send', campaign: cid }];
  await pro.call('automationUpdate', { id, trigger: { type: 'subscribed' }, steps });
  assert.ok(await finding());
  await pro.call('automationUpdate', { id, trigger: { type: 'event', name: 'cart' }, steps });
  assert.equal(await finding(), undefined);
});
