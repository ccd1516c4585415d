// Templates that programs send by their alias, and the earlier versions of a template.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { pictures } from '../../../test/support/builders/archives.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { call } from '../../doors/call.ts';
import { maxTemplateVersions } from './versions.ts';

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

type Template = { id: string; alias: string; subject: string; source: string };
type Version = { version: number; replaced_by: string; written_by: string; subject: string; source: string };

const create = (given: Record<string, unknown> = {}) =>
  app.call<string>('templateCreate', { name: 'Receipt', source: '<p>Order *|ORDER|*</p>', ...given });
const update = (template_id: string, name: string, value: string) =>
  app.call('templateUpdate', { template_id, name, value });
const found = async (id: string) => (await app.call<Template[]>('campaignTemplates')).find((one) => one.id === id)!;
const versions = (template_id: string, version?: number) =>
  app.call<Version[]>('templateVersions', { template_id, ...(version !== undefined && { version }) });
const restore = (template_id: string, version: number) => app.call('templateVersionRestore', { template_id, version });
/** As if the last change was an hour ago. */
const later = (id: string) =>
  app.app.db.run(
    sql`update template_version set kept_at = kept_at - interval '1 hour' where template_id = ${parseId(id)}`,
  );
const render = (given: Record<string, unknown>) =>
  app.call<{ subject: string; html: string }>('messageRender', { values: { ORDER: '<17>' }, ...given });

test('a message is made from the template with an alias, under its subject unless the call has one', async () => {
  const id = await create({ alias: ' Order.Paid ', subject: 'Order *|ORDER|* is paid' });
  assert.equal((await found(id)).alias, 'order.paid');
  const { subject, html } = await render({ template: 'ORDER.paid' });
  assert.deepEqual([subject, html], ['Order <17> is paid', '<p>Order &lt;17&gt;</p>']);
  assert.equal((await render({ template: 'order.paid', subject: 'Thanks' })).subject, 'Thanks');
  assert.equal((await render({ template_id: id })).subject, 'Order <17> is paid');
  const sent = await app.call<{ id: string }>('messageSend', {
    to: 'ada@example.com',
    template: 'order.paid',
    values: { ORDER: '17' },
  });
  const message = await app.call<{ subject: string; template_id: string }>('messageGet', { id: sent.id });
  assert.deepEqual([message.subject, message.template_id], ['Order 17 is paid', id]);
  // What was sent does not change with the template.
  await update(id, 'source', '<p>Other</p>');
  const content = await app.call<{ html: string }>('messageContent', { id: sent.id });
  assert.match(content.html, /Order 17/);
});

test('an alias that is unknown, of another account, removed or without a subject is refused by name', async () => {
  const id = await create({ alias: 'invoice' });
  const to = 'ada@example.com';
  const send = (given: Record<string, unknown>, of = app.call) => of('messageSend', { to, ...given });
  await assert.rejects(send({ template: 'invoice' }), { fault: 'CONTENT_INVALID', message: /^subject/ });
  const unknown = { fault: 'TEMPLATE_UNKNOWN', message: 'template: no template has the alias "invoice"' };
  await assert.rejects(send({ template: 'invoice', subject: 'x' }, (await app.anotherAccount()).call), unknown);
  await update(id, 'alias', '');
  await assert.rejects(send({ template: 'invoice', subject: 'x' }), unknown);
  await assert.rejects(
    app.call('messageSendBatch', {
      messages: [
        { to: [to], subject: 'x', plain: 'x' },
        { to: [to], template: 'none' },
      ],
    }),
    { fault: 'TEMPLATE_UNKNOWN', message: /^messages\.1\.template/ },
  );
  for (const [given, member] of [
    [{ template: 'a', template_id: id }, 'template_id'],
    [{ template: 'a', html: '<p>x</p>' }, 'html'],
    [{ template_id: id, html: '<p>x</p>' }, 'html'],
  ] as const)
    await assert.rejects(send({ subject: 'x', ...given }), {
      fault: 'CONTENT_INVALID',
      message: `${member}: give only one of html, template and template_id`,
    });
  await update(id, 'alias', 'invoice');
  await app.call('templateDelete', { template_id: id });
  await assert.rejects(send({ template: 'invoice', subject: 'x' }), unknown);
});

