// What the composer edits, in the order in which it is saved.
import type { ResultOf } from '../../api/types.ts';
import type { TestDraft } from './ab-test/test-values.ts';
import type { Written } from './content/written.ts';
import type { LanguageDraft } from './languages/language-values.ts';

type Options = ResultOf<'campaignGet'>;

/** What is edited besides the options of campaignUpdate. */
type Texts = { html: string; plain: string; written: Written; languages: LanguageDraft[]; test: TestDraft };

/** THE list of what can be changed. Segments, and settings that name a field, are saved after the list. */
export const order = [
  'list_id',
  'segment_id',
  'exclude_list_id',
  'exclude_segment_id',
  'title',
  'subject',
  'preview_text',
  'from_name',
  'from_email',
  'sender',
  'to_email',
  'type_opts',
  'generate_text',
  'html',
  'written',
  'plain',
  'tracking',
  'analytics',
  'auto_footer',
  'authenticate',
  'inline_img',
  'inline_css',
  'time_match',
  'best_hour',
  'any_time',
  'ln',
  'languages',
  // Its variants are compared with the campaign.
  'test',
] as const satisfies readonly (keyof Options | keyof Texts)[];

export type DraftName = (typeof order)[number];
export type DraftValues = Pick<Options & Texts, DraftName>;
