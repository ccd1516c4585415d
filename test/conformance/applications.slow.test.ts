// The applications in PHP, Perl and Python do their whole journey, where their language is installed. RECORD=1 records what
// they send, and the answers, for applications.test.ts.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  aSite,
  expected,
  generic,
  isMissing,
  journey,
  languages,
  noteCampaign,
  recordedOf,
  recorder,
  runStep,
  useInstallation,
} from './applications/site.ts';

useInstallation();

for (const language of languages)
  test(`the application in ${language} works with nothing but an address and a key`, {
    skip: isMissing(language),
  }, async () => {
    const site = await aSite();
    const front = await recorder();
    const files = new Map<string, string>();
    try {
      await journey(site, async (step, posted) => {
        front.exchanges.length = 0;
        const out = await runStep(language, step, posted, front.url, site.key);
        if (step === 'campaign') await noteCampaign(site);
        for (const [i, { path, type, body, answer }] of front.exchanges.entries()) {
          const request = `POST ${path}\nContent-Type: ${type}\n\n${generic(body, site)}`;
          files.set(`${step}-${i + 1}.request`, request).set(`${step}-${i + 1}.answer`, expected(answer, site));
        }
        return out;
      });
    } finally {
      front.close();
    }
    if (process.env.RECORD !== '1') return;
    const recorded = recordedOf(language);
    rmSync(recorded, { recursive: true, force: true });
    mkdirSync(recorded);
    for (const [name, text] of files) writeFileSync(join(recorded, name), text, 'latin1');
  });
