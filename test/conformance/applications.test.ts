// Applications written for the published clients, in PHP, Perl and Python, that know nothing but an address and a key: sign-up,
// confirmation, customers of a shop, a campaign, its click, the webhook, the unsubscription. What they sent is recorded in
// applications/*/recorded and replayed everywhere; sign-up and shop also run where their language is installed. The programs
// do the whole journey in applications.slow.test.ts.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  aSite,
  base,
  checkCustomers,
  expected,
  form,
  isMissing,
  journey,
  languages,
  type Member,
  noteCampaign,
  ofSite,
  recordedOf,
  runStep,
  useInstallation,
} from './applications/site.ts';

useInstallation();

for (const language of languages) {
  test(`the application in ${language} signs up a reader and sends customers`, {
    skip: isMissing(language),
  }, async () => {
    const { key, list: id, call, ...site } = await aSite();
    await runStep(language, 'widget', form, base, key);
    const { status } = await call<Member>('listMemberInfo', { id, email_address: 'reader@shop.example' });
    assert.equal(status, 'pending');
    assert.equal(await runStep(language, 'shop', '', base, key), '3 stored, 0 refused\n');
    await checkCustomers({ key, list: id, call, ...site });
  });

  test(`what the application in ${language} sent is answered as recorded`, async () => {
    const site = await aSite();
    const recorded = recordedOf(language);
    await journey(site, async (step) => {
      const requests = readdirSync(recorded).filter((name) => name.startsWith(step) && name.endsWith('.request'));
      assert.ok(requests.length >= 2, `${step} is recorded`);
      for (const name of requests.sort()) {
        const text = readFileSync(join(recorded, name), 'latin1');
        const [, path, type, body] = /^POST (.*)\nContent-Type: (.*)\n\n([\s\S]*)$/.exec(text)!;
        const response = await fetch(base + path, {
          method: 'POST',
          headers: { 'content-type': type! },
          body: Buffer.from(ofSite(body!, site), 'latin1'),
        });
        const answer = Buffer.from(await response.arrayBuffer());
        if (step === 'campaign') await noteCampaign(site);
        const wanted = readFileSync(join(recorded, name.replace(/request$/, 'answer')), 'latin1');
        assert.equal(expected(answer, site), wanted, name);
      }
      return undefined;
    });
  });
}
