// campaignCreate: its parameters, options, content alternatives and autoresponder settings, row by row.
import assert from 'node:assert/strict';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before } from 'node:test';
import { gzipSync } from 'node:zlib';
import { escapeHtml } from '../../src/base/html.ts';
import { createOutbound } from '../../src/base/outbound/outbound.ts';
import { sql } from '../../src/db/connect.ts';
import { parseId } from '../../src/db/ids.ts';
import { text } from '../../src/locales/text.ts';
import { bzip2, tarOf, zipOf } from '../support/builders/archives.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';
import { draftOf, type Fixture, fault, makeAccount, makePlaceholder, makeSegment } from './fixture.ts';
import { specTable } from './rows.ts';

type Changes = Parameters<typeof draftOf>[1];

let app: TestApp;
let own: Fixture;
let pro: Fixture;
let other: string;
let page: http.Server;
let pageUrl: string;
before(async () => {
  app = await testApp();
  own = await makeAccount(app.app);
  pro = await makeAccount(app.app, 'pro', ['inline_img']);
  other = await own.call<string>('listCreate', { title: 'Others' });
  page = http.createServer((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end('<html><body><p>From the web</p></body></html>');
  });
  await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve));
  pageUrl = `http://127.0.0.1:${(page.address() as AddressInfo).port}/`;
  app.app.outbound = createOutbound({ allow: ['127.0.0.0/8'] });
});
after(async () => {
  app.app.outbound.close();
  page.close();
  await app.close();
});

const create = (changes: Changes = {}, as = own) => as.call<string>('campaignCreate', draftOf(as.list, changes));
const record = async (cid: string, as = own) =>
  (await as.call<Record<string, unknown>[]>('campaigns', { filters: { campaign_id: cid } }))[0]!;
const content = (cid: string) => own.call<{ html: string; plain: string }>('campaignContent', { cid });
/** What the database holds of a campaign; for options that no answer shows. */
const stored = async (cid: string) =>
  (await app.app.db.row<Record<string, unknown>>(sql`
    select sender, generate_text, auto_footer, authenticate, inline_img, time_match, language, auto, to_name
    from campaign where id = ${parseId(cid)}`))!;
const without = (member: string) => {
  const draft = draftOf(own.list) as { options: Record<string, unknown> };
  delete draft.options[member];
  return own.call('campaignCreate', draft);
};

const parameter = specTable('campaignCreate');
parameter('type', 'is HTML, plain or auto, in any case, and required', async () => {
  assert.equal((await record(await create({ type: 'html' }))).type, 'HTML');
  assert.equal((await record(await create({ type: 'plain' }))).type, 'plain text');
  const auto = { 'offset-units': 'day', 'offset-time': 1 };
  assert.equal((await record(await create({ type: 'auto', type_opts: auto }))).type, 'auto');
  await assert.rejects(create({ type: 'rss' }), fault('CAMPAIGN_OPTION_INVALID', 'type'));
  const { type: _type, ...untyped } = draftOf(own.list);
  await assert.rejects(own.call('campaignCreate', untyped), fault('CAMPAIGN_OPTION_INVALID', 'type is required'));
});
parameter('options', 'is a required struct', async () => {
  const { options: _options, ...draft } = draftOf(own.list);
  await assert.rejects(own.call('campaignCreate', draft), fault('OPTIONS_STRUCT_INVALID', 'options is required'));
  await assert.rejects(
    own.call('campaignCreate', { ...draft, options: 'x' }),
    fault('OPTIONS_STRUCT_INVALID', 'options'),
  );
});
parameter('content', 'is required', async () => {
  const { content: _content, ...draft } = draftOf(own.list);
  await assert.rejects(own.call('campaignCreate', draft), fault('CONTENT_INVALID', 'content has no HTML'));
});
parameter('content', 'may be left out with options.template_id, as forms cannot send an empty struct', async () => {
  const template_id = await own.call<string>('templateCreate', { name: 'L', source: '<p>Hello</p>', layout: 'basic' });
  const { content: _content, ...draft } = draftOf(own.list, { options: { template_id, generate_text: true } });
  const cid = await own.call<string>('campaignCreate', draft);
  assert.equal((await own.call<{ html: string }>('campaignContent', { cid })).html, '<p>Hello</p>');
});
parameter('type_opts', 'is required for type auto and refused for others', async () => {
  await assert.rejects(create({ type: 'auto' }), fault('AUTORESPONDER_INVALID', 'type_opts'));
  const settings = { 'offset-units': 'day', 'offset-time': 1 };
  await assert.rejects(create({ type_opts: settings }), fault('AUTORESPONDER_INVALID', 'type_opts'));
});
for (const type_opts of ['', [], {}]) {
  parameter(
    'type_opts',
    `counts as not given when it is ${JSON.stringify(type_opts)}, as PHP leaves it out`,
    async () => {
      assert.equal((await record(await create({ type_opts }))).type, 'HTML');
      await assert.rejects(
        create({ type: 'auto', type_opts }),
        fault('AUTORESPONDER_INVALID', 'type_opts is required'),
      );
    },
  );
}

