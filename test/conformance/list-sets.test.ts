// Callers with a set of lists: for every method, a thing of another list of the same account is answered like one that does not exist,
// no answer has an id, a name or an address of another list, and no row of another list is changed.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Fault } from '../../src/base/faults.ts';
import { methods } from '../../src/doors/registry.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';
import { sample } from '../support/run/runs.ts';
import { draftOf, makePlaceholder } from './fixture.ts';
import {
  digestOf,
  exampleOf,
  keyWith,
  leaksIn,
  narrowedMethods,
  noteHidden,
  ofList,
  people,
  placeholdersOf,
  type Two,
  twoLists,
} from './list-sets-fixture.ts';

let app: TestApp;
let two: Two;
type Caller = { name: string; call: Awaited<ReturnType<typeof keyWith>>; hasOwn: boolean };
const callers: Caller[] = [];
before(async () => {
  app = await testApp({ API_RATE: '1000000', API_PARALLEL: '1000' });
  two = await twoLists(app.app);
  const { accountId, own } = two;
  const third = await own.call<string>('listCreate', { title: 'Third list' });
  const add = async (name: string, lists: string[]) =>
    callers.push({ name, call: await keyWith(app.app, accountId, lists), hasOwn: lists.includes(own.list) });
  await add('one list', [own.list]);
  await add('two lists', [own.list, third]);
  await add('no list', []);
});
after(() => app?.close());

let calls = 0;
type Outcome = { result: unknown } | { fault: string; code: number | undefined; message: string };

async function outcomeOf(
  { call }: Pick<Caller, 'call'>,
  method: string,
  params: Record<string, unknown>,
): Promise<Outcome> {
  calls += 1;
  try {
    return { result: await call(method, params) };
  } catch (error) {
    const { fault, code, message } = error as Fault & { code?: number };
    assert.ok(fault, `${method}: ${error}`);
    return { fault, code, message };
  }
}

const faultOf = (outcome: Outcome) => ('fault' in outcome ? outcome.fault : 'none');

/** An outcome as text, without what was asked for. */
const shown = (outcome: Outcome, asked: string) => JSON.stringify(outcome).replaceAll(asked, '<asked>');

/** A thing that no one has, such as the ids and addresses of the placeholders. */
const unknownOf = (value: string) => (value.includes('@') ? 'nobody@example.org' : 'f'.repeat(value.length));

/** Methods about the person: a key is refused. What starts the caller's own end is left out. */
const called = narrowedMethods.filter(({ person, name }) => !person && name !== 'login');

async function unchanged(what: string, work: () => Promise<void>): Promise<void> {
  const before = await digestOf(two);
  await work();
  const after = await digestOf(two);
  for (const [table, digest] of Object.entries(before)) assert.equal(after[table], digest, `${what} changed ${table}`);
}

test('methods that are not for callers with a set refuse them, whatever is asked', async () => {
  for (const { name, example, person, scope } of methods.filter(({ narrowed }) => !narrowed))
    for (const caller of callers) {
      const outcome = await outcomeOf(caller, name, example.params);
      assert.equal(faultOf(outcome), 'NOT_ALLOWED', `${name} (${scope}, ${person})`);
      if ('message' in outcome) assert.match(outcome.message, /limited to some of its lists/, name);
    }
});

test('what a set has works: the example of each method, on the list of the caller', async () => {
  const failed: string[] = [];
  for (const method of sample(called, 16)) {
    const address = await freshMember(method.name);
    const { params, made } = await exampleOf(app.app, two.own, method.example.params, address);
    await noteHidden(two);
    const outcome = await outcomeOf(callers[0]!, method.name, params);
    if (faultOf(outcome) === 'INTERNAL' || (faultOf(outcome) !== 'none' && !refusedAnyway.has(method.name)))
      failed.push(`${method.name}: ${JSON.stringify(outcome)}`);
    const leaks = leaksIn(two, outcome, { params, made });
    if (leaks.length > 0) failed.push(`${method.name} shows ${leaks.slice(0, 5).join(' | ')}`);
  }
  assert.deepEqual(failed, []);
});

/** Their examples need what the fixture does not have. */
const refusedAnyway = new Set<string>([
  ...['campaignTestChoose', 'automationRemoveContact', 'campaignApprovalAsk'],
  // Another example has deleted the field.
  'listUpdateMember',
]);

/** A method may change or erase it. */
async function freshMember(name: string): Promise<string> {
  const email_address = `${name.toLowerCase()}@example.com`;
  await two.own.call('listSubscribe', {
    id: two.own.list,
    email_address,
    merge_vars: { FNAME: 'Eve' },
    double_optin: false,
  });
  return email_address;
}

