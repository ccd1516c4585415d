// Where a finding of the check can be fixed: the section, and for the content the tab.
import type { ResultOf } from '../../api/types.ts';
import type { SectionName } from './section.tsx';

export type Finding = ResultOf<'campaignCheck'>[number];
export type Place = { section: SectionName; tab?: 'source' | 'plain'; field?: string };

/**
 * The findings as the web application treats them: what is still the sample that it began with is not sent, although the API sends
 * a starter template as it is.
 */
export const asTreated = (findings: readonly Finding[]): Finding[] =>
  findings.map((finding) => (finding.code === 'sample_email' ? { ...finding, level: 'error' } : finding));

/** Findings about the audience are shown by <Audience>, not in the list. */
export const isAudience = (code: string) => code === 'audience' || code.startsWith('left_out_');

/** @param plainOnly the campaign has no HTML @param hasLanguages its variants are language versions */
export function placeOf({ code, found, variant }: Finding, plainOnly: boolean, hasLanguages: boolean): Place {
  if (variant > 0 || code === 'test_too_small') return { section: hasLanguages ? 'languages' : 'test' };
  const body: Place = { section: 'content', tab: plainOnly ? 'plain' : 'source' };
  switch (code) {
    case 'no_recipients':
      return { section: 'to' };
    case 'from_not_authenticated':
    case 'authenticate_off':
    case 'links_not_https':
    case 'bounces_not_seen':
    case 'address_missing':
      return { section: 'options' };
    case 'attachment_blocked':
    case 'attachments_large':
      return { section: 'attachments' };
    case 'not_ready':
      return placeOfOption[found[0] ?? ''] ?? { section: 'options' };
    default:
      return found.length === 0 && code === 'tag_unknown' ? { section: 'content', field: 'subject' } : body;
  }
}

/** Where the option that a `not_ready` finding names is set. */
const placeOfOption: Record<string, Place> = {
  list_id: { section: 'to' },
  html: { section: 'content', tab: 'source' },
  plain: { section: 'content', tab: 'plain' },
  type_opts: { section: 'auto' },
  sender: { section: 'from', field: 'sender' },
};
