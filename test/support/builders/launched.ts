// Campaigns of tests that look at the delivery alone: to these addresses, or to a list, and under way at once.

import { sql } from '../../../src/db/connect.ts';
import { parseId } from '../../../src/db/ids.ts';
import { launch } from '../../../src/delivery/launch/launch.ts';
import type { TestApp } from '../installation/app.ts';

const plain = '<p>News</p><p><a href="*|UNSUB|*">Leave</a></p>';

/** A list with these addresses as subscribed members. Returns its id. */
export async function listOf(app: TestApp, emails: readonly string[]): Promise<string> {
  const list = await app.call<string>('listCreate', { title: 'List' });
  for (let from = 0; from < emails.length; from += 2_000)
    await app.call('listBatchSubscribe', {
      id: list,
      batch: emails.slice(from, from + 2_000).map((EMAIL) => ({ EMAIL })),
      double_optin: false,
    });
  return list;
}

/** Makes a campaign to everybody of a list and launches it without a worker. Returns its id in the database. */
export async function launchedTo(app: TestApp, list: string, html = plain): Promise<number> {
  const cid = await app.call<string>('campaignCreate', {
    type: 'HTML',
    options: {
      list_id: list,
      subject: 'News',
      from_email: 'editors@example.com',
      from_name: 'The editors',
      generate_text: true,
    },
    content: { html },
  });
  const id = parseId(cid);
  await app.app.db.run(sql`update campaign set status = 'launching', send_at = now() where id = ${id}`);
  await launch(app.app, app.account.id, id);
  return id;
}
