// Applications written for the published clients, in PHP, Perl and Python, that know nothing but an address and a key: sign-up,
// confirmation, customers of a shop, a campaign, its click, the webhook, the unsubscription. What they sent is recorded in
// applications/*/recorded and replayed everywhere. The programs do the journey in applications.slow.test.ts, where their language
// is installed.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  aSite,
  base,
  expected,
  journey,
  languages,
  noteCampaign,
  ofSite,
  recordedOf,
  useInstallation,
} from './applications/site.ts';

useInstallation();

for (const language of languages) {
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
