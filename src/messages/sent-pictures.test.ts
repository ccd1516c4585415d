// What is in people's mailboxes keeps working: pictures that any message carried, and personal links, whatever is deleted.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { pictures, zipOf } from '../../test/support/builders/archives.ts';
import { type SendingApp, sendingApp } from '../../test/support/installation/sending-app.ts';
import { until } from '../../test/support/run/until.ts';
import { readAsset } from '../campaigns/content/pictures/asset.ts';
import { sql } from '../db/connect.ts';
import { parseId } from '../db/ids.ts';
import { purgeCampaign } from '../delivery/control/purge.ts';
import { launch } from '../delivery/launch/launch.ts';
import { sendGoodbye, sendWelcome } from '../mail/list-mail.ts';

let app: SendingApp;
let base: string;
let list: string;
before(async () => {
  app = await sendingApp();
  base = await app.listen();
  list = await app.call<string>('listCreate', { title: 'Readers' });
  await app.call('listSubscribe', { id: list, email_address: 'ann@reader.example', double_optin: false });
});
after(() => app.close());

let made = 0;
/** A picture that no other test has. */
async function picture(): Promise<{ name: string; url: string }> {
  const bytes = Buffer.concat([
    pictures.gif.subarray(0, -1),
    Buffer.from(`!\xfe\x04t${String(++made).padStart(3, '0')}\0;`, 'latin1'),
  ]);
  return app.call('assetCreate', { content: new Uint8Array(bytes) });
}

/** Asks the database: a process serves what it has read for a while after it is deleted. */
const status = async (url: string) => {
  const [account, name] = new URL(url).pathname.split('/').slice(2);
  return (await readAsset(app.app, account!, name!)) ? 200 : 404;
};
const options = (subject: string) => ({
  list_id: list,
  subject,
  from_email: 'a@example.com',
  from_name: 'A',
});

async function sent(cid: string) {
  await app.call('campaignSendNow', { cid });
  await launch(app.app, { account: app.account.id, campaign: parseId(cid) });
  await until('the campaign is sent', async () => {
    const row = await app.app.db.row<{ status: string }>(sql`select status from campaign where id = ${parseId(cid)}`);
    return row!.status === 'sent';
  });
}

async function removed(cid: string) {
  await app.call('campaignDelete', { cid });
  await purgeCampaign(app.context, { account_id: app.account.id, campaign_id: parseId(cid) });
}

const member = async () => {
  const { id } = await app.call<{ id: string }>('listMemberInfo', { id: list, email_address: 'ann@reader.example' });
  return { account_id: app.account.id, list_id: parseId(list), contact_id: parseId(id) };
};

