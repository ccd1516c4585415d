import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { bareEnvironment } from '../test/support/installation/service.ts';
import { waitArgument } from './parent-watch.ts';

test('a web process that waits for the database ends when its parent is gone', async () => {
  const main = join(import.meta.dirname, 'main.ts');
  const web = spawn(process.execPath, [main, 'web', waitArgument], {
    env: bareEnvironment,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await once(web, 'spawn');
  web.disconnect();
  const [code] = await once(web, 'exit');
  assert.equal(code, 1);
});
