// An agency keeps the accounts of its clients on one installation: each is made on the command line, has its own key and inbox, sees
// nothing of the others, and a key that may only read prepares nothing and sends nothing.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { plainHtml } from '../support/builders/campaigns.ts';
import { startProgram } from '../support/installation/program.ts';
import { type Journey, startJourney } from './journey.ts';

let journey: Journey;
before(async () => {
  journey = await startJourney();
});
after(() => journey.close());

type Call = <T = unknown>(method: string, params?: Record<string, unknown>) => Promise<T>;

const callerWith = (key: string): Call => {
  return async <T>(method: string, params: Record<string, unknown> = {}) => {
    const response = await fetch(`${journey.service.base}/api/${method}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(params),
    });
    const body = await response.json();
    if (!response.ok) throw Object.assign(new Error(`${method}: ${JSON.stringify(body)}`), { status: response.status });
    return body as T;
  };
};

/** As the agency does on its server. Returns the key of the account. */
async function createAccount(name: string, email: string): Promise<string> {
  const { DATABASE_URL = '' } = journey.service.settings;
  const program = startProgram(['account', 'create', '--name', name, '--email', email], {
    DATABASE_URL,
    DATA_DIR: journey.service.dataDir,
  });
  assert.equal(await program.ended, 0, program.output);
  return /^API key\s+(\S+)$/m.exec(program.output)![1]!;
}

test('three clients send on the same day, and none sees what the others do', async () => {
  const clients = ['Alder', 'Birch', 'Cedar'];
  const accounts: { name: string; call: Call; list: string; cid: string }[] = [];
  for (const name of clients) {
    const call = callerWith(await createAccount(`${name} Ltd`, `owner@${name.toLowerCase()}.example`));
    const list = await call<string>('listCreate', { title: `${name} news` });
    await call('listBatchSubscribe', {
      id: list,
      // One reader is with all of them.
      batch: [{ EMAIL: `reader@${name.toLowerCase()}.example` }, { EMAIL: 'shared@example.com' }],
      double_optin: false,
    });
    const cid = await call<string>('campaignCreate', {
      type: 'HTML',
      options: {
        list_id: list,
        subject: `News of ${name}`,
        from_email: `owner@${name.toLowerCase()}.example`,
        from_name: name,
        generate_text: true,
      },
      content: { html: plainHtml },
    });
    accounts.push({ name, call, list, cid });
  }

  // The client may look at the draft and the readers, and nothing else.
  const alder = accounts[0]!;
  const { key } = await alder
    .call<{ key: string }>('apikeyAdd', { label: 'client', scope: 'read' })
    .then((added) => (typeof added === 'string' ? { key: added as string } : added));
  const client = callerWith(key);
  assert.equal((await client<{ subject: string }>('campaignGet', { cid: alder.cid })).subject, 'News of Alder');
  await assert.rejects(client('campaignSendNow', { cid: alder.cid }), { status: 403 });
  await assert.rejects(client('campaignUpdate', { cid: alder.cid, name: 'subject', value: 'Mine' }), { status: 403 });

  for (const { call, cid } of accounts) await call('campaignSendNow', { cid });
  for (const { call, cid, name } of accounts) {
    const status = async () => (await call<{ delivery_status: string }>('campaignGet', { cid })).delivery_status;
    await journey.service.until(`${name} is sent`, async () => (await status()) === 'sent');
    const got = await call<{ subject: string; rcpt_to: string[] }[]>('inboxMessages', { limit: 100 });
    assert.ok(got.every(({ subject }) => !clients.some((other) => other !== name && subject.includes(other))));
  }

  // Leaving one client is leaving no other.
  const [birch, cedar] = [accounts[1]!, accounts[2]!];
  await birch.call('listUnsubscribe', { id: birch.list, email_address: 'shared@example.com' });
  const statusAt = async ({ call, list }: typeof birch) =>
    (await call<{ status: string }>('listMemberInfo', { id: list, email_address: 'shared@example.com' })).status;
  assert.equal(await statusAt(birch), 'unsubscribed');
  assert.equal(await statusAt(cedar), 'subscribed');
  for (const { cid, list, name } of accounts)
    for (const other of accounts.filter((account) => account.name !== name)) {
      await assert.rejects(other.call('campaignGet', { cid }), { status: 404 });
      await assert.rejects(other.call('listMembers', { id: list }), { status: 404 });
    }
});
