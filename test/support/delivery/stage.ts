// The setup for the rows of the fault matrix about SMTP: a scripted sink, workers, and the invariants after each test.
// Waits between retries are skipped by changing the rows.
import assert from 'node:assert/strict';
import { sql } from '../../../src/db/connect.ts';
import { type Checked, type Claims, checkInvariants, watchMoves } from '../database/invariants.ts';
import { type Sink, type SinkOptions, startSink } from '../smtp-sink/sink.ts';
import { Engine, type Recipient } from './engine.ts';

export type StageOptions = {
  sink?: SinkOptions;
  /** What follows `smtp://127.0.0.1:PORT?` */
  relay?: string;
  settings?: Record<string, string>;
  workers?: number;
  /** Shrinks the waiting limits of the conversations and the rests of relays. */
  timeScale?: number;
  /** The address at which the workers reach the database, from its true one. */
  through?: (databaseUrl: string) => Promise<string>;
};

export class Stage {
  readonly sink: Sink;
  readonly engine: Engine;
  readonly #audiences = new Map<number, readonly string[]>();

  private constructor(sink: Sink, engine: Engine) {
    this.sink = sink;
    this.engine = engine;
  }

  static async start(options: StageOptions = {}): Promise<Stage> {
    const sink = await startSink(options.sink);
    const SMTP_URL = `smtp://127.0.0.1:${sink.port}?${options.relay ?? 'tls=none&connections=4'}`;
    const { settings, workers = 1, timeScale = 1, through } = options;
    const engine = await Engine.start({ SMTP_URL, ...settings }, workers, timeScale, through);
    await watchMoves(engine.app.app.db);
    return new Stage(sink, engine);
  }

  get db() {
    return this.engine.app.app.db;
  }

  async send(emails: readonly string[]): Promise<number> {
    const id = await this.engine.send(emails);
    this.#audiences.set(id, emails);
    return id;
  }

  /** What the sink said of the recipients whose address begins so, in order. */
  seen(beginning: string) {
    return this.sink.log.filter((entry) => entry.event !== 'step' && entry.to?.startsWith(beginning));
  }

  /** Waits until no recipient is queued or trying, checks all invariants, and returns the recipients. */
  async settled(id: number, seconds = 60): Promise<{ all: Recipient[]; checked: Checked }> {
    const all = await this.engine.settled(id, seconds);
    return { all, checked: await this.check(id) };
  }

  check(id: number, more: Partial<Claims> = {}): Promise<Checked> {
    const audience = this.#audiences.get(id);
    return checkInvariants(this.db, this.sink.log, { campaign: id, ...(audience ? { audience } : {}), ...more });
  }

  /** As if every recipient's next attempt were due: the time left to wait is taken off the past as well. */
  async passTime(id: number): Promise<void> {
    await this.db.run(sql`
      update delivery
      set first_at = first_at - (next_at - now()), next_at = now()
      where campaign_id = ${id}
        and next_at > now()`);
    await this.engine.hurry(id);
  }

  /** The addresses that are suppressed. */
  async suppressed(): Promise<string[]> {
    const rows = await this.db.rows<{ value: string }>(sql`select value from suppression order by value`);
    return rows.map((row) => row.value);
  }

  async stop(): Promise<void> {
    await this.engine.stop();
    await this.sink.close();
  }
}

/** One recipient by the beginning of the address. */
export function whose(all: readonly Recipient[], beginning: string): Recipient {
  const found = all.find((recipient) => recipient.email.startsWith(beginning));
  assert.ok(found, `no recipient begins with ${beginning}`);
  return found;
}