test('a thing of another list is answered like one that does not exist, and stays as it is', async () => {
  const failed: string[] = [];
  for (const method of sample(called, 16))
    for (const name of placeholdersOf(method.example.params).filter((placeholder) => ofList.has(placeholder))) {
      const foreign = name === 'email' ? people.foreign : (await makePlaceholder(app.app, two.foreign, name))!;
      await noteHidden(two);
      await unchanged(`${method.name} with the ${name}`, async () => {
        for (const caller of callers) {
          const { params } = await exampleOf(app.app, two.own, method.example.params, people.own);
          const filled = (value: string) => replaced(method.example.params, params, name, value);
          const given = await outcomeOf(caller, method.name, filled(foreign));
          const missing = await outcomeOf(caller, method.name, filled(unknownOf(foreign)));
          const text = shown(given, foreign);
          if (text !== shown(missing, unknownOf(foreign)))
            failed.push(`${caller.name}: ${method.name} shows the ${name}: ${text} / ${JSON.stringify(missing)}`);
          const leaks = leaksIn(two, given, filled(foreign));
          if (leaks.length > 0) failed.push(`${caller.name}: ${method.name} shows ${leaks.slice(0, 5).join(' | ')}`);
        }
      });
    }
  assert.deepEqual(failed, []);
});

/** The parameters with one placeholder filled in with a value. */
function replaced(
  example: Record<string, unknown>,
  filled: Record<string, unknown>,
  name: string,
  value: string,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(example).map(([member, given]) => {
      const text = JSON.stringify(given);
      return [
        member,
        text?.includes(`{{${name}}}`) ? JSON.parse(text.replaceAll(`{{${name}}}`, value)) : filled[member],
      ];
    }),
  );
}

test('a caller without a list finds nothing, not even what others with a list find', async () => {
  const none = callers.find(({ hasOwn }) => !hasOwn)!;
  const failed: string[] = [];
  for (const method of sample(called, 16)) {
    const { params, made } = await exampleOf(app.app, two.own, method.example.params, people.own);
    const outcome = await outcomeOf(none, method.name, params);
    const text = JSON.stringify(outcome);
    const echoed = JSON.stringify(params);
    const found = made.filter((id) => text.includes(id) && !echoed.includes(id));
    if (found.length > 0 || faultOf(outcome) === 'INTERNAL') failed.push(`${method.name}: ${text}`);
    if (made.length > 0 && faultOf(outcome) === 'none' && !readsMany.has(method.name))
      failed.push(`${method.name} works`);
  }
  assert.deepEqual(failed, []);
});

/** Methods that answer with what they find of several things. */
const readsMany = new Set<string>(['listBatchUnsubscribe', 'listsForEmail']);

type Place = [
  method: string,
  params: (two: Two) => Record<string, unknown>,
  unknown: (two: Two) => Record<string, unknown>,
];
const none = 'ffffffff';
const places: Place[] = [
  ...(['list_id', 'exclude_list_id'] as const).map(
    (name): Place => [
      'campaignCreate',
      ({ own, foreign }) => draftOf(own.list, { options: { [name]: [own.list, foreign.list] } }),
      ({ own }) => draftOf(own.list, { options: { [name]: [own.list, none] } }),
    ],
  ),
  ...(['segment_id', 'exclude_segment_id'] as const).map(
    (name): Place => [
      'campaignCreate',
      ({ own, things }) => draftOf(own.list, { options: { [name]: [things.segmentAcross] } }),
      ({ own }) => draftOf(own.list, { options: { [name]: [none] } }),
    ],
  ),
  ['campaigns', ({ foreign }) => ({ filters: { list_id: foreign.list } }), () => ({ filters: { list_id: none } })],
  [
    'campaigns',
    ({ things }) => ({ filters: { campaign_id: things.across } }),
    () => ({ filters: { campaign_id: none } }),
  ],
  ['campaignSearch', ({ foreign }) => ({ list_id: foreign.list }), () => ({ list_id: none })],
  ...(['across', 'excluding', 'usingForeign', 'toSegment', 'sentToSegment', 'withoutSegment'] as const).flatMap(
    (thing) =>
      [
        ...[
          'campaignGet',
          'campaignContent',
          'campaignStats',
          'campaignReplicate',
          'campaignDelete',
          'campaignPreview',
        ],
        ...['campaignRecipients', 'campaignAudience', 'campaignProgress', 'campaignApprovalGet'],
      ].map((method): Place => [method, ({ things }) => ({ cid: things[thing] }), () => ({ cid: none })]),
  ),
  ...(['automationAcross', 'automationOfSegment'] as const).flatMap((thing) =>
    ['automationGet', 'automationContacts', 'automationDelete', 'automationStart'].map(
      (method): Place => [method, ({ things }) => ({ id: things[thing] }), () => ({ id: none })],
    ),
  ),
  ...(['segmentAcross', 'aboutCampaign'] as const).flatMap((thing) =>
    ['listSegmentMembers', 'listSegmentDelete'].map(
      (method): Place => [method, ({ things }) => ({ id: things[thing] }), () => ({ id: none })],
    ),
  ),
  ...['is', 'not'].map(
    (condition): Place => [
      'segmentPreview',
      ({ own, foreign }) => ({ list: own.list, filter: [{ field: 'list', condition, value: foreign.list }] }),
      ({ own }) => ({ list: own.list, filter: [{ field: 'list', condition, value: none }] }),
    ],
  ),
  ...['opened', 'was_sent'].map(
    (field): Place => [
      'contactCount',
      ({ things }) => ({ filter: [{ field, condition: 'is', value: things.across }] }),
      () => ({ filter: [{ field, condition: 'is', value: none }] }),
    ],
  ),
  ...['contactGet', 'contactTimeline', 'contactExport', 'contactErase', 'contactResume'].map(
    (method): Place => [method, ({ things }) => ({ email: things.contact }), () => ({ email: none })],
  ),
  [
    'contactTagsUpdate',
    ({ things }) => ({ emails: [things.contact], add: ['x'] }),
    () => ({ emails: [none], add: ['x'] }),
  ],
];