const option = specTable('campaignCreate options');
option('list_id', 'is one list id', async () => {
  assert.deepEqual((await record(await create())).list_ids, [own.list]);
});
option('list_id', 'is an array of several list ids', async () => {
  const cid = await create({ options: { list_id: [other, own.list] } });
  assert.deepEqual((await record(cid)).list_ids, [other, own.list]);
});
option('list_id', 'is required, and must be a list of the account', async () => {
  await assert.rejects(without('list_id'), fault('CAMPAIGN_OPTION_INVALID', 'options.list_id is required'));
  await assert.rejects(create({ options: { list_id: pro.list } }), fault('LIST_UNKNOWN', 'options.list_id'));
});
option('segment_id', 'is one segment or several, built on the given list', async () => {
  const [a, b] = [
    await makeSegment(app.app, own.accountId, own.list),
    await makeSegment(app.app, own.accountId, own.list),
  ];
  assert.deepEqual((await record(await create({ options: { segment_id: a } }))).segment_ids, [a]);
  const both = (await record(await create({ options: { segment_id: [a, b] } }))).segment_ids as string[];
  assert.deepEqual(both.sort(), [a, b].sort());
  const elsewhere = await makeSegment(app.app, own.accountId, other);
  await assert.rejects(create({ options: { segment_id: elsewhere } }), fault('SEGMENT_INVALID', 'options.segment_id'));
});
for (const [member, value] of [
  ['subject', 'Spring is here'],
  ['from_email', 'answers@example.com'],
  ['from_name', 'Postmaster General'],
] as const) {
  option(member, 'is kept as given and is required', async () => {
    assert.equal((await record(await create({ options: { [member]: value } })))[member], value);
    await assert.rejects(without(member), fault('CAMPAIGN_OPTION_INVALID', `options.${member} is required`));
  });
}
option('from_email', 'that is no address is fault 502', async () => {
  await assert.rejects(create({ options: { from_email: 'nobody' } }), fault('ADDRESS_INVALID', 'options.from_email'));
});
option('sender', 'is the sender address of PRO users', async () => {
  const cid = await create({ options: { sender: 'sender@example.com' } }, pro);
  assert.equal((await stored(cid)).sender, 'sender@example.com');
  assert.equal((await stored(await create({}, pro))).sender, '');
});
option('tracking', 'has opens and html_clicks on, text_clicks off by default', async () => {
  const shown = ({ track_opens, track_clicks_html, track_clicks_text }: Record<string, unknown>) => [
    track_opens,
    track_clicks_html,
    track_clicks_text,
  ];
  assert.deepEqual(shown(await record(await create())), [true, true, false]);
  const turned = { opens: false, html_clicks: false, text_clicks: true };
  assert.deepEqual(shown(await record(await create({ options: { tracking: turned } }))), [false, false, true]);
  assert.deepEqual(shown(await record(await create({ options: { tracking: { opens: '' } } }))), [false, true, false]);
});
option('title', 'is by default the subject', async () => {
  assert.equal((await record(await create({ options: { title: 'For May' } }))).title, 'For May');
  assert.equal((await record(await create())).title, 'News');
});
option('analytics', 'has a member google', async () => {
  const row = await record(await create({ options: { analytics: { google: 'may' } } }));
  assert.deepEqual([row.analytics, row.analytcs_tag], [true, 'may']);
});
option('generate_text', 'makes the plain text from the HTML, and is off by default', async () => {
  const only = { html: '<p>Dear <b>reader</b></p>' };
  const cid = await create({ options: { generate_text: true }, content: only });
  assert.match((await content(cid)).plain, /^Dear reader\s*$/);
  await assert.rejects(create({ content: only }), fault('CONTENT_INVALID', 'content.plain'));
});
for (const member of ['auto_footer', 'time_match'] as const) {
  option(member, 'is off by default and can be on', async () => {
    assert.equal((await stored(await create()))[member], false);
    assert.equal((await stored(await create({ options: { [member]: true } })))[member], true);
  });
}
option('authenticate', 'is off by default and on with an activated domain', async () => {
  assert.equal((await stored(await create())).authenticate, false);
  await app.app.db.run(sql`
    insert into sender_domain (account_id, domain, active) values (${pro.accountId}, 'example.com', true)`);
  assert.equal((await stored(await create({ options: { authenticate: true } }, pro))).authenticate, true);
});
option('inline_img', 'is off by default and on with the add-on', async () => {
  assert.equal((await stored(await create({}, pro))).inline_img, false);
  assert.equal((await stored(await create({ options: { inline_img: true } }, pro))).inline_img, true);
});
const languages = {
  cn: 'zh',
  dk: 'da',
  en: 'en',
  ee: 'et',
  fi: 'fi',
  fr: 'fr',
  de: 'de',
  it: 'it',
  jp: 'ja',
  lv: 'lv',
  lt: 'lt',
  no: 'nb',
  pl: 'pl',
  pt: 'pt',
  ru: 'ru',
  es: 'es',
  se: 'sv',
};
for (const [code, language] of Object.entries(languages)) {
  option('ln', `${code} is accepted`, async () => {
    assert.equal((await stored(await create({ options: { ln: code } }))).language, language);
  });
}
for (const [code, language] of Object.entries(languages)) {
  option('ln', `${code} is the language of header and footer`, async () => {
    const cid = await create({ options: { ln: code, auto_footer: true } });
    const { html, plain } = await own.call<{ html: string; plain: string }>('campaignPreview', { cid });
    for (const part of [html, plain])
      for (const key of ['mail.view', 'mail.footer-why', 'mail.unsubscribe'])
        assert.ok(
          part.includes(escapeHtml(text(language, key))) || part.includes(text(language, key)),
          `${key}: ${part}`,
        );
    assert.ok(plain.startsWith(text(language, 'mail.view')), plain);
  });
}
option('ln', 'of another code is a fault', async () => {
  await assert.rejects(create({ options: { ln: 'xx' } }), fault('CAMPAIGN_OPTION_INVALID', 'options.ln'));
});

