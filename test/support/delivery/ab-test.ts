// A/B tests of campaigns in tests: a campaign with variants, who got which by the messages themselves, and hits of people and machines.
import { sql } from '../../../src/db/connect.ts';
import { parseId } from '../../../src/db/ids.ts';
import { launch } from '../../../src/delivery/launch/launch.ts';
import { type Hit, writeHits } from '../../../src/tracking/ingest.ts';
import { aCampaign, listOf } from '../builders/campaigns.ts';
import type { TestApp } from '../installation/app.ts';
import type { Entry } from '../smtp-sink/sink.ts';

type App = Pick<TestApp, 'app' | 'account' | 'call'>;

/** The HTML of every variant has two links, of which the first is the same. */
const letter = (name: string) =>
  `<p>Letter ${name} <a href="https://example.com/all">all</a> <a href="https://example.com/${name}">own</a></p><p><a href="*|UNSUB|*">Leave</a></p>`;

/** A draft with a test whose variants differ in subject and content: subject "Letter A", "Letter B", … Returns its id. */
export async function draftWithTest(
  app: App,
  emails: readonly string[],
  { variants = 2, ...settings }: { variants?: number; share?: number; winner?: string; wait_minutes?: number } = {},
): Promise<string> {
  const cid = await aCampaign(app, { to: await listOf(app, emails), html: letter('A'), subject: 'Letter A' });
  const others = ['B', 'C', 'D', 'E'].slice(0, variants - 1);
  await app.call('campaignTestUpdate', {
    cid,
    ...settings,
    variants: others.map((name) => ({ subject: `Letter ${name}`, html: letter(name) })),
  });
  return cid;
}

export async function launched(app: App, cid: string): Promise<number> {
  await app.call('campaignSendNow', { cid });
  await launch(app.app, { account: app.account.id, campaign: parseId(cid) });
  return parseId(cid);
}

/** The variant that the messages of each recipient show, in subject, HTML and text: "A" or, if they differ, "A B". */
export function lettersOf(entries: readonly Entry[]): Map<string, string> {
  const letters = new Map<string, Set<string>>();
  for (const { to, raw } of entries) {
    const found = letters.get(to!) ?? new Set<string>();
    for (const [, name] of raw!.matchAll(/Letter ([A-E])/g)) found.add(name!);
    letters.set(to!, found);
  }
  return new Map([...letters].map(([email, names]) => [email, [...names].sort().join(' ')]));
}

const person = 'Mozilla/5.0 (X11; Linux x86_64) Chrome/120.0';

/** Opens or clicks of these recipients. @param machine why they are a machine's; a person's without it */
export async function hitsOf(
  app: App,
  campaign: number,
  kind: 'open' | 'click',
  seqs: readonly number[],
  machine: string | null = null,
): Promise<void> {
  const hits = seqs.map(
    (seq, n): Hit => ({
      ...{ account: app.account.id, campaign, seq, kind, url: 'https://example.com/all', ip: '', machine },
      link: kind === 'click' ? 0 : null,
      userAgent: person,
      at: new Date(Date.UTC(2027, 0, 1) + n * 2_000),
    }),
  );
  await app.app.db.transaction((tx) => writeHits(tx, hits));
}

/** Lets no worker take a chunk, until it is called with false. */
export async function holdSending(app: App, hold: boolean): Promise<void> {
  await app.app.db.run(sql`
    insert into heartbeat (instance, place, held)
    values ('test', 'test', ${hold ? 'test' : ''})
    on conflict (single) do update set held = excluded.held`);
}

/** The test of a campaign is due now. */
export async function testIsDue(app: App, campaign: number): Promise<void> {
  await app.app.db.run(sql`update campaign_test set due_at = now() where campaign_id = ${campaign}`);
}