test('nor in any other place that takes an id', async () => {
  const failed: string[] = [];
  await unchanged('a call with a foreign id', async () => {
    for (const [method, params, missing] of sample(places, 7))
      for (const caller of callers) {
        const ids = [...two.hidden];
        const plain = (outcome: Outcome) =>
          ids.reduce((text, id) => text.replaceAll(id, none), JSON.stringify(outcome));
        const given = await outcomeOf(caller, method, params(two));
        if (plain(given) !== plain(await outcomeOf(caller, method, missing(two))))
          failed.push(`${caller.name}: ${method} ${JSON.stringify(params(two))}: ${JSON.stringify(given)}`);
      }
  });
  assert.deepEqual(failed, []);
});

test('a contact on several lists shows what is permitted, and what is not of one list alone cannot be changed', async () => {
  const [caller] = callers;
  const email = people.both;
  await unchanged('a change of a shared contact', async () => {
    for (const [method, params] of [
      ['contactErase', { email }],
      ['contactPause', { email, until: '2099-01-01 00:00:00' }],
      ['contactTrackingUpdate', { email, tracked: false }],
      ['contactTagsUpdate', { emails: [email], add: ['x'] }],
      ['listUpdateMember', { id: two.own.list, email_address: email, merge_vars: { EMAIL: 'new@example.com' } }],
      ['listUpdateMember', { id: two.own.list, email_address: email, merge_vars: { LANGUAGE: 'de' } }],
    ] as const)
      assert.equal(faultOf(await outcomeOf(caller!, method, params)), 'NOT_ALLOWED', method);
    for (const method of ['contactGet', 'contactTimeline', 'contactExport', 'contactEvents'])
      assert.deepEqual(leaksIn(two, await outcomeOf(caller!, method, { email }), {}), [], method);
    const update = { id: two.own.list, email_address: email, merge_vars: { VOICE: 'tenor' } };
    assert.deepEqual(await outcomeOf(caller!, 'listUpdateMember', update), { result: true });
    assert.deepEqual(await outcomeOf(caller!, 'listMemberDelete', { id: two.own.list, email_address: email }), {
      result: true,
    });
    assert.equal(faultOf(await outcomeOf(caller!, 'contactGet', { email })), 'ADDRESS_UNKNOWN');
    const again = {
      id: two.own.list,
      email_address: email,
      merge_vars: { FNAME: 'Bea', LANGUAGE: 'fr' },
      double_optin: false,
    };
    assert.deepEqual(await outcomeOf(caller!, 'listSubscribe', again), { result: true });
  });
});

test('a foreign contact or field that comes to a list of the caller brings no values of the other list', async () => {
  const [caller] = callers;
  const { list } = two.own;
  const email = people.foreign;
  const added = await outcomeOf(caller!, 'listMergeVarAdd', { id: list, tag: 'FOREIGNTAG', name: 'Guessed' });
  assert.equal(faultOf(added), 'NOT_ALLOWED');
  const subscribed = { id: list, email_address: email, merge_vars: { FNAME: 'Fay' }, double_optin: false };
  assert.deepEqual(await outcomeOf(caller!, 'listSubscribe', subscribed), { result: true });
  for (const [method, params] of [
    ['contactGet', { email }],
    ['contactTimeline', { email }],
    ['contactExport', { email }],
    ['listMemberInfo', { id: list, email_address: email }],
    ['listMembers', { id: list }],
    ['listMergeVars', { id: list }],
    ['campaigns', {}],
    ['automations', {}],
    ['listSegments', { id: list }],
    ['homeSummary', {}],
  ] as const) {
    const shownNow = JSON.stringify(await outcomeOf(caller!, method, params)).replaceAll(email, '<asked>');
    assert.deepEqual(
      leaksIn(two, shownNow, {}).filter((leak) => leak !== two.things.contact),
      [],
      method,
    );
  }
});

test('how many calls', (t) => t.diagnostic(`${calls} calls`));