const alternative = specTable('campaignCreate content');
alternative('direct content', 'is html and plain, kept as given', async () => {
  const given = { html: '<p>One</p>\n', plain: 'Two\r\nlines ☃' };
  assert.deepEqual(await content(await create({ content: given })), { ...given, source: '', source_format: 'html' });
});
alternative('direct content', 'without plain needs generate_text', async () => {
  await assert.rejects(create({ content: { html: '<p>One</p>' } }), fault('CONTENT_INVALID', 'content.plain'));
});
alternative('import from address', 'takes the HTML from the address, and plain as given', async () => {
  const got = await content(await create({ content: { url: pageUrl, plain: 'Mine' } }));
  assert.match(got.html, /From the web/);
  assert.equal(got.plain, 'Mine');
});
alternative('import from address', 'without plain needs generate_text', async () => {
  await assert.rejects(create({ content: { url: pageUrl } }), fault('CONTENT_INVALID', 'content.plain'));
  const cid = await create({ content: { url: pageUrl }, options: { generate_text: true } });
  assert.match((await content(cid)).plain, /From the web/);
});
alternative('template', 'takes the HTML of the template', async () => {
  const template = (await makePlaceholder(app.app, own, 'template'))!;
  const got = await content(await create({ content: { template_id: template } }));
  assert.equal(got.html, '<p>Letter</p>');
  await assert.rejects(create({ content: { template_id: 'b0000000' } }), fault('TEMPLATE_UNKNOWN', 'template_id'));
});
const letter = { name: 'index.html', body: '<p>From the archive</p>' };
const archives: Record<string, () => Buffer> = {
  zip: () => zipOf([letter]),
  tar: () => tarOf([letter]),
  'tar.gz': () => gzipSync(tarOf([letter])),
  tgz: () => gzipSync(tarOf([letter])),
  'tar.bz2': () => bzip2(tarOf([letter])),
  tbz: () => bzip2(tarOf([letter])),
};
for (const [kind, make] of Object.entries(archives)) {
  alternative('archive', `of type ${kind} is unpacked and overwrites the other members`, async () => {
    const given = {
      archive: make().toString('base64'),
      archive_type: kind,
      html: '<p>Not this</p>',
      plain: 'Nor this',
    };
    const got = await content(await create({ content: given }));
    assert.match(got.html, /From the archive/);
    assert.match(got.plain, /^From the archive\s*$/);
  });
}
alternative('archive', 'is a zip where archive_type is left out', async () => {
  const given = { archive: zipOf([letter]).toString('base64') };
  assert.match((await content(await create({ content: given }))).html, /From the archive/);
  const tar = { archive: tarOf([letter]).toString('base64') };
  await assert.rejects(create({ content: tar }), fault('ARCHIVE_INVALID', 'content.archive'));
});
alternative('archive', 'may be of no other type', async () => {
  const rar = { archive: 'AAAA', archive_type: 'rar' };
  await assert.rejects(create({ content: rar }), fault('CONTENT_INVALID', 'content.archive_type'));
});

