// How long the web process keeps an idle connection, by what it announces.
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import { testApp } from '../test/support/installation/app.ts';

async function announced(settings: Record<string, string>): Promise<string | undefined> {
  const app = await testApp(settings);
  try {
    const base = await app.listen();
    return await new Promise((resolve, reject) => {
      request(`${base}/health`, { headers: { connection: 'keep-alive' } }, (response) => {
        response.resume().on('end', () => resolve(response.headers['keep-alive'] as string | undefined));
      })
        .on('error', reject)
        .end();
    });
  } finally {
    await app.close();
  }
}

test('idle connections are kept longer than load balancers keep them, and as long as is set', async () => {
  assert.equal(await announced({}), 'timeout=75');
  assert.equal(await announced({ KEEP_ALIVE_SECONDS: '620' }), 'timeout=620');
});
