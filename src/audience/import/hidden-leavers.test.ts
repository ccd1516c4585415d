// Who left is found wherever a file says so: in a heading that denies, a reason, a tag, a note, a title, the name of a sheet, a cell
// that is empty where others agreed. Such an import asks, or takes the contact as one who left; it subscribes no one of them.
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

type Options = { status?: string; mapping?: Record<string, string> };

const isRefused = (error: unknown) => (error as { fault?: string }).fault === 'IMPORT_INVALID';

/** The status of each contact after an import of this text, or 'asks'. */
async function outcome(content: string, options: Options = {}, name = 'people.csv') {
  const list = await t.call<string>('listCreate', { title: 'Readers' });
  const id = await t.call<string>('importCreate', { id: list, content, name, options });
  try {
    await t.call('importStart', { import: id });
  } catch (error) {
    if (isRefused(error)) return 'asks';
    throw error;
  }
  if ((await runImport(t.app, t.account.id, parseId(id), false, new AbortController().signal, t.app.log)) === 'stopped')
    return 'asks';
  const found: Record<string, string> = {};
  for (const status of ['subscribed', 'unsubscribed', 'pending', 'bounced']) {
    const members = await t.call<{ email: string }[]>('listMembers', { id: list, status });
    for (const { email } of members) found[email.split('@')[0]!] = status;
  }
  return found;
}

/** The heading, the cell of one who stays, and that of one who left. */
const asking: [heading: string, stays: string, left: string][] = [
  ['No emails', '', 'x'],
  ['No mail', '', '1'],
  ['No newsletter', '', 'Yes'],
  ['Exclude', '', 'x'],
  ['Unreachable', '', 'x'],
  ['Deleted', '', '2020-01-01 00:00:00'],
  ['Banned', '', '2020-01-01'],
  ['Unsubscribe reason', '', 'too many'],
  ['Unsubscribe IP', '', '192.0.2.1'],
  ['Unsubscribe count', '0', '2'],
  ['Opt-out type', '', 'global'],
  ['Bounce type', '', 'hard'],
  ['Bounces', '0', '5'],
  ['Tags', 'vip', '"vip, Unsubscribed"'],
  ['Labels', 'customer', 'do not email'],
  ['Notes', 'nice', 'asked on the phone to be removed from the newsletter please'],
  ['Notizen', '', 'möchte keine weiteren E-Mails'],
  ['Email quality', 'ok', 'invalid'],
  ['State', '1', '2'],
  ['Status', '0', '1'],
  ['Subscription state', '1', '0'],
  ['Channels', 'email;sms', 'sms'],
  ['Newsletter until', '', '2020-01-01'],
  ['confirmed_at', '2020-01-02', ''],
  ['email_verified_at', '2020-01-02 10:00:00', 'NULL'],
  ['Consent date', '2020-01-02', ''],
  ['First name', 'Ann', 'Unsubscribed'],
  ['Deceased', '', '2020-01-01'],
  ['Member until', '', '2020-12-31'],
  ['Membership status', 'Current', 'Cancelled'],
  ['Email frequency', 'Daily', 'No emails'],
  ['Lists', 'Newsletter', ''],
];
for (const [heading, stays, left] of asking)
  test(`asks, or knows it: ${heading}, ${stays || 'nothing'} and ${left || 'nothing'}`, async () => {
    const found = await outcome(`Email,${heading}\nstays@x.example,${stays}\nleft@x.example,${left}\n`);
    if (found !== 'asks') assert.deepEqual(found, { stays: 'subscribed', left: 'unsubscribed' });
  });

test('a mark that is in one of many rows only', async () => {
  const rows = Array.from({ length: 300 }, (_, i) => `r${i}@x.example,`).join('\n');
  const known = await outcome(`Email,No mail\n${rows}\nleft@x.example,x\n`);
  assert.equal((known as Record<string, string>)['left'], 'unsubscribed');
  assert.equal(await outcome(`Email,Column\n${rows}\nleft@x.example,x\n`), 'asks');
});

test('a title, a line between addresses, words beside one, and the name of the file', async () => {
  for (const content of [
    'Opt-outs\nleft@x.example\nalso@x.example\n',
    'Unsubscribed email,Name\nleft@x.example,Lou\n',
    'Unsubscribed contacts export 2020-01-01\nEmail,Name\nleft@x.example,Lou\nalso@x.example,Al\n',
    'Email,Name\nann@x.example,Ann\nUnsubscribed,\nleft@x.example,Lou\n',
    'Active contacts:\nann@x.example\nUnsubscribed contacts:\nleft@x.example\nalso@x.example\n',
    'Subscribed: ann@x.example, bob@x.example\nUnsubscribed: left@x.example, also@x.example\n',
    'ann@x.example\nleft@x.example (unsubscribed)\n',
  ])
    assert.equal(await outcome(content), 'asks', content);
  assert.equal(await outcome('Email\nleft@x.example\n', {}, 'cleaned_members.csv'), 'asks');
  assert.equal(await outcome('Email\nleft@x.example\n', {}, 'Abgemeldete.csv'), 'asks');
});

test('these are imported once it is decided, by a status or by the target of the column', async () => {
  const file = ['Email\nleft@x.example\n', 'unsubscribed.csv'] as const;
  assert.deepEqual(await outcome(file[0], { status: 'unsubscribed' }, file[1]), { left: 'unsubscribed' });
  assert.deepEqual(await outcome(file[0], { status: 'subscribed' }, file[1]), { left: 'subscribed' });
  assert.deepEqual(await outcome(file[0], { mapping: { Email: 'EMAIL' } }, file[1]), { left: 'subscribed' });
  const tags = 'Email,Tags\nann@x.example,opt-out print\n';
  assert.deepEqual(await outcome(tags, { mapping: { Tags: 'TAGS' } }), { ann: 'subscribed' });
  const times = 'Email,Confirmed at\nann@x.example,2020-01-02\nlou@x.example,\n';
  assert.deepEqual(await outcome(times, { mapping: { 'Confirmed at': 'STATUS' } }), {
    ann: 'subscribed',
    lou: 'unsubscribed',
  });
});

