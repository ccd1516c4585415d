// The stored installations of earlier versions: how they were made, and what must be the same after an upgrade.
import assert from 'node:assert/strict';
import type { Service } from '../support/installation/service.ts';

/** Of the stored installations; the program that opens them needs the same. */
export const keptSettings = {
  SEAL_KEY: 'a key for stored installations 0001',
  BACKUP_PASSPHRASE: 'stored installations',
};

/** `returned`: by method and what it was called with. */
export type Stored = { ids: Record<string, string>; returned: Record<string, unknown> };

const campaigns = ['sent', 'draft', 'scheduled', 'paused'];

/** What people see of campaigns, recipients, contacts and webhooks, without what depends on the time. */
export async function whatItReturns(service: Service, ids: Record<string, string>): Promise<Record<string, unknown>> {
  const returned: Record<string, unknown> = {};
  for (const name of campaigns) {
    const cid = ids[name]!;
    const [campaign] = await service.call<Record<string, unknown>[]>('campaigns', { filters: { campaign_id: cid } });
    returned[`campaigns ${name}`] = campaign;
    returned[`campaignContent ${name}`] = await service.call('campaignContent', { cid });
  }
  for (const name of ['sent', 'paused']) {
    const progress = await service.call<Record<string, unknown>>('campaignProgress', { cid: ids[name] });
    const kept = ['recipients', 'queued', 'accepted', 'failed', 'skipped', 'unclear', 'delivery_status'];
    returned[`campaignProgress ${name}`] = Object.fromEntries(kept.map((member) => [member, progress[member]]));
    returned[`campaignRecipients ${name}`] = await recipients(service, ids[name]!);
  }
  for (const list of ['readers', 'many'])
    for (const status of ['subscribed', 'unsubscribed'])
      returned[`listMembers ${list} ${status}`] = await service.call('listMembers', {
        id: ids[list],
        status,
        limit: 100,
      });
  returned['listMemberInfo'] = await service.call('listMemberInfo', {
    id: ids['readers'],
    email_address: 'reader4@example.com',
  });
  returned['suppressedListMembers'] = await service.call('suppressedListMembers');
  const [webhook] = await service.call<Record<string, unknown>[]>('webhooks');
  const kept = ['id', 'title', 'url', 'status', 'algorithm', 'format', 'actions', 'sources'];
  returned['webhooks'] = Object.fromEntries(kept.map((member) => [member, webhook![member]]));
  return returned;
}

/** Every member that was returned then is returned, with the same value; there may be more. */
export function assertKept(then: unknown, now: unknown, place = ''): void {
  if (typeof then !== 'object' || then === null) {
    // Addresses begin with that of the server, which is another one here.
    const path = (value: unknown) =>
      typeof value === 'string' ? value.replace(/^http:\/\/(127\.0\.0\.1|localhost):\d+(?=\/archive)/, '') : value;
    assert.deepEqual(path(now), path(then), place);
    return;
  }
  if (Array.isArray(then)) assert.equal((now as unknown[]).length, then.length, place);
  for (const [name, value] of Object.entries(then))
    assertKept(value, (now as Record<string, unknown>)?.[name], `${place} ${name}`);
}

/** Address and state of each, in order. */
async function recipients(service: Service, cid: string): Promise<unknown> {
  const rows = await service.call<{ email: string; state?: string }[] | { data: { email: string; state?: string }[] }>(
    'campaignRecipients',
    { cid, limit: 100 },
  );
  return (Array.isArray(rows) ? rows : rows.data)
    .map(({ email, state }) => ({ email, state }))
    .toSorted((a, b) => (a.email < b.email ? -1 : 1));
}
