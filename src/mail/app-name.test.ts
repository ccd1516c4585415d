// The name, the logo and the support address of an installation: in the page of the application and in the emails of the program.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { testApp } from '../../test/support/installation/app.ts';
import { runWaitingJobs } from '../../test/support/run/jobs.ts';
import { unseal } from '../accounts/installation/seal.ts';
import { readConfig } from '../config.ts';
import { sql } from '../db/connect.ts';
import { sealedAs } from '../delivery/message/single-content.ts';
import { namedPage } from '../pages/application.ts';

const built = '<head><title>Postrider</title><link rel="icon" href="./icon.svg" type="image/svg+xml" /></head>';

test('the page has the name, the logo and the support address, and nothing of them can be markup', () => {
  assert.equal(namedPage({ appName: 'Postrider', appLogo: undefined, supportEmail: '' }, built), built);
  const page = namedPage(
    {
      appName: 'Mail & More',
      appLogo: { type: 'image/png', bytes: Buffer.from('x') },
      supportEmail: "o'neil@mail.example",
    },
    built,
  );
  assert.match(page, /<title>Mail &amp; More<\/title><meta name="app-name" content="Mail &amp; More" \/>/);
  assert.match(page, /<link rel="icon" href=".\/installation-logo" type="image\/png" \/>/);
  assert.match(page, /<meta name="support-email" content="o&#39;neil@mail.example" \/>/);
});

test('settings that cannot be shown are refused by name', () => {
  const folder = mkdtempSync(join(tmpdir(), 'logo-'));
  const logo = join(folder, 'logo.svg');
  writeFileSync(logo, '<svg xmlns="http://www.w3.org/2000/svg" />');
  assert.equal(readConfig({ APP_LOGO: logo }).appLogo!.type, 'image/svg+xml');
  writeFileSync(logo, 'x'.repeat(200_001));
  for (const [env, why] of [
    [{ APP_NAME: 'a <b>' }, /APP_NAME .* must have 60 characters at most/],
    [{ APP_LOGO: join(folder, 'none.png') }, /APP_LOGO .* cannot be read: ENOENT/],
    [{ APP_LOGO: '/etc/passwd' }, /APP_LOGO .* must be a file that ends in/],
    [{ APP_LOGO: logo }, /APP_LOGO .* is larger than 200 kB/],
    [{ SUPPORT_EMAIL: 'no address' }, /SUPPORT_EMAIL .* is not an email address/],
  ] as const)
    assert.throws(() => readConfig(env), why);
  rmSync(folder, { recursive: true });
});

test('emails of the program come from the name, and answers go to the support address', async () => {
  const app = await testApp({
    APP_NAME: 'Mailroom',
    SUPPORT_EMAIL: 'help@mailroom.example',
    SMTP_URL: 'smtp://127.0.0.1:9',
  });
  try {
    await app.call('userInvite', { email: 'new@example.com', role: 'editor' });
    await runWaitingJobs(app.app, 'sendInvitation', 'sendAccountNotice');
    const rows = await app.app.db.rows<{ purpose: string; from: string; content: Buffer }>(sql`
      select purpose, from_name as from, content from message order by purpose`);
    assert.deepEqual(
      rows.map(({ purpose, from }) => [purpose, from]),
      [
        ['invite', 'Mailroom'],
        ['notice', 'Mailroom'],
      ],
    );
    for (const { content } of rows) {
      const text = unseal(app.app, sealedAs(app.account.id), content)!;
      assert.match(text, /^Reply-To: <help@mailroom\.example>\r?$/m);
      assert.doesNotMatch(text, /Postrider/);
    }
  } finally {
    await app.close();
  }
});
