// Every command and program of the guide is run against a real server, with its placeholders filled in; every setting is read, and
// every address opened. A block that cannot be run says why after the language of its fence, and there are few of them.
import assert from 'node:assert/strict';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { readConfig } from '../src/config.ts';
import { root, run } from './support/installation/commands.ts';
import { Installation } from './support/installation/installation.ts';
import { testKey } from './support/installation/service.ts';
import { blocks } from './support/samples/blocks.ts';
import { mailchimpArchive } from './support/samples/source-exports.ts';

const guide = globSync('docs/guide/**/*.md', { cwd: root })
  .sort()
  .flatMap((path) =>
    blocks(readFileSync(join(root, path), 'utf8')).map((block) => ({ ...block, place: `${path}:${block.line}`, path })),
  );
const written = guide.filter(({ language }) => language !== 'json');
/** What a person does at a machine: each has a test below, or a reason. */
const programs = ['sh', 'python', 'php', 'js', 'xml', 'html', 'url', 'ini'];

let service: Installation;
let folder: string;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'guide-'));
  service = new Installation({ OUTBOUND_ALLOW: '127.0.0.0/8' });
  await service.start();
});
after(async () => {
  await service?.remove();
  rmSync(folder, { recursive: true });
});

const example = 'https://mail.example.com';

/** A list with the contact of the examples. */
async function readers(): Promise<string> {
  const list = await service.call<string>('listCreate', { title: 'Readers' });
  await service.call('listSubscribe', { id: list, email_address: 'jane@example.com', double_optin: false });
  return list;
}

function file(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** What stands for something of the reader, by page; each is in the block. */
const placeholders: Record<string, () => Promise<Record<string, string>>> = {
  'docs/guide/automations.md': async () => {
    const list = await readers();
    const id = await service.call<string>('automationCreate', { title: 'Named', list });
    await service.call('automationUpdate', {
      id,
      trigger: { type: 'webhook', member: 'customer.email' },
      steps: [{ type: 'wait', amount: 1, unit: 'days' }],
    });
    const { url } = await service.call<{ url: string }>('automationWebhookUrl', { id });
    await service.call('automationStart', { id });
    return { [`${example}/in/automation/…`]: url };
  },
  'docs/guide/connect-a-program.md': async () => ({ [example]: service.base, YOUR_API_KEY: testKey }),
  'docs/guide/messages.md': async () => ({ [example]: service.base, YOUR_API_KEY: testKey }),
  'docs/guide/setup/bounce-mailbox.md': async () => ({ 'imap.example.com': '127.0.0.1' }),
  'docs/guide/setup/oauth.md': async () => ({ 'smtp.office365.com': '127.0.0.1', TENANT_ID: 'tenant.example' }),
  'docs/guide/importing.md': async () => ({
    'people.csv': file('people.csv', 'Email,First Name\nann@example.com,Ann\n'),
    '--list ID': `--yes --list ${await readers()}`,
  }),
  'docs/guide/migration.md': async () => ({ 'export.zip': file('export.zip', mailchimpArchive()) }),
  'docs/guide/forms.md': async () => {
    const { url } = await service.call<{ url: string }>('listForm', { id: await readers() });
    return { 'https://news.example.com/subscribe/0123456789abcdef0123456789abcdef': url };
  },
};

async function filled({ path, place, text }: (typeof guide)[number]): Promise<string> {
  let whole = text;
  for (const [placeholder, value] of Object.entries((await placeholders[path]?.()) ?? {})) {
    assert.ok(whole.includes(placeholder), `${place} has no ${placeholder}`);
    whole = whole.replaceAll(placeholder, value);
  }
  return whole;
}

const environment = () => ({
  ...{ BASE_URL: service.base, API_KEY: testKey, DATA_DIR: service.dataDir },
  LOG_LEVEL: 'silent',
});

/** Runs a block as a person pastes it into a shell; each line must succeed, and so must the answer of the server. */
async function runShell(block: (typeof guide)[number]): Promise<string> {
  const fails = '--fail-with-body --silent --show-error';
  const script = (await filled(block))
    .replaceAll(/^curl /gm, `curl ${fails} `)
    .replaceAll('npm run postrider', 'npm run --silent postrider');
  const { code, output, errors } = await run('sh', ['-e', '-c', `cd '${root}'\n${script}`], environment());
  assert.equal(code, 0, `${block.place}: ${output}${errors}`);
  return output;
}

/** The function `call` of the page, as examples/first-campaign.py has it. */
const prelude = `
import os, xmlrpc.client
service = xmlrpc.client.ServerProxy(os.environ["BASE_URL"] + "/xmlrpc", allow_none=True)
def call(method, **parameters):
    return getattr(service, method)({"apikey": os.environ["API_KEY"], **parameters})
readers = os.environ["READERS"]
`;

async function runPython(block: (typeof guide)[number]): Promise<void> {
  // Without a key of its own, a block goes on where examples/first-campaign.py ends.
  const program = block.text.includes('YOUR_API_KEY') ? await filled(block) : prelude + block.text;
  const { code, output, errors } = await run('python3', ['-c', program], {
    ...environment(),
    READERS: await readers(),
  });
  assert.equal(code, 0, `${block.place}: ${output}${errors}`);
}

async function openAddress(block: (typeof guide)[number]): Promise<void> {
  const response = await fetch((await filled(block)).trim());
  assert.equal(response.status, 200, block.place);
}

/** Settings are read as at the start; those that nothing reads are an error of the page. */
function readSettings({ text, place }: (typeof guide)[number]): void {
  const settings: Record<string, string> = {};
  for (const line of text.trim().split('\n')) {
    const [, name, quoted, plain] = /^([A-Z_]+)=(?:'(.*)'|([^'"]*))$/.exec(line) ?? assert.fail(`${place} ${line}`);
    settings[name!] = quoted ?? plain!;
  }
  assert.doesNotThrow(() => readConfig({ ...settings }), place);
}

const ways: Record<string, (block: (typeof guide)[number]) => unknown> = {
  sh: runShell,
  python: runPython,
  url: openAddress,
  ini: readSettings,
};

for (const block of written) {
  if (block.notRun !== '' || !programs.includes(block.language)) continue;
  test(`${block.place} (${block.language})`, async () => {
    const way = ways[block.language];
    assert.ok(way, `${block.place}: nothing runs ${block.language}; add it, or a reason after the language`);
    await way(block);
  });
}

test('every block is run, has a reason, or is text with merge tags, which another test compiles', () => {
  for (const { place, language, notRun, text } of written)
    if (notRun === '' && !programs.includes(language))
      assert.ok(language === 'text' && /\*\|[A-Z]/.test(text), `${place}: a block in no language that says what it is`);
  const skipped = written.filter(({ notRun }) => notRun !== '');
  // Those of install.md, of pgBackRest and of identity providers are run by tests of their own.
  assert.ok(skipped.length <= 29, skipped.map(({ place, notRun }) => `${place} ${notRun}`).join('\n'));
  for (const { place, notRun } of skipped) assert.ok(notRun.length > 8, place);
  assert.ok(written.length - skipped.length >= 20, String(written.length - skipped.length));
});
