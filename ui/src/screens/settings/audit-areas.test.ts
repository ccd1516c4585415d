// Every action of the audit log belongs to an area, so that the filter offers all of them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { areaOf } from './audit-areas.ts';
import { areas } from './audit-search.ts';

test('actions are found where a reader looks for them', () => {
  const expected = {
    campaignSendNow: 'campaigns',
    recurringApprove: 'campaigns',
    automationStart: 'automations',
    incomingWebhookUpdate: 'automations',
    templateUpdate: 'templates',
    brandUpdate: 'templates',
    listMergeVarAdd: 'contacts',
    suppressedListSubscribe: 'contacts',
    relayCreate: 'sending',
    confirmSending: 'sending',
    webhookResend: 'webhooks',
    signIn: 'access',
    accountKey: 'access',
    rotateSecret: 'access',
    accountUpdate: 'account',
    firstRun: 'account',
  };
  assert.deepEqual(Object.fromEntries(Object.keys(expected).map((method) => [method, areaOf(method)])), expected);
});

test('no area is empty', () => {
  const texts = JSON.parse(readFileSync(new URL('../../locales/en/audit.json', import.meta.url), 'utf8'));
  const methods = Object.keys(texts).flatMap((key) => (key.startsWith('did.') ? [key.slice(4)] : []));
  assert.deepEqual(
    [...areas].filter((area) => !methods.some((method) => areaOf(method) === area)),
    [],
  );
});
