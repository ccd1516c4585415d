// A worker on another machine that has taken the chunk of a campaign and marked recipients, and sends nothing.
import { type Sql, sql } from '../../../src/db/connect.ts';
import type { Chunk, Marked } from '../../../src/delivery/ledger/chunk.ts';
import { markGroup } from '../../../src/delivery/ledger/mark-group.ts';
import type { Result } from '../../../src/delivery/outcomes/outcome.ts';
import { writeOutcomes } from '../../../src/delivery/outcomes/write-outcomes.ts';
import { people } from './engine.ts';
import type { Stage } from './stage.ts';

export type Held = { chunk: Chunk; worker: number };

/** The chunk of the campaign that satisfies the condition, leased again by the worker. */
export async function leaseOf(stage: Stage, campaign: number, worker: number, which: Sql): Promise<Chunk> {
  return (await stage.db.row<Chunk>(sql`
    update chunk
    set state = 'leased', worker_id = ${worker}, lease = lease + 1, leased_until = now() + interval '15 seconds'
    where campaign_id = ${campaign}
      and ${which}
    returning account_id as account, campaign_id as campaign, (select month::text from campaign where id = campaign_id) as month,
      no, kind, from_seq as "fromSeq", to_seq as "toSeq", seqs, lease, crashes`))!;
}

export const mark = (stage: Stage, { chunk, worker }: Held, count: number) =>
  stage.db.transaction((tx) => markGroup(tx, chunk, worker, count, 3_600));

/** Writes what came of recipients, in this order. */
export const report = (
  stage: Stage,
  { chunk, worker }: Held,
  marked: readonly Marked[],
  verdicts: readonly Result[],
): Promise<unknown> =>
  stage.db.transaction((tx) =>
    writeOutcomes(
      tx,
      chunk,
      worker,
      verdicts.map((verdict, n) => ({ marked: marked[n]!, verdict })),
    ),
  );

/** A campaign with `count` recipients in flight, of `size`. */
export async function inFlightElsewhere(stage: Stage, count: number, size = count) {
  const id = await stage.send(people(size));
  const row = (await stage.db.row<{ id: number }>(sql`
    insert into worker (host, boot_id, pid, journal)
    values ('elsewhere', 'another', 1, '/nowhere')
    returning id`))!;
  const worker = row.id;
  const lease = () => leaseOf(stage, id, worker, sql`kind = 'first'`);
  const chunk = await lease();
  const held = { chunk, worker };
  const { marked } = (await mark(stage, held, count))!;
  return {
    id,
    ...held,
    marked,
    lease,
    report: (verdicts: readonly Result[], of: readonly Marked[] = marked) => report(stage, held, of, verdicts),
  };
}

/** By position: state, attempts, copies. */
export const statesOf = async (stage: Stage, id: number) =>
  (await stage.engine.recipients(id)).map(({ state, attempts, resent }) => [state, attempts, resent]);
