// The watch of a worker process over what it may do: waits with the work while sending is held, and ends the process
// when sending comes to be held or when a newer program has changed the schema under it.
import type { App } from '../base/context.ts';
import { isUnavailable, sql } from '../db/connect.ts';
import { needKnownSchema, SchemaMismatch } from '../db/migrate.ts';
import { beat, beatSeconds } from './sending-guard.ts';

export type SendingWatch = {
  /** Resolves when the work may begin. */
  free: Promise<'free'>;
  /** Resolves when the work must end: another program is to go on, or nobody for now. */
  over: Promise<'over'>;
  /** @returns the exit code of the process: 0, 75 (sending is held) or 78 (the schema is newer) */
  stop(): Promise<number>;
};

/** While held: how soon a confirmation is noticed. */
const heldLookMs = 1_000;
/** Clocks further apart than this are worth a warning. */
const maxClockSkewSeconds = 60;
const lookMs = (beatSeconds * 1_000) / 4;

export function keepWatch({ db, log, config }: App): SendingWatch {
  const free = Promise.withResolvers<'free'>();
  const over = Promise.withResolvers<'over'>();
  let ended = false;
  let begun = false;
  let code = 0;
  let said = '';
  let clockSaid = false;
  let wake = () => {};
  const end = (why: number) => {
    code = why;
    ended = true;
    over.resolve('over');
  };
  const look = async () => {
    await needKnownSchema(db);
    await compareClocks();
    const held = await beat(db, config.dataDir);
    if (held === '') {
      if (!begun && said !== '') log.warn('sending was confirmed');
      begun = true;
      said = '';
      free.resolve('free');
      return;
    }
    if (held !== said)
      log.error({ reason: held }, 'sending is held: nothing leaves until "postrider confirm-sending" is run');
    said = held;
    if (begun) end(75);
  };
  /** What is due goes by the database's clock alone; but the dates in mails are this machine's. */
  const compareClocks = async () => {
    const row = await db.row<{ now: Date }>(sql`select clock_timestamp() as now`);
    const aheadSeconds = Math.round((Date.now() - row!.now.getTime()) / 1_000);
    const apart = Math.abs(aheadSeconds) > maxClockSkewSeconds;
    if (apart && !clockSaid)
      log.warn(
        `the clock of this machine is ${Math.abs(aheadSeconds)} s ${aheadSeconds > 0 ? 'ahead of' : 'behind'} that of the database`,
      );
    clockSaid = apart;
  };
  const watch = async () => {
    while (!ended) {
      try {
        await look();
      } catch (error) {
        if (error instanceof SchemaMismatch) {
          log.error(error.message);
          end(78);
        } else if (!isUnavailable(error)) log.error({ err: error }, 'the watch over sending stumbled');
      }
      await new Promise<void>((resolve) => {
        wake = resolve;
        setTimeout(resolve, begun ? lookMs : heldLookMs);
      });
    }
  };
  const watching = watch();
  return {
    free: free.promise,
    over: over.promise,
    async stop() {
      ended = true;
      wake();
      await watching;
      return code;
    },
  };
}
