// Takes requests of services: finds the source, verifies, reads, and stores the notices. Answers 200 only after they are
// committed. Requests that arrive within some milliseconds share one transaction, so that thousands of requests a second
// cost few commits while a campaign is being sent. Effects are left to a task (take.ts).
import type { IncomingHttpHeaders } from 'node:http';
import type { App } from '../../base/context.ts';
import { sql } from '../../db/connect.ts';
import { cut, jsonb } from '../../db/jsonb.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { Reading, ServiceNotice } from '../parse/notice.ts';
import { services } from './services/index.ts';
import { forgetSources, type Source, sourceOf } from './source.ts';

export type Received = { status: 200 | 400 | 401 | 404; why: string };

/** Requests that arrive within this time are written together. */
const gatherMs = 10;
/** Notices in one transaction. */
const maxGathered = 1_000;

type Entry = {
  source: Source;
  notices: ServiceNotice[];
  topic: string;
  /** Why it was refused; '' when it is genuine. */
  refused: string;
  problem: string;
  done: (error?: unknown) => void;
};

/** Takes requests for an installation; one for each web process. */
export class NoticeReceiver {
  readonly #app: App;
  #waiting: Entry[] = [];
  #writing: Promise<void> | undefined;

  constructor(app: App) {
    this.#app = app;
  }

  async isSource(service: string, token: string): Promise<boolean> {
    return (await sourceOf(this.#app, service, token)) !== undefined;
  }

  async receive(service: string, token: string, headers: IncomingHttpHeaders, body: Buffer): Promise<Received> {
    const source = await sourceOf(this.#app, service, token);
    if (!source) return { status: 404, why: 'unknown address' };
    const { signs, read } = services[source.service];
    const reading: Reading =
      signs && source.key === ''
        ? { ok: false, why: 'the signing key of this source is not entered yet' }
        : await read(this.#app, { headers, body, key: source.key, topic: source.topic });
    if (!reading.ok) {
      await this.#write({ source, notices: [], topic: '', refused: reading.why, problem: '' });
      return { status: reading.malformed ? 400 : 401, why: reading.why };
    }
    const { notices, topic = '', problem = '' } = reading;
    const isTied = topic === source.topic;
    await this.#write({ source, notices, topic: isTied ? '' : topic, refused: '', problem });
    if (!isTied) forgetSources(this.#app);
    return { status: 200, why: '' };
  }

  /** Resolves when the entry is committed. */
  #write(entry: Omit<Entry, 'done'>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...entry, done: (error) => (error === undefined ? resolve() : reject(error)) });
      this.#writing ??= this.#writeAll();
    });
  }

  async #writeAll(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, gatherMs));
    while (this.#waiting.length > 0) {
      const portion = portionOf(this.#waiting);
      this.#waiting = this.#waiting.slice(portion.length);
      const error = await store(this.#app, portion).then(
        () => undefined,
        (error: unknown) => error,
      );
      for (const entry of portion) entry.done(error);
    }
    this.#writing = undefined;
  }
}

/** The entries that are written next: at least one. */
function portionOf(entries: readonly Entry[]): Entry[] {
  let count = 0;
  const end = entries.findIndex((entry, index) => {
    count += entry.notices.length;
    return index > 0 && count > maxGathered;
  });
  return end === -1 ? [...entries] : entries.slice(0, end);
}

async function store(app: App, entries: readonly Entry[]): Promise<void> {
  const bySource = [...Map.groupBy(entries, ({ source }) => source.id).values()];
  // Always in the same order: two processes may write to the same sources.
  bySource.sort((left, right) => left[0]!.source.id - right[0]!.source.id);
  const rows = entries.flatMap(({ source, notices }) =>
    notices.map((notice) => ({ account: source.account, source: source.id, notice })),
  );
  await app.db.transaction(async (tx) => {
    if (rows.length > 0)
      await tx.run(sql`
        insert into incoming_notice (account_id, source_id, notice)
        select account, source, notice
        from jsonb_to_recordset(${jsonb(rows)}::jsonb) as n(account int, source int, notice jsonb)`);
    for (const group of bySource) {
      const { account, id } = group[0]!.source;
      const genuine = group.filter((entry) => entry.refused === '');
      const refused = group.filter((entry) => entry.refused !== '');
      const received = genuine.reduce((sum, entry) => sum + entry.notices.length, 0);
      const problem = refused.at(-1)?.refused ?? genuine.at(-1)?.problem ?? '';
      await tx.run(sql`
        update notice_source
        set received = received + ${received}::int,
          heard_at = case when ${genuine.length}::int > 0 then now() else heard_at end,
          refused = refused + ${refused.length}::int,
          refused_at = case when ${refused.length}::int > 0 then now() else refused_at end,
          problem = ${cut(problem, 300)},
          topic = coalesce(nullif(topic, ''), ${genuine.find((entry) => entry.topic !== '')?.topic ?? ''})
        where account_id = ${account}
          and id = ${id}`);
    }
    for (const account of new Set(rows.map((row) => row.account)))
      await enqueue(
        tx,
        'takeNotices',
        { account_id: account },
        { key: `notices ${account}`, queue: `notices ${account}` },
      );
  });
}
