// Edits, approvals and sending race through the web server, with workers that send: every message that arrives is one that was approved,
// with its text and its audience. Each campaign has a subject and a segment that its author changes all the time; the subject and the
// address that a message arrives with say which version was frozen.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Browser } from '../../../test/support/browser/session.ts';
import { aCampaign, listOf } from '../../../test/support/builders/campaigns.ts';
import { aPerson, type Caller } from '../../../test/support/builders/people.ts';
import { Stage } from '../../../test/support/delivery/stage.ts';
import { slowTest } from '../../../test/support/run/runs.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { runJobs } from '../../jobs/queue.ts';
import { handlers } from '../../task-handlers.ts';

let stage: Stage | undefined;
let base: string | undefined;
after(() => stage?.stop());

type Ask = (method: string, params: Record<string, unknown>) => Promise<Record<string, unknown>>;
type Actors = { author: Ask; approver: Ask; sender: Ask };
type Raced = {
  cid: string;
  list: string;
  segment: string;
  /** What the versions are: subject and segment. */
  states: Map<string, string>;
  /** The versions that the approver got approved. */
  approved: Set<unknown>;
};

/** How often something happened, to see that there was a race. */
type Counts = Record<'edits' | 'approved' | 'outdated' | 'refused' | 'withdrawn', number>;

const members = 4;

async function race(campaigns: number, edits: number): Promise<Counts> {
  stage ??= await Stage.start({
    sink: { raw: true },
    settings: { API_RATE: '1000000', API_PARALLEL: '1000' },
    workers: 2,
  });
  const { app } = stage.engine;
  await app.app.db.run(sql`
    update account set settings = settings || '{"approval": "everyone"}' where id = ${app.account.id}`);
  base ??= await app.listen();
  const as = async (name: string): Promise<Ask> => {
    const person = await aPerson(app, 'editor', `${name}${campaigns}`);
    return askWith(base!, person);
  };
  const actors = { author: await as('Author'), approver: await as('Approver'), sender: await as('Sender') };
  const counts = { edits: 0, approved: 0, outdated: 0, refused: 0, withdrawn: 0 };
  const raced: Raced[] = [];
  for (let n = 0; n < campaigns; n++) raced.push(await make(actors.author, `${campaigns}-${n}`));
  const { launchCampaign } = handlers;
  const launches = await runJobs(app.app, { launchCampaign }, 2);
  try {
    await Promise.all(raced.map((one) => run(one, actors, edits, counts)));
  } finally {
    await launches.stop();
  }
  const row = await stage.db.row<{ count: number }>(sql`
    select count(*)::int as count
    from campaign_approval_step
    where what = 'withdrawn'
      and campaign_id = any (${raced.map(({ cid }) => parseId(cid))}::int[])`);
  counts.withdrawn = row!.count;
  for (const { cid, states, approved } of raced) {
    const messages: { to: string; subject: string }[] = stage.sink
      .accepted()
      .map(({ to, raw }) => ({ to: to!, subject: /^Subject: (.*)\r$/m.exec(raw ?? '')?.[1] ?? '' }))
      .filter(({ subject }) => subject.startsWith(`${cid} `));
    assert.equal(messages.length, 1, `the campaign ${cid} arrives once`);
    const { to, subject } = messages[0]!;
    const arrived = `${subject} to ${to.split('.')[0]}`;
    const isApproved = [...states].some(([version, state]) => state === arrived && approved.has(version));
    assert.ok(isApproved, `${arrived} was approved`);
  }
  return counts;
}

async function make(author: Ask, name: string): Promise<Raced> {
  const call = <T>(method: string, params: Record<string, unknown> = {}) => author(method, params) as Promise<T>;
  const emails = Array.from({ length: members }, (_, n) => `m${n}.${name}@race.example`);
  const list = await listOf({ call }, emails);
  const filter = [{ field: 'EMAIL', condition: 'starts', value: 'm0.' }];
  const segment = await call<string>('listSegmentCreate', { list, title: 'One', match: 'all', filter });
  const cid = await aCampaign({ call }, { to: list, segment_id: [segment], subject: 'Not yet' });
  return { cid, list, segment, states: new Map(), approved: new Set() };
}

