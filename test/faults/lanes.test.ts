// One receiving domain is dead or torments its connections, the others are well (faults F28, F36): these lose no attempt
// and are not put off. Tells what they get in a second beside it and without it, in turns within one run, by the median.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../src/db/connect.ts';
import { countBy, Engine, people } from '../support/engine.ts';
import { checkInvariants, watchMoves } from '../support/invariants.ts';
import { type SinkProcess, startSinkProcess } from '../support/sink-process.ts';

const healthy = Number(process.env.FAULT_RECIPIENTS ?? 1_500);
const sick = healthy / 10;
const rounds = Number(process.env.FAULT_ROUNDS ?? 1);

let sink: SinkProcess;
let engine: Engine;
before(async () => {
  sink = await startSinkProcess({ dripMs: 400, says: ['421 4.7.0 Error: too many errors'] }, 'tls=none&connections=20');
  // The five minutes of RCPT are 6 s, the ten of the dot 12 s.
  engine = await Engine.start({ SMTP_URL: sink.url }, 1, 0.02);
  await watchMoves(engine.app.app.db);
});
after(async () => {
  await engine.stop();
  await sink.close();
});

type Run = { perSecond: number; p95Ms: number };

/** Sends to the healthy ones, with the sick ones among them, and tells how the healthy ones fared. */
async function run(name: string, way: string | undefined): Promise<Run> {
  const well = Array.from({ length: healthy }, (_, n) => `ok.${n}@${name}-${n % 5}.example`);
  const emails = way ? [...well, ...people(sick, `${name}-sick.example`, way)] : well;
  const begun = sink.entries().length;
  const id = await engine.send(emails);
  const all = await engine.settled(id, 120);
  const ok = all.filter((one) => one.email.startsWith('ok'));
  const off = ok.filter((one) => one.state !== 'accepted');
  assert.ok(
    off.length <= healthy / 50 && off.every((one) => one.state === 'later'),
    `${name}: ${JSON.stringify(countBy(ok, (one) => `${one.state} ${one.attempts} ${one.reason}`))}`,
  );
  const entries = sink.entries();
  await checkInvariants(engine.app.app.db, entries, { campaign: id, audience: emails });
  // Nobody of it comes back while the next run is measured.
  await engine.app.app.db.run(
    sql`update campaign set status = 'paused', paused_from = 'sending' where id = ${id} and status = 'sending'`,
  );
  const times = entries
    .slice(begun)
    .filter((entry) => entry.event === 'accepted' && entry.to!.startsWith('ok'))
    .map((entry) => entry.atMs)
    .sort((a, b) => a - b);
  // Up to three mails stand behind each that is not answered, and go again when its time is up: not the rate of a lane.
  const nth = Math.floor(healthy * 0.95);
  const p95Ms = times[nth]! - times[0]!;
  return { perSecond: (nth * 1_000) / p95Ms, p95Ms };
}

const median = (numbers: number[]): number => numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)]!;

test('F28 F36 healthy domains are not put off beside one that is dead, one that drips, one that says 421', async () => {
  const ways = { without: undefined, dead: 'stall-rcpt', dripping: 'drip-rcpt', busy: 'say0rcpt' };
  const runs: Record<string, Run[]> = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
  await run('warm', undefined);
  for (let round = 0; round < rounds; round++)
    for (const [name, way] of Object.entries(ways)) runs[name]!.push(await run(`${name}${round}`, way));
  const rate = (name: string) => median(runs[name]!.map((one) => one.perSecond));
  const figures = Object.keys(ways).map(
    (name) => `${name} ${Math.round(rate(name))}/s (${(rate(name) / rate('without')).toFixed(2)})`,
  );
  console.log(`healthy mails beside: ${figures.join(', ')}`);
});
