// The time an answer takes does not reveal whether an address is known. Requests for known and unknown addresses
// alternate, so that other load affects both; the medians differ by at most 10 % in the best of a few rounds.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { passwords, type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sql } from '../../db/connect.ts';
import { askForReset } from './password-link.ts';
import { signIn } from './sign-in.ts';

let app: TestApp;
before(async () => {
  passwords.cheap = false;
  app = await testApp();
});
after(() => app.close());

const median = (times: number[]) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)]!;

async function difference(tries: number, act: (email: string) => Promise<unknown>): Promise<number> {
  const times: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] };
  for (let i = 0; i < tries; i++) {
    for (const [who, email] of [
      ['known', 'owner@example.com'],
      ['unknown', `unknown${i}@example.com`],
    ] as const) {
      await app.app.db.run(sql`delete from sign_in_try`);
      const start = performance.now();
      await act(email);
      times[who].push(performance.now() - start);
    }
  }
  return Math.abs(1 - median(times.known) / median(times.unknown));
}

async function best(rounds: number, tries: number, act: (email: string) => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds && least > 0.1; round++) least = Math.min(least, await difference(tries, act));
  return least;
}

test('a wrong password takes as long for a known address as for an unknown one', async () => {
  const from = { ip: '192.0.2.1', userAgent: 'test' };
  const found = await best(5, 60, (email) => signIn(app.app, { email, password: 'wrong horse' }, from));
  assert.ok(found <= 0.1, `${Math.round(found * 100)} %`);
});

test('a request for a reset link takes as long for a known address as for an unknown one', async () => {
  const found = await best(5, 150, (email) => askForReset(app.app.db, email));
  assert.ok(found <= 0.1, `${Math.round(found * 100)} %`);
});
