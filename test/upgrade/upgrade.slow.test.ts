// Installations of earlier versions, opened by this program: what the API returned is returned, campaigns go on where they were, each
// recipient gets one message, webhooks that waited arrive, and links in messages of then still work.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Delivery, nodeListener } from 'postrider/receiver';
import { Installation } from '../support/installation/installation.ts';
import { bareEnvironment } from '../support/installation/service.ts';
import { assertKept, keptSettings, type Stored, whatItReturns } from './stored.ts';

const versions = globSync('*.backup', { cwd: import.meta.dirname }).map((file) => file.replace('.backup', ''));

type Mail = { id: string; rcpt_to: string[]; subject: string };
type Progress = { delivery_status: string; accepted: number; queued: number };

test('there is a stored installation', () => assert.ok(versions.length > 0));

for (const version of versions) {
  test(`an installation of ${version} is upgraded: nothing is lost, nothing is sent twice`, async () => {
    const { ids, returned } = JSON.parse(readFileSync(join(import.meta.dirname, `${version}.json`), 'utf8')) as Stored;
    const installation = new Installation({ ...keptSettings, OUTBOUND_ALLOW: '127.0.0.0/8' });
    const [program, ...words] = installation.program;
    const command = (...args: string[]) =>
      execFileSync(program, [...words, ...args], {
        env: { ...bareEnvironment, DATA_DIR: installation.dataDir, ...keptSettings },
        encoding: 'utf8',
      });
    try {
      command('restore', join(import.meta.dirname, `${version}.backup`));
      await installation.start();
      assertKept(returned, await whatItReturns(installation, ids));

      const progress = () => installation.call<Progress>('campaignProgress', { cid: ids['paused'] });
      const before = await progress();
      assert.ok(before.accepted >= 5 && before.queued > 0, 'the stored campaign was paused in the middle');
      command('confirm-sending', '--queued', 'send');
      await installation.call('campaignResume', { cid: ids['paused'] });
      await installation.until('the campaign is sent', async () => (await progress()).delivery_status === 'sent');
      const messages = await installation.call<Mail[]>('inboxMessages', { contains: 'Paused', limit: 1_000 });
      const reached = messages.filter(({ subject }) => subject === 'Paused').flatMap(({ rcpt_to }) => rcpt_to);
      assert.equal(new Set(reached).size, 60);
      assert.equal(reached.length, 60, 'each recipient got one message, before or after');

      await waitingEventsArrive(installation, ids['webhook']!);
      await oldLinksWork(installation, ids['readers']!);
    } finally {
      await installation.remove();
    }
  });
}

async function waitingEventsArrive(installation: Installation, wid: string): Promise<void> {
  const events: Delivery['events'] = [];
  const options = {
    secret: 'correct horse',
    toleranceSeconds: 300,
    onDelivery: (got: Delivery) => void events.push(...got.events),
  };
  const server = createServer(nodeListener(options));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    await installation.call('webhookUpdate', { wid, name: 'url', value: url });
    await installation.until('the events that waited arrive', async () =>
      events.some(({ type, data }) => type === 'contact.unsubscribe' && data.email === 'reader3@example.com'),
    );
    await installation.until('the end of the campaign is reported', async () =>
      events.some(({ type, data }) => type === 'campaign.sent' && 'title' in data && data.title === 'Paused'),
    );
    assert.equal(new Set(events.map(({ data }) => data.id)).size, events.length);
  } finally {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  }
}

async function oldLinksWork(installation: Installation, list: string): Promise<void> {
  const [mail] = await installation.call<Mail[]>('inboxMessages', { contains: 'reader5@example.com' });
  const [{ source }] = await installation.call<[{ source: string }]>('inboxMessages', { id: mail!.id });
  const header = /^List-Unsubscribe: (?:\s*<[^>]*>,)*\s*<(https?:[^>]+)>/im.exec(source.replace(/\r?\n[ \t]+/g, ' '))!;
  const { pathname, search } = new URL(header[1]!);
  const answer = await fetch(`${installation.base}${pathname}${search}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'List-Unsubscribe=One-Click',
  });
  assert.equal(answer.status, 200);
  const left = await installation.call<{ email: string }[]>('listMembers', { id: list, status: 'unsubscribed' });
  assert.deepEqual(left.map(({ email }) => email).toSorted(), ['reader3@example.com', 'reader5@example.com']);
}
