// Reads a draft as the composer edits it, and the versions of its parts, on which what is saved is based.
import { call } from '../../../api/call.ts';
import type { ResultOf } from '../../../api/types.ts';
import { testOf } from '../ab-test/test-values.ts';
import { writtenOf } from '../content/written.ts';
import type { DraftName, DraftValues } from '../draft.tsx';
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
function valuesOf(options: DraftValues): DraftValues {
  return {
    list_id: options.list_id,
    segment_id: options.segment_id,
    exclude_list_id: options.exclude_list_id,
    exclude_segment_id: options.exclude_segment_id,
    title: options.title,
    subject: options.subject,
    from_name: options.from_name,
    from_email: options.from_email,
    sender: options.sender,
    to_email: options.to_email,
    tracking: options.tracking,
    analytics: options.analytics,
    generate_text: options.generate_text,
    auto_footer: options.auto_footer,
    authenticate: options.authenticate,
    inline_img: options.inline_img,
    inline_css: options.inline_css,
    preview_text: options.preview_text,
    time_match: options.time_match,
    best_hour: options.best_hour,
    any_time: options.any_time,
    ln: options.ln,
    type_opts: options.type_opts,
    html: options.html,
    plain: options.plain,
    written: options.written,
    languages: options.languages,
    test: options.test,
  };
}
