// The npm package as `npm pack` makes it, in a node_modules folder with its dependencies: what is in it, and a first campaign. Its code
// is JavaScript there, because Node does not run TypeScript inside node_modules.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { root, run } from '../support/installation/command-line.ts';
import { Installation } from '../support/installation/installation.ts';
import { testKey } from '../support/installation/service.ts';

let folder: string;
let installed: string;
let installation: Installation;
const packed: string[] = [];

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'postrider-package-'));
  execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: root, stdio: 'pipe' });
  const [archive] = readdirSync(folder);
  installed = join(folder, 'node_modules/postrider');
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', join(folder, archive!), '-C', installed, '--strip-components=1']);
  for (const name of readdirSync(join(root, 'node_modules')))
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  for (const { parentPath, name } of readdirSync(installed, { recursive: true, withFileTypes: true }))
    packed.push(join(parentPath, name).slice(installed.length + 1));
});
after(async () => {
  await installation?.remove();
  rmSync(folder, { recursive: true, force: true });
});

test('it has the compiled program and the built web application, and neither sources, tests nor documents', () => {
  for (const path of [
    'dist/main.js',
    'dist/db/migrations/0001_base.sql',
    'dist/campaigns/starter/art/hills.png',
    'dist/campaigns/starter/words/en.json',
    'ui/dist/index.html',
    'site/dist/index.html',
    'receiver/index.js',
    'examples/first-campaign.py',
    'bin/postrider',
    'README.md',
    'LICENSE',
  ])
    assert.ok(packed.includes(path), path);
  const left = packed.filter((path) => /(?<!\.d)\.ts$|\.test\.|^(src|test|docs|ui\/src|site\/[^d]|data)\b/.test(path));
  assert.deepEqual(left, []);
  const { bin } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  assert.deepEqual(bin, { postrider: 'bin/postrider' });
});

test('it starts every process and sends a first campaign', async () => {
  installation = new Installation({}, undefined);
  installation.program = ['sh', join(installed, 'bin/postrider')];
  await installation.start();
  const { code, output, errors } = await run('python3', [join(installed, 'examples/first-campaign.py')], {
    BASE_URL: `${installation.base}/`,
    API_KEY: testKey,
  });
  assert.equal(code, 0, errors);
  assert.match(output, /ada@example\.com +Hello Ada/);
  // A document this long is compiled in a thread.
  const [list] = await installation.call<{ id: string }[]>('lists');
  const html = `<p>${'words '.repeat(10_000)}</p>`;
  const cid = await installation.call<string>('campaignCreate', {
    type: 'HTML',
    options: { list_id: list!.id, subject: 's', from_email: 'a@example.com', from_name: 'A', generate_text: true },
    content: { html },
  });
  assert.ok((await installation.call<{ html: string }>('campaignPreview', { cid })).html.includes('words words'));
  const page = await fetch(`${installation.base}/app/`);
  assert.match(await page.text(), /<script type="module"/);
  assert.equal(await installation.stop(), 0);
  assert.doesNotMatch(installation.output, /"level":(50|60)/);
});

test('without a Node of its own and an old one on the machine, it says what to do', async () => {
  const lonely = join(folder, 'lonely');
  mkdirSync(join(lonely, 'bin'), { recursive: true });
  execFileSync('cp', ['-r', join(installed, 'bin'), lonely]);
  mkdirSync(join(folder, 'old'));
  execFileSync('sh', ['-c', `printf '#!/bin/sh\\necho 20\\n' > "$1" && chmod +x "$1"`, '-', join(folder, 'old/node')]);
  const { code, errors } = await run('sh', [join(lonely, 'bin/postrider'), '--version'], {
    PATH: `${join(folder, 'old')}:/usr/bin:/bin`,
  });
  assert.equal(code, 1);
  assert.match(errors, /needs Node\.js 24.* Install it, then start again\./);
});