test('in a status that says who agreed, an empty cell is no agreement, in the first row or the last', async () => {
  assert.deepEqual(await outcome('Email,Accepts marketing\nann@x.example,yes\nleft@x.example,\nlou@x.example,no\n'), {
    ann: 'subscribed',
    left: 'unsubscribed',
    lou: 'unsubscribed',
  });
  const rows = Array.from({ length: 300 }, (_, i) => `r${i}@x.example,x`).join('\n');
  const late = await outcome(`Email,newsletter\n${rows}\nleft@x.example,\n`, { mapping: { newsletter: 'STATUS' } });
  assert.equal((late as Record<string, string>)['left'], 'unsubscribed');
  // What one row of an address says counts more than the empty cell of another, whichever comes first.
  for (const cells of [
    ['yes', ''],
    ['', 'yes'],
  ]) {
    const same = cells.map((cell) => `ann@x.example,${cell}\n`).join('');
    assert.deepEqual(await outcome(`Email,Accepts marketing\n${same}left@x.example,\n`), {
      ann: 'subscribed',
      left: 'unsubscribed',
    });
  }
  // A status that names only who left says nothing about the others.
  assert.deepEqual(await outcome('Email,Status\nann@x.example,\nleft@x.example,unsubscribed\n'), {
    ann: 'subscribed',
    left: 'unsubscribed',
  });
});

test('-1 is no yes, and the first letters of yes and no are read together', async () => {
  const signed = (await outcome('Email,Subscribed\nann@x.example,1\nleft@x.example,-1\n')) as Record<string, string>;
  assert.deepEqual([signed['ann'], signed['left']], ['subscribed', undefined]);
  for (const [yes, no] of ['SN', 'ON', 'TN', 'KE', 'JN'].map((pair) => [...pair]))
    assert.deepEqual(
      await outcome(`Email,Boletín\nann@x.example,${yes}\nleft@x.example,${no}\nalso@x.example,\n`, {
        mapping: { Boletín: 'STATUS' },
      }),
      { ann: 'subscribed', left: 'unsubscribed', also: 'unsubscribed' },
    );
});

test('words of a status that deny, or name who was there before', async () => {
  const words =
    'Former,Lapsed,Ex-subscriber,No longer subscribed,NotOptIn,Deactivated,Paused,Gone,no mail,niet ingeschreven,kein Abo,closed';
  const rows = words.split(',').map((word, i) => `left${i}@x.example,${word}\n`);
  const found = await outcome(`Email,Status\nann@x.example,Active (subscribed)\n${rows.join('')}`);
  assert.deepEqual(found, {
    ann: 'subscribed',
    ...Object.fromEntries(rows.map((_, i) => [`left${i}`, 'unsubscribed'])),
  });
});

test('a cell that denies a mark, or has the first day of a calendar, is no mark', async () => {
  const cells = ['1970-01-01 00:00:00', '0001-01-01', 'not blacklisted', 'not yet', '""""""', 'no'];
  const rows = cells.map((cell, i) => `a${i}@x.example,${cell}\n`).join('');
  assert.deepEqual(await outcome(`Email,Blacklisted\n${rows}left@x.example,2021-02-03\n`), {
    ...Object.fromEntries(cells.map((_, i) => [`a${i}`, 'subscribed'])),
    left: 'unsubscribed',
  });
});

test('a row with a cell too many is rejected, since its cells have moved', async () => {
  const content =
    'Email,Name,City,Unsubscribed\nann@x.example,Ann,Rome,\nbob@x.example,Bob,,\nleft@x.example,Miller, Lou,,yes\n';
  assert.deepEqual(await outcome(content), { ann: 'subscribed', bob: 'subscribed' });
});

test('states of a country and other short words do not cost a contact', async () => {
  assert.deepEqual(await outcome('Email,State\nann@x.example,NE\nbob@x.example,ON\nlou@x.example,CA\n'), {
    ann: 'subscribed',
    bob: 'subscribed',
    lou: 'subscribed',
  });
});

test('a note of one who left states nothing about the others', async () => {
  const content = 'Email,Tags,Notes\nleft@x.example,Unsubscribed,\nalso@x.example,,do not email\n';
  assert.equal(await outcome(content), 'asks');
});

test('of two columns of addresses, the one of earlier addresses or of other people is not taken', async () => {
  for (const heading of ['Old email address', 'Manager e-mail', 'Alternate mail'])
    assert.deepEqual(await outcome(`${heading},New one\nb@x.example,ann@x.example\n`), { ann: 'subscribed' });
});

test('what does not say who left is not asked about', async () => {
  for (const content of [
    'To: ann@x.example, bob@x.example\n',
    'Email,Tags\nann@x.example,"vip, newsletter"\nbob@x.example,\n',
    'Email,Created at\nann@x.example,2020-01-01\nbob@x.example,\n',
    'Email,Notes\nann@x.example,Likes to get our newsletter and the list of events\nbob@x.example,\n',
    'Email,Status,Bounces\nann@x.example,active,0\nbob@x.example,active,3\n',
  ])
    assert.deepEqual(await outcome(content), { ann: 'subscribed', bob: 'subscribed' }, content);
});