test('one template at a time has an alias, also when two take it at once', async () => {
  await create({ alias: 'welcome' });
  const taken = { fault: 'CAMPAIGN_OPTION_INVALID', message: /^alias: the template "Receipt" has the alias welcome/ };
  await assert.rejects(create({ alias: 'Welcome' }), taken);
  const other = await create();
  await assert.rejects(update(other, 'alias', 'welcome'), { fault: 'CAMPAIGN_OPTION_INVALID', message: /^value: / });
  for (const alias of ['-x', 'a b', 'ä', 'x'.repeat(65), '../x', '<b>'])
    await assert.rejects(update(other, 'alias', alias), {
      fault: 'CAMPAIGN_OPTION_INVALID',
      message: /^value: an alias/,
    });
  await assert.rejects(update(other, 'subject', 'x'.repeat(901)), { fault: 'CAMPAIGN_OPTION_INVALID' });
  assert.deepEqual(await versions(other), [], 'nothing is kept of what was refused');
  await (await app.anotherAccount()).call('templateCreate', { name: 'x', source: 'x', alias: 'welcome' });
  const results = await Promise.allSettled([create({ alias: 'race' }), create({ alias: 'race' })]);
  assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  const refused = results.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
  assert.equal((refused.reason as { fault: string }).fault, 'CAMPAIGN_OPTION_INVALID');
});

test('each saving keeps what it replaces, and a version is restored as a change', async () => {
  const key = await app.call<string>('apikeyAdd', { label: 'designer' });
  const id = await create({ subject: 'One', source: '<p>1</p>' });
  await call(
    app.app,
    'templateUpdate',
    { template_id: id, name: 'source', value: '<p>2</p>' },
    { kind: 'key', key, ip: '' },
    'json',
  );
  await later(id);
  // One saving, by two calls.
  await update(id, 'subject', 'Three');
  await update(id, 'source', '<p>3</p>');
  await update(id, 'name', 'Other');
  await update(id, 'source', '<p>3</p>');
  assert.deepEqual(
    (await versions(id)).map(({ version, subject, source, replaced_by }) => [version, subject, source, replaced_by]),
    [
      [2, 'One', '', 'edit'],
      [1, 'One', '', 'edit'],
    ],
  );
  assert.match((await versions(id))[0]!.written_by, /^designer/);
  assert.deepEqual(
    (await versions(id, 2)).map(({ source }) => source),
    ['<p>2</p>'],
  );
  await later(id);
  await restore(id, 1);
  const { source, subject } = await found(id);
  assert.deepEqual([source, subject], ['<p>1</p>', 'One']);
  assert.deepEqual(
    (await versions(id, 3)).map((one) => [one.source, one.subject, one.replaced_by]),
    [['<p>3</p>', 'Three', 'restore']],
  );
  await restore(id, 1);
  assert.equal((await versions(id)).length, 3, 'as it is already');
  await assert.rejects(restore(id, 9), {
    fault: 'INVALID_PARAMETER',
    message: /^version: the template has no version 9/,
  });
  await assert.rejects(versions(id, 9), { fault: 'INVALID_PARAMETER' });
  await assert.rejects((await app.anotherAccount()).call('templateVersions', { template_id: id }), {
    fault: 'TEMPLATE_UNKNOWN',
  });
});

test('two people who save at once: each text is kept', async () => {
  const id = await create({ source: '<p>0</p>' });
  await Promise.all(
    ['a', 'b'].map(async (label) => {
      const key = await app.call<string>('apikeyAdd', { label });
      await call(
        app.app,
        'templateUpdate',
        { template_id: id, name: 'source', value: `<p>${label}</p>` },
        { kind: 'key', key, ip: '' },
        'json',
      );
    }),
  );
  const kept = await Promise.all(
    (await versions(id)).map(async ({ version }) => (await versions(id, version))[0]!.source),
  );
  assert.deepEqual([...kept, (await found(id)).source].sort(), ['<p>0</p>', '<p>a</p>', '<p>b</p>']);
});

test('the pictures of earlier versions stay as long as these', async () => {
  const { url, name } = await app.call<{ url: string; name: string }>('assetCreate', {
    content: pictures.png.toString('base64'),
  });
  const isThere = async () => (await app.app.db.row(sql`select from asset where name = ${name}`)) !== undefined;
  const id = await create({ source: `<img src="${url}">` });
  await app.call('assetDelete', { name });
  await update(id, 'source', '<p>0</p>');
  assert.ok(await isThere(), 'the version has it');
  for (let i = 1; i <= maxTemplateVersions; i++) {
    await later(id);
    await update(id, 'source', `<p>${i}</p>`);
  }
  assert.equal((await versions(id)).length, maxTemplateVersions);
  assert.equal(await isThere(), false, 'the oldest version is deleted');
  await app.call('templateDelete', { template_id: id });
  assert.deepEqual(await app.app.db.rows(sql`select from template_version where template_id = ${parseId(id)}`), []);
});
