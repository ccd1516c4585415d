// Opens and clicks that were about to be stored when the account was fenced: the old installation keeps them, and they are stored in the
// new one, each once.

import type { Move } from '../accounts/account/moves.ts';
import { type Database, sql } from '../db/connect.ts';
import { type Hit, writeHits } from '../tracking/ingest.ts';
import type { Accounts, Installations } from './installations.ts';

const portion = 1_000;

export async function bringHits({ source, target }: Installations, accounts: Accounts, move: Move): Promise<void> {
  const ids = sql`any (${[...accounts.all]}::int[])`;
  for (;;) {
    const upto = await target.row<{ upto: number }>(
      sql`select max(hits_upto) as upto from account_move where move_id = ${move.id}::uuid`,
    );
    const hits = await source.rows<{ id: number; hit: Hit & { at: string } }>(sql`
      select id, hit
      from moved_hit
      where account = ${ids}
        and id > ${upto?.upto ?? 0}
      order by id
      limit ${portion}`);
    if (hits.length === 0) break;
    await target.transaction(async (tx) => {
      await writeHits(
        tx,
        hits.map(({ hit }) => ({ ...hit, at: new Date(hit.at) })),
      );
      await tx.run(sql`update account_move set hits_upto = ${hits.at(-1)!.id} where move_id = ${move.id}::uuid`);
    });
  }
  await source.run(sql`delete from moved_hit where account = ${ids}`);
}

/** After a move that was cancelled. */
export async function storeHitsHere(source: Database, { all }: Accounts): Promise<void> {
  await source.transaction(async (tx) => {
    const hits = await tx.rows<{ hit: Hit & { at: string } }>(sql`
      delete from moved_hit
      where account = any (${[...all]}::int[])
      returning hit`);
    if (hits.length > 0)
      await writeHits(
        tx,
        hits.map(({ hit }) => ({ ...hit, at: new Date(hit.at) })),
      );
  });
}
