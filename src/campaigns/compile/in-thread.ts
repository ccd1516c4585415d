// Parses, converts and compiles foreign content in threads with a time limit, so that no document holds up this process: one that takes
// too long or too much memory fails with a fault, and nothing else is affected. Accounts are served in turns, and no transaction waits. Small documents are compiled immediately, in this thread.
import { availableParallelism } from 'node:os';
import { Fault, fault } from '../../base/faults.ts';
import { message } from '../../base/messages.ts';
import { moduleUrl } from '../../base/threads/module-url.ts';
import { outside } from '../../base/threads/outside.ts';
import { OverLimit, ThreadPool } from '../../base/threads/thread-pool.ts';
import type { ImportWarning } from '../content/absolute.ts';
import type { InlinePicture } from '../content/pictures/inline-images.ts';
import type { CampaignContent, Compiled } from '../markup/compiled.ts';
import type { SourceFormat } from '../model/source-format.ts';
import type { Converted } from '../source/convert.ts';
import type { Look } from '../source/look.ts';
import type { Order } from './thread.ts';

/** Below this length no document takes 50 ms, and a thread would cost more than the work. */
const smallLength = 32 * 1024;
/** The slowest known document of the largest size (2 MiB, 300,000 attributes in a tag) takes 2 s. */
const maxMs = 10_000;

const newPool = (maxMs: number) =>
  new ThreadPool(moduleUrl('./thread', import.meta.url), {
    threads: Math.max(1, availableParallelism() - 1),
    maxMs,
    maxMemoryMb: 256,
    maxWaiting: 400,
    // Each is up to 2 MiB.
    maxWaitingOfOne: 20,
  });
let pool = newPool(maxMs);

/** For tests: documents get this time from now on. @returns puts the usual limit back */
export function limitThreads(ms: number): () => void {
  pool = newPool(ms);
  return () => {
    pool = newPool(maxMs);
  };
}

/** @throws Fault CONTENT_INVALID, UNAVAILABLE, as all functions here */
export async function compileInThread(
  content: CampaignContent,
  pictures: readonly InlinePicture[] = [],
): Promise<Compiled> {
  const named = pictures.map(({ cid, addresses }) => ({ cid, addresses }));
  const length = (content.html?.length ?? 0) + (content.plain?.length ?? 0);
  return (await run({ work: 'compile', content, pictures: named }, length)) as Compiled;
}

export async function plainPartInThread(html: string): Promise<string> {
  return (await run({ work: 'plain part', html }, html.length)) as string;
}

export async function absoluteInThread(
  html: string,
  pageUrl: string,
): Promise<{ html: string; warnings: ImportWarning[] }> {
  return (await run({ work: 'absolute', html, pageUrl }, html.length)) as { html: string; warnings: ImportWarning[] };
}

/** @returns the HTML of a source, or what is wrong with it */
export async function convertInThread(format: SourceFormat, source: string, look: Look): Promise<Converted> {
  // A short source can make long HTML, and the memory of the MJML renderer never shrinks.
  const length = format === 'mjml' ? Number.POSITIVE_INFINITY : source.length * 8;
  return (await run({ work: 'convert', format, source, look }, length)) as Converted;
}

async function run(order: Order, length: number): Promise<unknown> {
  // Loaded at the first document: processes that see none need no parsers.
  if (length < smallLength) return (await import('./thread.ts')).perform(order);
  return outside(order, () => inPool(order));
}

async function inPool(order: Order): Promise<unknown> {
  try {
    return await pool.run(order);
  } catch (error) {
    if (!(error instanceof OverLimit)) throw error;
    if (error.limit === 'queue') throw new Fault('UNAVAILABLE', message('content.busy'), 5);
    throw fault('CONTENT_INVALID', 'content.too_complex', { seconds: maxMs / 1000 });
  }
}
