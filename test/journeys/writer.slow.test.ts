// A writer moves from Ghost: the members come with what they decided, a post written in Markdown reaches those who want email,
// and the public archive shows it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Journey, startJourney } from './journey.ts';

let journey: Journey;
before(async () => {
  journey = await startJourney();
});
after(() => journey.close());

const members = `id,email,name,note,subscribed_to_emails,complimentary_plan,stripe_customer_id,created_at,deleted_at,labels,tiers
64a1,ann@example.com,Ann Lee,,true,false,,2021-03-04T10:00:00.000Z,,"Founders, Press",Free
64a2,bo@example.com,Bo Öst,,true,false,,2022-05-06T11:00:00.000Z,,,Free
64a3,cy@example.com,Cy,,false,false,,2022-07-08T12:00:00.000Z,,,Free
`;

test('from the export of Ghost to the inbox and the archive', async () => {
  const { call } = journey;
  const list = await call<string>('listCreate', { title: 'The Harbour Letter' });
  const result = await journey.bring(list, members, { mapping: { name: 'FNAME', created_at: 'SIGNUP_TIME' } });
  assert.equal(result['added'], 3);
  const member = (email: string) =>
    call<{ status: string; signup_time: string }>('listMemberInfo', {
      id: list,
      email_address: email,
    });
  assert.equal((await member('ann@example.com')).status, 'subscribed');
  assert.equal((await member('cy@example.com')).status, 'unsubscribed');
  assert.match((await member('bo@example.com')).signup_time, /^2022-05-06/);

  const cid = await call<string>('campaignCreate', {
    type: 'HTML',
    options: {
      list_id: list,
      subject: 'Low tide, *|FNAME:friend|*',
      from_email: 'writer@example.com',
      from_name: 'The writer',
      generate_text: true,
    },
    content: {
      markdown:
        '# Low tide\n\nDear *|FNAME:friend|*, the **boats** lie [dry](https://example.com/boats).\n\n[Leave](*|UNSUB|*)\n',
    },
  });
  await call('archiveUpdate', { on: true, list_ids: [list], slug: 'harbour', title: 'The Harbour Letter' });
  await call('campaignSendNow', { cid });
  await journey.sent(cid);

  const email = await journey.email('ann@example.com', 'Low tide, Ann');
  assert.match(email.html, /<h1[^>]*>Low tide<\/h1>/);
  assert.match(email.html, /Dear Ann Lee, the <strong[^>]*>boats<\/strong>/);
  assert.match(email.text, /Dear Ann Lee/);
  assert.match(email.source, /^List-Unsubscribe: /im);
  await journey.email('bo@example.com', 'Low tide, Bo');
  assert.deepEqual(await journey.emails('cy@example.com'), []);

  const { url, feed_url } = await call<{ url: string; feed_url: string }>('archiveGet');
  assert.match(url, /\/harbour$/);
  const page = await (await fetch(url)).text();
  assert.match(page, /Low tide, friend/);
  assert.doesNotMatch(page, /\*\||Ann/);
  const [shown] = await call<{ url: string }[]>('archiveCampaigns');
  const post = await (await fetch(shown!.url)).text();
  assert.match(post, /Low tide/);
  assert.doesNotMatch(post, /ann@example\.com|Dear Ann/);
  assert.match(await (await fetch(feed_url)).text(), /<title>Low tide, friend<\/title>/);
});
