// Fields of the account and callers with a set of lists: the values of a contact on lists that the caller does not have are not shown,
// by whatever way the contact or the field comes to a list of the caller.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { joinAccountField } from '../../src/audience/fields/join.ts';
import { runImport } from '../../src/audience/import/run.ts';
import { parseId } from '../../src/db/ids.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';
import { keyWith } from './list-sets-fixture.ts';

let t: TestApp;
let choir: string;
let tour: string;
let board: string;
let volunteer: Awaited<ReturnType<typeof keyWith>>;
before(async () => {
  t = await testApp();
  [choir, tour, board] = (await Promise.all(
    ['Choir', 'Tour', 'Board'].map((title) => t.call<string>('listCreate', { title })),
  )) as [string, string, string];
  await t.call('accountFieldCreate', { tag: 'IBAN', name: 'Foreign bank account', lists: [board] });
  await t.call('accountFieldCreate', { tag: 'PHONE', name: 'Phone', lists: [choir, tour, board] });
  await t.call('accountFieldCreate', { tag: 'PART', name: 'Part', lists: [choir] });
  for (const email_address of ['both', 'board', 'imported', 'pending'].map((name) => `${name}@example.com`))
    await t.call('listSubscribe', {
      ...{ id: board, email_address, double_optin: false },
      merge_vars: { IBAN: 'foreign-iban', PHONE: 'foreign-phone' },
    });
  await t.call('listSubscribe', {
    id: choir,
    email_address: 'own@example.com',
    merge_vars: { PHONE: 'own' },
    double_optin: false,
  });
  volunteer = await keyWith(t.app, t.account.id, [choir, tour]);
});
after(() => t?.close());

const refusal = async (work: Promise<unknown>) =>
  work.then(
    () => ({ fault: 'none', message: '' }),
    (error: { fault: string; message: string }) => ({ fault: error.fault, message: error.message }),
  );
const mergesOf = async (id: string, email_address: string) =>
  ((await volunteer('listMemberInfo', { id, email_address })) as { merges: Record<string, string> }).merges;
const valueOn = async (id: string, email_address: string, tag: string) =>
  (await t.call<{ merges: Record<string, string> }>('listMemberInfo', { id, email_address })).merges[tag] ?? '';

test('a list does not get a field of the account that a list of others has, whatever type is given', async () => {
  for (const options of [{}, { field_type: 'number' }]) {
    const { fault, message } = await refusal(
      volunteer('listMergeVarAdd', { id: choir, tag: 'IBAN', name: 'guess', options }),
    );
    assert.equal(fault, 'NOT_ALLOWED');
    assert.doesNotMatch(message, /foreign|text/i);
  }
  const tags = ((await volunteer('listMergeVars', { id: choir })) as { tag: string }[]).map(({ tag }) => tag);
  assert.ok(!tags.includes('IBAN'));
});

test('it gets one that only lists of the caller have, with its values', async () => {
  await t.call('listUpdateMember', { id: choir, email_address: 'own@example.com', merge_vars: { PART: 'alto' } });
  await volunteer('listSubscribe', { id: tour, email_address: 'own@example.com', double_optin: false });
  await volunteer('listMergeVarAdd', { id: tour, tag: 'PART', name: 'Part' });
  await joinAccountField(
    { app: t.app, signal: new AbortController().signal },
    { account_id: t.account.id, tag: 'PART' },
  );
  assert.equal((await mergesOf(tour, 'own@example.com'))['PART'], 'alto');
});

test('an address that is on lists of others is subscribed without the values that it has there, and they stay', async () => {
  const email_address = 'board@example.com';
  await volunteer('listSubscribe', {
    id: choir,
    email_address,
    merge_vars: { FNAME: 'Bo', PHONE: 'typed' },
    double_optin: false,
  });
  assert.deepEqual(
    [(await mergesOf(choir, email_address))['FNAME'], (await mergesOf(choir, email_address))['PHONE']],
    ['Bo', ''],
  );
  assert.equal(await valueOn(board, email_address, 'PHONE'), 'foreign-phone');
  assert.doesNotMatch(JSON.stringify(await volunteer('contactGet', { email: email_address })), /foreign/);
  // The next list of the caller takes what the caller sees.
  await volunteer('listSubscribe', { id: tour, email_address, double_optin: false });
  assert.equal((await mergesOf(tour, email_address))['PHONE'], '');
  // A write by someone with all lists goes through, as to every list.
  await t.call('listUpdateMember', { id: board, email_address, merge_vars: { PHONE: 'new' } });
  assert.equal((await mergesOf(choir, email_address))['PHONE'], 'new');
});

test('what was typed for it goes nowhere when the contact confirms', async () => {
  const email_address = 'pending@example.com';
  await volunteer('listSubscribe', { id: choir, email_address, merge_vars: { PHONE: 'typed' } });
  assert.equal((await mergesOf(choir, email_address))['PHONE'], '');
  assert.equal(await valueOn(board, email_address, 'PHONE'), 'foreign-phone');
});

test('a required field of the account does not show whether there is a value elsewhere', async () => {
  await t.call('listMergeVarUpdate', { id: tour, tag: 'PHONE', options: { req: true } });
  for (const email_address of ['both@example.com', 'no-one@example.com']) {
    const { fault } = await refusal(volunteer('listSubscribe', { id: tour, email_address, double_optin: false }));
    assert.equal(fault, 'FIELD_REQUIRED', email_address);
  }
  await t.call('listMergeVarUpdate', { id: tour, tag: 'PHONE', options: { req: false } });
});

test('an import does not show them either', async () => {
  const content = 'Email\nimported@example.com\nfresh@example.com\n';
  const id = (await volunteer('importCreate', { id: choir, content })) as string;
  await volunteer('importStart', { import: id });
  await runImport(t.app, t.account.id, parseId(id), false, new AbortController().signal, t.app.log);
  assert.equal((await mergesOf(choir, 'imported@example.com'))['PHONE'], '');
  assert.equal(await valueOn(board, 'imported@example.com', 'PHONE'), 'foreign-phone');
  // Of someone with all lists it takes them.
  const whole = await t.call<string>('importCreate', { id: tour, content });
  await t.call('importStart', { import: whole });
  await runImport(t.app, t.account.id, parseId(whole), false, new AbortController().signal, t.app.log);
  assert.equal(await valueOn(tour, 'imported@example.com', 'PHONE'), 'foreign-phone');
});
