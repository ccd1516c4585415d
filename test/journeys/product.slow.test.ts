// A product reports what its users do. Who has not invited anyone gets a reminder, who does meanwhile gets none, and the welcome names
// what the product knows.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Journey, startJourney } from './journey.ts';

let journey: Journey;
before(async () => {
  journey = await startJourney();
});
after(() => journey.close());

test('from the events of a product to the email that fits', async () => {
  const { call, service } = journey;
  const list = await call<string>('listCreate', { title: 'Users' });
  const users = ['ida', 'jon', 'kim'].map((name) => `${name}@example.com`);
  for (const email of users) await call('listSubscribe', { id: list, email_address: email, double_optin: false });
  const emailOf = async (subject: string, text: string) =>
    call<string>('automationEmailCreate', { list, subject, text });
  const welcome = await emailOf(
    'Welcome to *|EVENT:plan|*',
    'Your workspace is *|EVENT:workspace.name|*, with *|EVENT:seats:one|* seats.',
  );
  const nudge = await emailOf('Invite your team', 'You are alone in *|EVENT:workspace.name|* yet.');
  const thanks = await emailOf('Your team grows', 'Well done.');
  const automation = await call<string>('automationCreate', { title: 'Lifecycle', list });
  await call('automationUpdate', {
    id: automation,
    // Workspaces for trying out are left alone.
    trigger: {
      type: 'event',
      name: 'workspace.created',
      data: [{ path: 'plan', condition: 'is_not', value: 'Sandbox' }],
    },
    steps: [
      { key: 'welcome', type: 'send', campaign: welcome },
      {
        key: 'invites',
        type: 'wait_for',
        name: 'member.invited',
        amount: 1,
        unit: 'minutes',
        yes: [{ key: 'thanks', type: 'send', campaign: thanks }],
        no: [{ key: 'nudge', type: 'send', campaign: nudge }],
      },
    ],
  });
  await call('automationStart', { id: automation });
  const result = await call<{ success_count: number; results: string[] }>('eventSendBatch', {
    events: [
      ...users.map((email_address, i) => ({
        name: 'workspace.created',
        email_address,
        id: `ws-${i}`,
        data: { plan: i === 2 ? 'Sandbox' : 'Team', workspace: { name: `Room ${i}` }, seats: i === 0 ? 5 : null },
      })),
      { name: 'workspace.created', email_address: users[0], id: 'ws-0' },
    ],
  });
  assert.deepEqual(result.results, ['accepted', 'accepted', 'accepted', 'duplicate']);

  const first = await journey.email('ida@example.com', 'Welcome to Team');
  assert.match(first.text, /Your workspace is Room 0, with 5 seats/);
  assert.match((await journey.email('jon@example.com', 'Welcome to Team')).text, /Room 1, with one seats/);
  await service.until('Ida waits', async () => {
    const inside = await call<{ data: { email: string; step: string }[] }>('automationContacts', { id: automation });
    return inside.data.filter(({ step }) => step === 'invites').length === 2;
  });
  await call('eventSend', {
    name: 'member.invited',
    email_address: 'ida@example.com',
    id: 'inv-1',
    data: { role: 'editor' },
  });

  await journey.email('ida@example.com', 'Your team grows');
  assert.match((await journey.email('jon@example.com', 'Invite your team')).text, /Room 1/);
  assert.deepEqual(
    (await journey.emails('ida@example.com')).map(({ subject }) => subject),
    ['Welcome to Team', 'Your team grows'],
  );
  assert.deepEqual(await journey.emails('kim@example.com'), []);

  // All who have a workspace and have not invited anyone in the last week, for a campaign.
  const preview = await call<{ total?: number; count?: number }>('segmentPreview', {
    list,
    match: 'all',
    filter: [
      {
        field: 'event',
        condition: 'is',
        value: 'workspace.created',
        days: 7,
        where: [{ field: 'data.plan', condition: 'is', value: 'team' }],
      },
      { field: 'event', condition: 'not', value: 'member.invited', days: 7 },
    ],
  });
  assert.equal(preview.total ?? preview.count, 1);
});
