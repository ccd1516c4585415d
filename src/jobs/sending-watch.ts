// Decides whether a worker process may work: it waits while sending is held, and ends when sending is put on hold or
// when a newer program has changed the schema. Also records the heartbeat, and warns when the clocks differ.
import type { App } from '../base/context.ts';
import { isUnavailable, sql } from '../db/connect.ts';
import { needKnownSchema, SchemaMismatch } from '../db/migrate/migrate.ts';
import { beatSeconds, recordHeartbeat } from './sending-guard.ts';

export type SendingWatch = {
  /** Resolves when the work may begin. */
  allowed: Promise<'allowed'>;
  /** Resolves when the work must end: sending is on hold, or a newer program takes over. */
  ended: Promise<'ended'>;
  /** @returns the exit code of the process: 0, 75 (sending is held) or 78 (the schema is newer) */
  stop(): Promise<number>;
};

/** Time between checks while sending is held: how soon a confirmation is noticed. */
const heldCheckMs = 1_000;
const checkMs = (beatSeconds * 1_000) / 4;
/** Clocks further apart than this are worth a warning. */
const maxClockSkewSeconds = 60;

export function watchSending(app: App): SendingWatch {
  const watch = new Watch(app);
  const running = watch.run();
  return {
    allowed: watch.allowed.promise,
    ended: watch.ended.promise,
    async stop() {
      watch.stop();
      await running;
      return watch.exitCode;
    },
  };
}

/** WAITING (not allowed yet) → WORKING (allowed) → ENDED. A hold found while working ends the watch. */
class Watch {
  readonly allowed = Promise.withResolvers<'allowed'>();
  readonly ended = Promise.withResolvers<'ended'>();
  exitCode = 0;
  readonly #app: App;
  #working = false;
  #stopped = false;
  /** The hold reported last; '' when there is none. */
  #reported = '';
  #skewReported = false;
  #wake = () => {};

  constructor(app: App) {
    this.#app = app;
  }

  async run(): Promise<void> {
    while (!this.#stopped) {
      try {
        await this.#check();
      } catch (error) {
        if (error instanceof SchemaMismatch) {
          this.#app.log.error(error.message);
          this.#end(78);
        } else if (!isUnavailable(error)) this.#app.log.error({ err: error }, 'sending check failed');
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        setTimeout(resolve, this.#working ? checkMs : heldCheckMs);
      });
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#wake();
  }

  #end(exitCode: number): void {
    this.exitCode = exitCode;
    this.#stopped = true;
    this.ended.resolve('ended');
  }

  async #check(): Promise<void> {
    const { db, log, config } = this.#app;
    await needKnownSchema(db);
    await this.#compareClocks();
    const reason = await recordHeartbeat(db, config.dataDir);
    if (reason === '') {
      if (!this.#working && this.#reported !== '') log.warn('sending was confirmed');
      this.#working = true;
      this.#reported = '';
      this.allowed.resolve('allowed');
      return;
    }
    if (reason !== this.#reported)
      log.error({ reason }, 'sending is held: nothing is sent until "postrider confirm-sending" is run');
    this.#reported = reason;
    if (this.#working) this.#end(75);
  }

  /** What is due is decided by the database's clock alone, but dates in messages come from this machine's. */
  async #compareClocks(): Promise<void> {
    const { db, log } = this.#app;
    const row = await db.row<{ now: Date }>(sql`select clock_timestamp() as now`);
    const aheadSeconds = Math.round((Date.now() - row!.now.getTime()) / 1_000);
    const skewed = Math.abs(aheadSeconds) > maxClockSkewSeconds;
    if (skewed && !this.#skewReported)
      log.warn(
        `the clock of this machine is ${Math.abs(aheadSeconds)} s ${aheadSeconds > 0 ? 'ahead of' : 'behind'} that of the database`,
      );
    this.#skewReported = skewed;
  }
}
