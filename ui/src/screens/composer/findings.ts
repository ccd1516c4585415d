// Where a finding of the check can be fixed: the section, and for the content the tab.
import type { SectionName } from './section.tsx';

export type Finding = { level: string; code: string; message: string; found: string[] };
export type Place = { section: SectionName; tab?: 'source' | 'plain'; field?: string };

/** Findings about the audience are shown by <Audience>, not in the list. */
export const isAudience = (code: string) => code === 'audience' || code.startsWith('left_out_');

/** @param plainOnly the campaign has no HTML */
export function placeOf({ code, message, found }: Finding, plainOnly: boolean): Place {
  const body: Place = { section: 'content', tab: plainOnly ? 'plain' : 'source' };
  switch (code) {
    case 'no_recipients':
      return { section: 'to' };
    case 'from_not_authenticated':
    case 'authenticate_off':
    case 'address_missing':
      return { section: 'options' };
    case 'not_ready':
      if (/\blist\b|list_id/.test(message)) return { section: 'to' };
      if (/plain text|HTML/.test(message))
        return { section: 'content', tab: /plain text/.test(message) ? 'plain' : 'source' };
      if (/type_opts/.test(message)) return { section: 'auto' };
      if (/sender/.test(message)) return { section: 'from', field: 'sender' };
      return { section: 'options' };
    default:
      return found.length === 0 && code === 'tag_unknown' ? { section: 'from', field: 'subject' } : body;
  }
}
