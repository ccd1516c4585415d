// THE list of codes of findings, with what the reference says about those whose name does not. Where each can be fixed on the
// screen is in ui/src/screens/composer/findings.ts, what the review counts as checked in review/verified.ts there.

import type { ImportWarning } from '../content/absolute.ts';
import type { ArchiveWarning } from '../content/archive/page.ts';
import type { PictureProblem } from './picture-problems.ts';

/** In the order in which contacts are left out; the last ones are states of a subscription. */
export const leftOutReasons = [
  'segment',
  'untracked',
  'duplicate',
  'excluded_list',
  'excluded_segment',
  'suppressed',
  'paused',
  'unsubscribed',
  'pending',
  'inactive',
  'bounced',
] as const;
export type LeftOutReason = (typeof leftOutReasons)[number];

type Imported = `import_${(ArchiveWarning | ImportWarning)['code']}`;
const imported: Record<Imported, string> = {
  import_missing: '',
  import_page_link: '',
  import_mismatched: '',
  import_unused: '',
  import_undecodable: '',
  import_style_import: '',
  import_svg: '',
  import_local_address: '',
  import_linked_style: '',
  import_bad_address: '',
};
const pictures: Record<PictureProblem, string> = {
  picture_empty: '',
  picture_relative: '',
  picture_scheme: '',
  picture_private: '',
  picture_broken: '',
  picture_svg: '',
  picture_not_chosen: 'the placeholder of the visual editor',
};
const leftOut = Object.fromEntries(leftOutReasons.map((reason) => [`left_out_${reason}`, ''])) as Record<
  `left_out_${LeftOutReason}`,
  string
>;

const codes = {
  not_ready: '',
  content_empty: '',
  sample_email: '',
  sample_left: '',
  link_broken: '',
  link_empty: '',
  link_relative: '',
  link_scheme: '',
  link_private: '',
  link_gone: 'no such page',
  link_failing: 'no answer',
  ...pictures,
  tag_unknown: '',
  tag_broken: 'no complete merge tag',
  tag_foreign: 'a merge tag of another program',
  tag_of_feed: '',
  tag_of_event: 'an event, in a campaign that no event leads to',
  tag_without_value: '',
  tag_default_format: '',
  condition_bad: 'a condition without end, or of an unknown field',
  loop_bad: 'a loop without end, in another, or across a condition; an item outside of a loop',
  unsubscribe_missing: '',
  address_missing: '',
  address_not_shown: '',
  alt_missing: '',
  picture_not_embedded: '',
  html_clipped: '',
  attachment_blocked: 'of a type that providers refuse',
  attachments_large: '',
  from_bad: '',
  from_not_authenticated: '',
  authenticate_off: '',
  links_not_https: '',
  bounces_not_seen: '',
  segment_gone: '',
  ...imported,
  no_recipients: '',
  audience: '',
  test_too_small: '',
  ...leftOut,
};
export type FindingCode = keyof typeof codes;
export const findingCodes = Object.keys(codes) as FindingCode[];

/** For the reference. */
export const codesInWords = Object.entries(codes)
  .map(([code, about]) => (about === '' ? code : `${code} (${about})`))
  .join(', ');
