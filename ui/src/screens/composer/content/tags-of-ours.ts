// Replaces the merge tags of other programs in a draft with those of ours. Pure.
import { type ForeignTag, replaceForeignTags } from '../../../../../src/base/foreign-tags.ts';
import type { DraftValues } from '../draft.tsx';

/** @returns what changes. The HTML of Markdown or MJML is made from its source. */
export function withTagsOfOurs(values: DraftValues, tags: readonly ForeignTag[]): Partial<DraftValues> {
  const changes: Partial<DraftValues> = {};
  const names = [
    'subject',
    'preview_text',
    'plain',
    ...(values.written.format === 'html' ? (['html'] as const) : []),
  ] as const;
  for (const name of names) {
    const text = replaceForeignTags(values[name], tags);
    if (text !== values[name]) changes[name] = text;
  }
  const source = replaceForeignTags(values.written.source, tags);
  if (source !== values.written.source) changes.written = { ...values.written, source };
  return changes;
}
