// campaignExplain for contacts that were erased: what the ledger still has of them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { states } from '../../db/states.ts';
import { launch } from '../launch/launch.ts';

let app: TestApp;
let list: string;
before(async () => {
  app = await testApp();
  list = await app.call<string>('listCreate', { title: 'Letter' });
});
after(() => app.close());

const join = (email: string) =>
  app.call('listSubscribe', { id: list, email_address: email, double_optin: false, update_existing: true });

type Explanation = { outcome: string; explanation: string; deliveries: { email: string; state: string }[] };

for (const keep_suppressed of [true, false])
  test(`an erased contact ${keep_suppressed ? 'that stays suppressed' : 'without a suppression'} is explained by the copy it was sent`, async () => {
    const [got, erasedBefore] = [`got-${keep_suppressed}@example.com`, `before-${keep_suppressed}@example.com`];
    await join(got);
    await join(erasedBefore);
    await app.call('contactErase', { email: erasedBefore, keep_suppressed });
    const cid = await app.call<string>('campaignCreate', {
      type: 'plain',
      options: { list_id: list, subject: 's', from_email: 'a@example.com', from_name: 'A' },
      content: { plain: 'x' },
    });
    await app.call('campaignSendNow', { cid });
    await launch(app.app, { account: app.account.id, campaign: parseId(cid) });
    await app.app.db.run(sql`
      update delivery
      set state = ${states.accepted}, done_at = now()
      where campaign_id = ${parseId(cid)}`);
    const explain = (email: string) => app.call<Explanation>('campaignExplain', { cid, email });
    const sent = await explain(got);
    await app.call('contactErase', { email: got, keep_suppressed });
    const erased = await explain(got.toUpperCase());
    assert.equal(erased.outcome, 'accepted');
    assert.equal(erased.explanation, `${sent.explanation} The contact has been erased since.`);
    assert.deepEqual(
      erased.deliveries.map(({ state }) => state),
      ['accepted'],
    );
    assert.match(erased.deliveries[0]!.email, /^[0-9a-f]{32}@erased\.invalid$/);
    const absent = await explain(erasedBefore);
    assert.equal(absent.outcome, 'excluded');
    assert.deepEqual(absent.deliveries, []);
  });
