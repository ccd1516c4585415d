// Looks the name of a relay up for the connections to it. Promises that connections opened together ask once, and that a
// relay which takes few mails a connection costs no question each: an answer is used for a second, which is no longer than
// any time to live that matters. A failure is remembered by nobody but the courier, who lets the relay rest.
import dns, { type LookupAddress, type LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';

const rememberedMs = 1_000;
/** Relays are few; more names than this are not kept. */
const maxNames = 100;

type Answer = [error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number];
type Told = Parameters<LookupFunction>[2];
type Question = { waiting: Told[] } | { answer: Answer; until: number };

const questions = new Map<string, Question>();

export const lookupOnce: LookupFunction = (host, options, told) => {
  const key = `${host} ${keyOf(options)}`;
  const known = questions.get(key);
  if (known && 'waiting' in known) {
    known.waiting.push(told);
    return;
  }
  if (known && performance.now() < known.until) {
    process.nextTick(told, ...known.answer);
    return;
  }
  const asked = { waiting: [told] };
  if (questions.size >= maxNames) questions.clear();
  questions.set(key, asked);
  dns.lookup(host, options, (...answer: Answer) => {
    if (answer[0]) questions.delete(key);
    else questions.set(key, { answer, until: performance.now() + rememberedMs });
    for (const one of asked.waiting) one(...answer);
  });
};

const keyOf = ({ family, hints, all, order }: LookupOptions) => `${family} ${hints} ${all} ${order}`;