/** All three at once until it is sent. */
async function run(one: Raced, actors: Actors, edits: number, counts: Counts): Promise<void> {
  const { cid } = one;
  const isOver = async () => {
    const { delivery_status } = await actors.sender('campaignGet', { cid });
    return delivery_status === 'sending' || delivery_status === 'sent';
  };
  const until = async (work: (turn: number) => Promise<void>) => {
    for (let turn = 0; !(await isOver()); turn++) {
      assert.ok(turn < 2_000, `the campaign ${cid} is sent at last`);
      await work(turn);
    }
  };
  await Promise.all([
    until((turn) => edit(one, actors.author, turn < edits ? turn : undefined, counts)),
    until((turn) => approveOnce(one, actors.approver, turn, counts)),
    until(() => sendOnce(one, actors.sender, counts)),
  ]);
  await stage!.engine.untilStatus(parseId(cid), 'sent');
}

async function edit(one: Raced, author: Ask, turn: number | undefined, counts: Counts): Promise<void> {
  const { cid, segment } = one;
  if (turn !== undefined) {
    counts.edits += 1;
    const value = `m${turn % members}.`;
    if (turn % 2 === 0) await tried(author('campaignUpdate', { cid, name: 'subject', value: `${cid} ${turn}` }));
    else await author('listSegmentUpdate', { sid: segment, filter: [{ field: 'EMAIL', condition: 'starts', value }] });
    // No one else changes it, so this is the version of what it is now.
    const { version } = await author('campaignApprovalGet', { cid });
    const { subject } = await author('campaignGet', { cid });
    const address = turn % 2 === 0 ? ([...one.states.values()].at(-1)?.split(' to ')[1] ?? 'm0') : value.slice(0, -1);
    one.states.set(String(version), `${subject} to ${address}`);
  }
  // Before the first edit there is nothing to be asked about.
  if (one.states.size > 0) await tried(author('campaignApprovalAsk', { cid, note: String(turn) }));
}

async function approveOnce({ cid, approved }: Raced, approver: Ask, turn: number, counts: Counts): Promise<void> {
  const { version } = await approver('campaignApprovalGet', { cid });
  const fault = await tried(approver('campaignApprove', { cid, version, start: turn % 3 === 0 }));
  if (fault === undefined) {
    counts.approved += 1;
    approved.add(version);
  } else if (fault === 322) counts.outdated += 1;
}

async function sendOnce({ cid }: Raced, sender: Ask, counts: Counts): Promise<void> {
  for (const method of ['campaignSendNow', 'campaignResume'])
    if ((await tried(sender(method, { cid }))) === 323) counts.refused += 1;
}

/** The code of the fault; undefined without one. */
async function tried(call: Promise<unknown>): Promise<number | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return error.code;
  }
}

class Refused extends Error {
  readonly code: number;
  constructor(code: number, text: string) {
    super(text);
    this.code = code;
  }
}

function askWith(address: string, { token }: Caller): Ask {
  return async (method, params) => {
    const browser = new Browser(address);
    browser.cookie = token;
    const ask = () => browser.call<Record<string, unknown>>(method, params);
    let { status, body } = await ask();
    // Hundreds of calls wait for the connections of one small server: one that waited too long has changed nothing, and is made again.
    while (status === 503) ({ status, body } = await ask());
    assert.ok(status < 500, `${method}: ${JSON.stringify(body)}`);
    if (status !== 200) throw new Refused(Number(body.code), `${method}: ${String(body.error)}`);
    return body;
  };
}

test('of edits, approvals and sending at once, nothing leaves that was not approved', async () => {
  const counts = await race(4, 4);
  assert.ok(counts.approved > 0 && counts.edits > 0);
});

slowTest('the same with more than 200 edits and approvals of 40 campaigns', async (t) => {
  const counts = await race(40, 12);
  t.diagnostic(JSON.stringify(counts));
  assert.ok(
    counts.edits + counts.approved > 200 && counts.outdated > 0 && counts.refused > 0 && counts.withdrawn > 0,
    JSON.stringify(counts),
  );
});