/** How a picture gets into a message; the last step is what would take it away. */
const carriers: Record<string, () => Promise<string>> = {
  'the archive of a campaign that is deleted': async () => {
    const archive = zipOf([
      { name: 'index.html', body: '<p>x</p><img src="a.png">' },
      { name: 'a.png', body: pictures.png },
    ]).toString('base64');
    const cid = await app.call<string>('campaignCreate', {
      type: 'HTML',
      options: options('archive'),
      content: { archive },
    });
    const { html } = await app.call<{ html: string }>('campaignContent', { cid });
    await sent(cid);
    await removed(cid);
    return /src="([^"]+)"/.exec(html)![1]!;
  },
  'plain text alone': async () => {
    const { name, url } = await picture();
    const cid = await app.call<string>('campaignCreate', {
      type: 'plain',
      options: options('plain'),
      content: { plain: `Look: ${url}` },
    });
    await app.call('assetDelete', { name });
    assert.equal(await status(url), 200, 'before it is sent');
    await sent(cid);
    await removed(cid);
    return url;
  },
  'a template that is deleted, by a message': async () => {
    const { name, url } = await picture();
    const id = await app.call('templateCreate', { name: 'T', source: `<p>x</p><img src="${url}">` });
    await app.call('messageSend', { to: ['bo@reader.example'], subject: 's', template_id: id });
    await app.call('assetDelete', { name });
    await app.call('templateDelete', { template_id: id });
    return url;
  },
  'the HTML of a message': async () => {
    const { name, url } = await picture();
    // Long enough for soft line breaks in the middle of the URL.
    await app.call('messageSend', {
      to: ['bo@reader.example'],
      subject: 's',
      html: `<p>${'ä'.repeat(60)}<img src="${url}"></p>`,
    });
    await app.call('assetDelete', { name });
    return url;
  },
  'a message that a program composed, in base64': async () => {
    const { name, url } = await picture();
    const body = Buffer.from(`<img src="${url}">`).toString('base64').replace(/.{76}/g, '$&\r\n');
    await app.call('messageSendRaw', {
      source: `From: owner@example.com\r\nSubject: s\r\nMIME-Version: 1.0\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n\r\n${body}\r\n`,
      recipients: ['bo@reader.example'],
    });
    await app.call('assetDelete', { name });
    return url;
  },
  'the welcome of a list, with another text since': async () => {
    const { name, url } = await picture();
    await app.call('listTextUpdate', { id: list, name: 'welcome.html', value: `<p>Hi</p><img src="${url}">` });
    await app.call('assetDelete', { name });
    assert.equal(await status(url), 200, 'before it is sent');
    await sendWelcome(app.context, await member());
    await app.call('listTextUpdate', { id: list, name: 'welcome.html', value: '' });
    return url;
  },
  'the goodbye of a list, not sent yet': async () => {
    const { name, url } = await picture();
    await app.call('listTextUpdate', { id: list, name: 'goodbye.html', value: `<p>Bye</p><img src="${url}">` });
    await app.call('assetDelete', { name });
    await sendGoodbye(app.context, await member());
    return url;
  },
};

for (const [carrier, carry] of Object.entries(carriers))
  test(`a picture stays reachable that a message carried: ${carrier}`, async () => {
    assert.equal(await status(await carry()), 200);
  });

test('a picture that nothing carried and nothing uses is deleted', async () => {
  const { name, url } = await picture();
  const id = await app.call('templateCreate', { name: 'U', source: `<img src="${url}">` });
  await app.call('assetDelete', { name });
  assert.equal(await status(url), 200);
  await app.call('templateDelete', { template_id: id });
  assert.equal(await status(url), 404);
});

test('a personal link has the values of its recipient after the campaign is deleted, and no address once that is erased', async () => {
  await app.call('listSubscribe', {
    id: list,
    email_address: 'pia@reader.example',
    merge_vars: { FNAME: 'Pia' },
    double_optin: false,
  });
  const make = async () => {
    const cid = await app.call<string>('campaignCreate', {
      type: 'HTML',
      options: { ...options('links'), tracking: { html_clicks: true } },
      content: { html: '<a href="https://x.example/a?b=*|EMAIL|*&n=*|FNAME|*">x</a>', plain: 'x' },
    });
    const from = app.sink.log.length;
    await sent(cid);
    const mail = app.sink.log
      .slice(from)
      .find((entry) => entry.event === 'accepted' && entry.to === 'pia@reader.example')!;
    const path = /\/c\/[\w-]+/.exec(mail.raw!.replace(/=\r\n/g, ''))![0];
    return { cid, path };
  };
  const whereTo = async (path: string) => {
    const response = await fetch(base + path, { redirect: 'manual' });
    return [response.status, response.headers.get('location')];
  };
  const gone = await make();
  const stays = await make();
  const full = [302, 'https://x.example/a?b=pia%40reader.example&n=Pia'];
  assert.deepEqual(await whereTo(gone.path), full);
  await app.call('campaignDelete', { cid: gone.cid });
  assert.deepEqual(await whereTo(gone.path), full, 'before its rows are cleared');
  await purgeCampaign(app.context, { account_id: app.account.id, campaign_id: parseId(gone.cid) });
  assert.deepEqual(await whereTo(gone.path), full);
  await app.call('contactErase', { email: 'pia@reader.example' });
  for (const { path } of [gone, stays]) assert.deepEqual(await whereTo(path), [302, 'https://x.example/a?b=&n=']);
});
