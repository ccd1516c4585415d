// Reads a draft as the composer edits it, and the versions of its parts, on which what is saved is based.
import { call } from '../../../api/call.ts';
import type { ResultOf } from '../../../api/types.ts';
import { testOf } from '../ab-test/test-values.ts';
import { writtenOf } from '../content/written.ts';
import { type DraftName, type DraftValues, order } from '../draft-values.ts';
import { languagesOf } from '../languages/language-values.ts';

/** The versions by part; one that is not in it is 0. */
export type Versions = Record<string, number>;

export type ReadDraft = { values: DraftValues; versions: Versions };

/** The part of the campaign that a value belongs to, as campaignGet names it. */
export const partOf = (name: DraftName): string => (ofContent.has(name) ? 'content' : name);

const ofContent: ReadonlySet<DraftName> = new Set(['html', 'written', 'plain', 'generate_text']);

export async function readDraft(cid: string): Promise<ReadDraft> {
  // The versions first: a change in between makes them too old, and never the values.
  const settings = await call('campaignGet', { cid });
  const [content, test, languages] = await Promise.all([
    call('campaignContent', { cid }),
    call('campaignTestGet', { cid }),
    call('campaignLanguages', { cid }),
  ]);
  const values = valuesOf({
    ...settings,
    html: content.html,
    plain: settings.plain_generated ? '' : content.plain,
    written: writtenOf(content),
    test: testOf(test),
    languages: languagesOf(languages),
  });
  return { values, versions: versionsOf(settings.edits) };
}

const versionsOf = (edits: ResultOf<'campaignGet'>['edits']): Versions =>
  Object.fromEntries(edits.map(({ part, version }) => [part, version]));

/** Only what can be changed; campaignGet returns more. */
const valuesOf = (options: DraftValues): DraftValues =>
  Object.fromEntries(order.map((name) => [name, options[name]])) as DraftValues;
