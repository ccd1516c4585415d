// 200 operations at once on campaigns that wait for approval: content, subject, sender and audience change, people approve, ask again,
// withdraw, return and send, while launches and workers run. What arrives is the judge: each campaign that arrived is made again from
// its messages alone (subject, text, sender, recipients), and the version of this copy, a hash of content and audience, is the one
// that an approver got approved. Of the others nothing arrives. Three parts have a forced order, so each outcome occurs; the rest is random.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { aCampaign, listOf } from '../../../test/support/builders/campaigns.ts';
import { aPerson, type Caller } from '../../../test/support/builders/people.ts';
import { Stage } from '../../../test/support/delivery/stage.ts';
import { type Dice, diceOf } from '../../../test/support/judges/dice.ts';
import { until } from '../../../test/support/run/until.ts';
import { setAccount } from '../../accounts/account/account.ts';
import { Fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { runJobs } from '../../jobs/queue.ts';
import { handlers } from '../../task-handlers.ts';

const operations = 200;
const perPart = 10;
const later = '2099-01-31 09:00:00';

/** A campaign to one or both of two lists, or to a segment of the first. */
type Raced = {
  cid: string;
  name: string;
  lists: [string, string];
  /** The segment that it goes to; undefined: it goes to whole lists. */
  segment: string | undefined;
  /** The versions that an approver got approved. */
  approved: Set<string>;
};

let stage: Stage;
let authors: Caller[];
let approvers: Caller[];
/** Changes segments, which authors may not. */
let keeper: Caller;
before(async () => {
  stage = await Stage.start({
    sink: { raw: true },
    settings: { API_RATE: '1000000', API_PARALLEL: '1000' },
    workers: 2,
  });
  const { app } = stage.engine;
  await setAccount(app.app.db, app.account.id, { plan: 'pro' });
  await app.app.db.run(sql`
    update account set settings = settings || '{"approval": "everyone"}' where id = ${app.account.id}`);
  const people = (role: 'author' | 'editor', names: string[]) =>
    Promise.all(names.map((name) => aPerson(app, role, name)));
  authors = await people('author', ['Ann', 'Ben', 'Cem']);
  approvers = await people('editor', ['Dan', 'Eva', 'Flo', 'Gus']);
  keeper = (await people('editor', ['Hal']))[0]!;
});
after(() => stage.stop());

let made = 0;
let written = 0;
const counts: Record<string, number> = {};
const count = (what: string, times = 1) => {
  counts[what] = (counts[what] ?? 0) + times;
};

const htmlOf = (text: string) => `<p>${text}</p><p><a href="*|UNSUB|*">Leave</a></p>`;
const filterOf = (beginning: string) => [{ field: 'EMAIL', condition: 'starts', value: beginning }];
const contentOf = (text: string) => ({ html: htmlOf(text) });

async function make(by: Caller): Promise<Raced> {
  const { app } = stage.engine;
  const name = `c${++made}`;
  const lists = await Promise.all(
    ['m', 'n'].map((letter) =>
      listOf(
        app,
        Array.from({ length: 3 }, (_, n) => `${letter}${n}.${name}@storm.example`),
        `${letter} of ${name}`,
      ),
    ),
  );
  const [first, second] = lists as [string, string];
  const segment =
    made % 2 === 0
      ? await app.call<string>('listSegmentCreate', {
          list: first,
          title: 'One',
          match: 'all',
          filter: filterOf('m0.'),
        })
      : undefined;
  const to = { to: first, ...(segment ? { segment_id: [segment] } : {}) };
  const cid = await aCampaign(by, { ...to, subject: `${name} subject 0.`, content: contentOf('Text 0.') });
  return { cid, name, lists: [first, second], segment, approved: new Set() };
}

/** Campaigns that someone has asked about. */
async function asked(): Promise<Raced[]> {
  const all: Raced[] = [];
  for (let n = 0; n < perPart; n++) {
    const one = await make(authors[0]!);
    await authors[0]!.call('campaignApprovalAsk', { cid: one.cid });
    all.push(one);
  }
  return all;
}

/** What an operation may be refused with. */
const refusals = ['CAMPAIGN_STATE_CONFLICT', 'CAMPAIGN_CHANGED', 'APPROVAL_NEEDED', 'NOT_ALLOWED'];

/** @returns whether the call was not refused */
async function tried(what: string, call: () => Promise<unknown>): Promise<boolean> {
  try {
    await call();
    count(what);
    return true;
  } catch (error) {
    if (!(error instanceof Fault) || !refusals.includes(error.fault)) throw error;
    count(`${what} refused`);
    return false;
  }
}

const versionOf = async (one: Raced, by: Caller) =>
  (await by.call<{ version: string }>('campaignApprovalGet', { cid: one.cid })).version;

async function approve(one: Raced, by: Caller, more: Record<string, unknown> = {}, seen?: string): Promise<boolean> {
  const version = seen ?? (await versionOf(one, by));
  const isApproved = await tried('approve', () => by.call('campaignApprove', { cid: one.cid, version, ...more }));
  if (isApproved) one.approved.add(version);
  return isApproved;
}

const update = (what: string, { cid }: Raced, by: Caller, name: string, value: unknown) =>
  tried(what, () => by.call('campaignUpdate', { cid, name, value }));

const edits = {
  subject: (one: Raced, by: Caller) => update('subject', one, by, 'subject', `${one.name} subject ${++written}.`),
  content: (one: Raced, by: Caller) => update('content', one, by, 'content', contentOf(`Text ${++written}.`)),
  sender: (one: Raced, by: Caller) => update('sender', one, by, 'sender', `from${++written % 7}@storm.example`),
  async audience(one: Raced, by: Caller) {
    const n = ++written % 3;
    const [first, second] = one.lists;
    if (!one.segment) return update('lists', one, by, 'list_id', [[first], [second], [first, second]][n]);
    const sid = one.segment;
    return tried('segment', () => keeper.call('listSegmentUpdate', { sid, filter: filterOf(`m${n}.`) }));
  },
};
const editNames = Object.keys(edits) as (keyof typeof edits)[];

const ask = ({ cid }: Raced, by: Caller) => tried('ask', () => by.call('campaignApprovalAsk', { cid, note: 'Again' }));
const others = {
  ask,
  askForLater: ({ cid }: Raced, by: Caller) =>
    tried('ask for later', () => by.call('campaignApprovalAsk', { cid, schedule_time: later })),
  withdraw: ({ cid }: Raced, by: Caller) => tried('withdraw', () => by.call('campaignApprovalWithdraw', { cid })),
};
const answers = {
  approve: (one: Raced, by: Caller) => approve(one, by),
  approveForLater: (one: Raced, by: Caller) => approve(one, by, { schedule_time: later }),
  approveOnly: (one: Raced, by: Caller) => approve(one, by, { start: false }),
  return: ({ cid }: Raced, by: Caller) => tried('return', () => by.call('campaignApprovalReturn', { cid })),
  refuse: ({ cid }: Raced, by: Caller) => tried('refuse', () => by.call('campaignApprovalRefuse', { cid })),
  send: ({ cid }: Raced, by: Caller) => tried('send', () => by.call('campaignSendNow', { cid })),
  resume: ({ cid }: Raced, by: Caller) => tried('resume', () => by.call('campaignResume', { cid })),
  unschedule: ({ cid }: Raced, by: Caller) => tried('unschedule', () => by.call('campaignUnschedule', { cid })),
};

/** One of all operations: of eight, one is an edit, five are approvals. */
function anyOperation(dice: Dice, all: readonly Raced[]): () => Promise<unknown> {
  const one = dice.pick(all);
  const [author, approver] = [dice.pick(authors), dice.pick(approvers)];
  const edit = edits[dice.pick(editNames)];
  const other = dice.pick(Object.values(others));
  const answer = dice.pick(Object.values(answers));
  switch (dice.below(8)) {
    case 0:
      return () => edit(one, dice.below(3) === 0 ? approver : author);
    case 1:
      return () => other(one, author);
    case 2:
      return () => answer(one, approver);
    default:
      return () => answers.approve(one, approver);
  }
}

const atOnce = async (work: (n: number) => () => Promise<unknown>) =>
  Promise.all(Array.from({ length: operations }, (_, n) => work(n)).map((operation) => operation()));

/** Runs the launches during some work. */
async function whileLaunching(work: () => Promise<unknown>): Promise<void> {
  const { launchCampaign } = handlers;
  const launches = await runJobs(stage.engine.app.app, { launchCampaign }, 4);
  try {
    await work();
  } finally {
    await launches.stop();
  }
}

const statusOf = async ({ cid }: Raced) => (await stage.engine.status(parseId(cid))).status;

async function untilNothingMoves(all: readonly Raced[]): Promise<void> {
  const ids = all.map(({ cid }) => parseId(cid));
  await until(
    'every campaign is sent or waits',
    async () => {
      const row = await stage.db.row<{ moving: number }>(sql`
      select count(*)::int as moving
      from campaign
      where id = any (${ids}::int[])
        and status in ('launching', 'sending')`);
      return row!.moving === 0;
    },
    120_000,
  );
}

/** How many of the campaigns have a step of this kind. */
async function withStep(all: readonly Raced[], what: string): Promise<number> {
  const row = await stage.db.row<{ count: number }>(sql`
    select count(distinct campaign_id)::int as count
    from campaign_approval_step
    where campaign_id = any (${all.map(({ cid }) => parseId(cid))}::int[])
      and what = ${what}`);
  return row!.count;
}

type Arrived = { to: string; subject: string; text: string; from: string };

function arrived({ name }: Raced): Arrived[] {
  const found = (pattern: RegExp, raw: string) => pattern.exec(raw)?.[1] ?? '';
  return stage.sink
    .accepted()
    .filter(({ to }) => to!.includes(`.${name}@`))
    .map(({ to, raw = '' }) => ({
      to: to!,
      subject: found(/^Subject: (.*)\r$/m, raw),
      text: found(/(Text \d+\.)/, raw),
      from: found(/^From: .*<(.*)>\r$/m, raw),
    }));
}

/** The version of a new campaign that is made of what arrived. */
async function versionOfCopy(one: Raced, messages: readonly Arrived[]): Promise<string> {
  const { app } = stage.engine;
  const { subject, text, from } = messages[0]!;
  for (const message of messages)
    assert.deepEqual({ ...message, to: '' }, { to: '', subject, text, from }, 'everyone gets the same');
  const recipients = messages.map(({ to }) => to.split('.')[0]!).sort();
  const options: Record<string, unknown> = { subject, content: contentOf(text) };
  if (from !== app.account.email) options['sender'] = from;
  const [first, second] = one.lists;
  let to: string[] = [first];
  if (one.segment) {
    assert.equal(recipients.length, 1);
    await app.call('listSegmentUpdate', { sid: one.segment, filter: filterOf(`${recipients[0]}.`) });
    options['segment_id'] = [one.segment];
  } else {
    const has = (letter: string) => recipients.some((name) => name.startsWith(letter));
    to = [...(has('m') ? [first] : []), ...(has('n') ? [second] : [])];
    assert.equal(recipients.length, 3 * to.length, 'a whole list gets it, each once');
    assert.equal(new Set(recipients).size, recipients.length);
  }
  const copy = await aCampaign(app, { to: first, list_id: to, ...options });
  return (await app.call<{ version: string }>('campaignApprovalGet', { cid: copy })).version;
}

/** @returns how many were sent */
async function judge(all: readonly Raced[]): Promise<number> {
  let sent = 0;
  for (const one of all) {
    const messages = arrived(one);
    const status = await statusOf(one);
    assert.equal(messages.length > 0, status === 'sent', `${one.name} is ${status}, ${messages.length} arrived`);
    if (messages.length === 0) continue;
    sent += 1;
    const step = await stage.db.row<{ version: string }>(sql`
      select version
      from campaign_approval_step
      where campaign_id = ${parseId(one.cid)}
        and what = 'approved'
        and user_id is not null
      order by no desc
      limit 1`);
    const copy = await versionOfCopy(one, messages);
    assert.equal(copy, step?.version, `${one.name}: what arrived is what was approved last`);
    assert.ok(one.approved.has(copy), `${one.name}: an approver named the version that arrived`);
  }
  count('campaigns sent', sent);
  count('campaigns not sent', all.length - sent);
  return sent;
}

test('approved for later, then changed by 200 operations at once: each approval ends, and only what was approved again is sent', async () => {
  const all = await asked();
  const seen = new Map<Raced, string>();
  for (const one of all) {
    seen.set(one, await versionOf(one, approvers[0]!));
    assert.ok(await approve(one, approvers[0]!, { schedule_time: later }));
  }
  await whileLaunching(async () => {
    await atOnce((n) => {
      const one = all[n % perPart]!;
      const turn = Math.floor(n / perPart);
      const [author, approver] = [authors[turn % authors.length]!, approvers[turn % approvers.length]!];
      // The text changes in every one, whatever comes first.
      if (turn % 4 === 0) return () => edits.content(one, approver);
      if (turn % 4 === 1) return () => edits[editNames[turn % editNames.length]!](one, author);
      if (turn % 4 === 2) return () => approve(one, approver, {}, turn % 8 === 2 ? seen.get(one) : undefined);
      return () => (turn % 8 === 3 ? ask(one, author) : answers.send(one, approver));
    });
    await untilNothingMoves(all);
  });
  assert.equal(await withStep(all, 'withdrawn'), perPart);
  await judge(all);
});

test('approved, then 200 operations before the launch: what was not changed elsewhere is sent as it was approved', async () => {
  const all = await asked();
  for (const one of all) assert.ok(await approve(one, approvers[1]!));
  const dice = diceOf(36);
  await atOnce((n) => {
    const one = all[n % perPart]!;
    const edit = edits[editNames[Math.floor(n / perPart) % editNames.length]!];
    return n % 3 === 0 ? anyOperation(dice, [one]) : () => edit(one, authors[n % authors.length]!);
  });
  await whileLaunching(() => untilNothingMoves(all));
  // Nothing changes a campaign that is being launched; its segment can be changed, which the launch finds.
  assert.ok((await judge(all)) >= perPart / 2);
});

test('approved, its segment changed before the launch: paused, the approval ended, and nothing sent', async () => {
  const all = (await asked()).filter(({ segment }) => segment);
  for (const one of all) assert.ok(await approve(one, approvers[2]!));
  for (const { segment } of all) await keeper.call('listSegmentUpdate', { sid: segment, filter: filterOf('m2.') });
  await whileLaunching(() => untilNothingMoves(all));
  assert.deepEqual(new Set(await Promise.all(all.map(statusOf))), new Set(['paused']));
  assert.equal(await withStep(all, 'withdrawn'), all.length);
  assert.equal(await judge(all), 0);
});

for (const seed of [1, 2])
  test(`200 operations at once, at random (${seed}), and then an answer to each`, async () => {
    const all = await asked();
    const dice = diceOf(seed);
    await whileLaunching(async () => {
      await atOnce(() => anyOperation(dice, all));
      await untilNothingMoves(all);
      // A second wave: those that are still drafts are asked about and answered while they change.
      await atOnce((n) => (n % 5 === 0 ? () => ask(all[n % perPart]!, dice.pick(authors)) : anyOperation(dice, all)));
      await untilNothingMoves(all);
    });
    await judge(all);
  });

test('what is around campaigns changes at the same time: the rule, lists, fields, people and the account', async () => {
  const all = await asked();
  // What is scheduled is locked by a change of the rule too.
  for (const one of all) if (one.segment) assert.ok(await approve(one, approvers[3]!, { schedule_time: later }));
  const dice = diceOf(5);
  const { app } = stage.engine;
  const owner = await aPerson(app, 'owner', 'Ida');
  const guest = await aPerson(app, 'viewer', 'Jan');
  let turn = 0;
  const around = [
    () => tried('rule', () => owner.call('campaignApprovalRuleUpdate', { rule: turn++ % 2 ? 'everyone' : 'authors' })),
    (one: Raced) =>
      tried('list', () => keeper.call('listUpdate', { id: one.lists[0], name: 'company', value: `Club ${turn++}` })),
    (one: Raced) =>
      tried('field', () => keeper.call('listMergeVarAdd', { id: one.lists[0], tag: `T${turn++}`, name: 'Field' })),
    () =>
      tried('person', () =>
        owner.call('userUpdate', { id: formatId(guest.id), role: turn++ % 2 ? 'author' : 'viewer' }),
      ),
    () => tried('account', () => owner.call('accountUpdate', { name: 'company', value: `Company ${turn++}` })),
  ];
  await whileLaunching(async () => {
    await atOnce(() => {
      const [one, change] = [dice.pick(all), dice.pick(around)];
      return dice.below(3) === 0 ? () => change(one) : anyOperation(dice, all);
    });
    await untilNothingMoves(all);
  });
  for (const one of all) assert.equal(arrived(one).length > 0, (await statusOf(one)) === 'sent');
});

test('both outcomes occurred', async (t) => {
  const row = await stage.db.row<{ deadlocks: number }>(
    sql`select deadlocks::int as deadlocks from pg_stat_database where datname = current_database()`,
  );
  t.diagnostic(JSON.stringify({ ...counts, deadlocks: row!.deadlocks }));
  assert.ok(counts['campaigns sent']! > 0 && counts['campaigns not sent']! > 0);
  assert.ok(counts['approve']! > 0 && counts['approve refused']! > 0);
});