const setting = specTable('campaignCreate type_opts');
const auto = async (changes: Record<string, unknown>) => {
  const cid = await create({ type: 'auto', type_opts: { 'offset-units': 'day', 'offset-time': 1, ...changes } });
  return (await stored(cid)).auto as Record<string, unknown>;
};
for (const unit of ['day', 'week', 'month', 'year']) {
  setting('offset-units', `may be ${unit}`, async () => {
    assert.equal((await auto({ 'offset-units': unit })).units, unit);
  });
}
setting('offset-units', 'is required and nothing else', async () => {
  const bad = fault('AUTORESPONDER_INVALID', 'type_opts.offset-units');
  await assert.rejects(create({ type: 'auto', type_opts: { 'offset-time': 1 } }), bad);
  await assert.rejects(auto({ 'offset-units': 'hour' }), bad);
});
setting('offset-time', 'is a required number', async () => {
  assert.equal((await auto({ 'offset-time': '3' })).time, 3);
  const bad = fault('AUTORESPONDER_INVALID', 'type_opts.offset-time');
  await assert.rejects(create({ type: 'auto', type_opts: { 'offset-units': 'day' } }), bad);
  await assert.rejects(auto({ 'offset-time': 'three' }), bad);
});
const onDate = async (event: string, more: Record<string, unknown> = {}) => {
  const list = await own.call<string>('listCreate', { title: 'With dates' });
  await own.call('listMergeVarAdd', { id: list, tag: 'BORN', name: 'Born', options: { field_type: 'date' } });
  const type_opts = { 'offset-units': 'day', 'offset-time': 1, event, 'event-datemerge': 'BORN', ...more };
  return (await stored(await create({ type: 'auto', type_opts, options: { list_id: list } }))).auto as {
    [member: string]: unknown;
  };
};
setting('offset-dir', 'is after by default, or before', async () => {
  assert.equal((await auto({})).direction, 'after');
  assert.equal((await auto({ 'offset-dir': 'after' })).direction, 'after');
  assert.equal((await onDate('date', { 'offset-dir': 'before' })).direction, 'before');
  await assert.rejects(auto({ 'offset-dir': 'around' }), fault('AUTORESPONDER_INVALID', 'type_opts.offset-dir'));
});
setting('event', 'is signup by default, or date or annual', async () => {
  assert.equal((await auto({})).event, 'signup');
  assert.equal((await onDate('date')).event, 'date');
  assert.equal((await onDate('annual')).event, 'annual');
  await assert.rejects(auto({ event: 'birth' }), fault('AUTORESPONDER_INVALID', 'type_opts.event'));
});
setting('event-datemerge', 'must be set when event is date or annual', async () => {
  assert.equal((await onDate('annual')).tag, 'BORN');
  for (const event of ['date', 'annual'])
    await assert.rejects(auto({ event }), fault('AUTORESPONDER_INVALID', 'type_opts.event-datemerge'));
  await assert.rejects(
    auto({ event: 'date', 'event-datemerge': 'FNAME' }),
    fault('AUTORESPONDER_INVALID', 'type_opts.event-datemerge'),
  );
});
setting('offset-dir', 'may not be before a sign-up, and the fault gives the reason', async () => {
  await assert.rejects(
    auto({ 'offset-dir': 'before' }),
    fault('AUTORESPONDER_INVALID', 'type_opts.offset-dir: nothing can be sent before a sign-up, because'),
  );
});
setting(
  'event-datemerge',
  'must be a date field of every list, at creation, at a change and at the start',
  async () => {
    const dated = await own.call<string>('listCreate', { title: 'Dated' });
    const text = await own.call<string>('listCreate', { title: 'Textual' });
    for (const [id, field_type] of [
      [dated, 'date'],
      [text, 'text'],
    ] as const)
      await own.call('listMergeVarAdd', { id, tag: 'DUE', name: 'Due', options: { field_type } });
    const type_opts = { 'offset-units': 'day', 'offset-time': 1, event: 'date', 'event-datemerge': 'DUE' };
    const onLists = (...list_id: string[]) => create({ type: 'auto', type_opts, options: { list_id } });
    const bad = (member: string, list: string) => fault('AUTORESPONDER_INVALID', `${member}: the ${list}`);
    for (const order of [
      [dated, other],
      [other, dated],
    ])
      await assert.rejects(onLists(...order), bad('type_opts.event-datemerge', 'list "Others" has no field DUE'));
    await assert.rejects(onLists(dated, text), bad('type_opts.event-datemerge', 'field DUE of the list "Textual"'));
    const cid = await onLists(dated);
    const update = (name: string, value: unknown) => own.call('campaignUpdate', { cid, name, value });
    await assert.rejects(update('list_id', [dated, other]), bad('list_id', 'list "Others" has no field DUE'));
    assert.deepEqual((await record(cid)).list_ids, [dated]);
    // The field disappeared in another way: the autoresponder does not start.
    await app.app.db.run(sql`
    insert into campaign_list (account_id, campaign_id, list_id)
    values (${own.accountId}, ${parseId(cid)}, ${parseId(other)})`);
    await assert.rejects(
      own.call('campaignSendNow', { cid }),
      bad('type_opts.event-datemerge', 'list "Others" has no field DUE'),
    );
  },
);
