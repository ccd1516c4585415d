// What the check looked at and found in order, and the findings that one click fixes. Pure.
import { foreignTags } from '../../../../../src/base/foreign-tags.ts';
import { withTagsOfOurs } from '../content/tags-of-ours.ts';
import type { DraftValues } from '../draft.tsx';
import type { Finding } from '../findings.ts';

/** By the codes of findings, or what several of them begin with. */
const verifiedBy = {
  recipients: ['no_recipients'],
  links: ['link_'],
  tags: ['tag_', 'condition_bad', 'loop_bad'],
  unsubscribe: ['unsubscribe_missing'],
  address: ['address_missing', 'address_not_shown'],
  images: ['alt_missing', 'picture_'],
  size: ['html_clipped'],
  sender: ['from_bad', 'from_not_authenticated', 'authenticate_off'],
} satisfies Record<string, (Finding['code'] | 'link_' | 'tag_' | 'picture_')[]>;

export type Verified = keyof typeof verifiedBy;

/** @param html undefined if the campaign has none: nothing is said about its images, nor about its size */
export function verified(findings: readonly { code: string }[], html: string | undefined): Verified[] {
  // Content that is not there yet has not been looked at.
  if (findings.some(({ code }) => unwritten.has(code))) return [];
  return (Object.keys(verifiedBy) as Verified[]).filter(
    (name) =>
      !(name === 'images' && !/<img\b/i.test(html ?? '')) &&
      !(name === 'size' && html === undefined) &&
      !verifiedBy[name].some((begin) => findings.some(({ code }) => code.startsWith(begin))),
  );
}

const unwritten = new Set(['not_ready', 'content_empty', 'sample_email']);

/** The changes to the draft that fix a finding, if they need no decision. @param friend the default of a tag */
export function fixOf(finding: Finding, values: DraftValues, friend: string): Partial<DraftValues> | undefined {
  const changes = changesFor(finding, values, friend);
  return changes && Object.keys(changes).length > 0 ? changes : undefined;
}

function changesFor({ code, found }: Finding, values: DraftValues, friend: string): Partial<DraftValues> | undefined {
  switch (code) {
    case 'authenticate_off':
      return { authenticate: true };
    case 'unsubscribe_missing':
    case 'address_not_shown':
      return values.auto_footer ? undefined : { auto_footer: true };
    case 'tag_without_value':
      return replaced(values, found, (tag) => {
        const name = /^\*\|(FNAME|FIRSTNAME|FIRST_NAME)\|\*$/i.exec(tag)?.[1];
        return name && `*|${name}:${friend}|*`;
      });
    case 'tag_foreign':
      return withTagsOfOurs(
        values,
        found.flatMap((text) => foreignTags(text).filter(({ replacement }) => replacement !== undefined)),
      );
    case 'link_relative':
      return replaced(values, found, (link) =>
        /^(?!.*\.(?:html?|php|aspx?)(?:$|[?#]))[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z]{2,}([/?#].*)?$/i.test(link)
          ? `https://${link}`
          : undefined,
      );
  }
  return undefined;
}

/** Replaces each of these texts in the subject and the bodies; undefined if one of them has no replacement. */
function replaced(
  values: DraftValues,
  found: readonly string[],
  by: (text: string) => string | undefined,
): Partial<DraftValues> | undefined {
  const changes: Partial<DraftValues> = {};
  for (const text of found) {
    const next = by(text);
    if (next === undefined) return undefined;
    for (const name of ['subject', 'to_email', 'html', 'plain'] as const) {
      const value = changes[name] ?? values[name];
      // Links are replaced only as a whole attribute, tags wherever they are.
      const [old, now] = text.startsWith('*|') || name !== 'html' ? [text, next] : [`"${text}"`, `"${next}"`];
      if (value.includes(old)) changes[name] = value.replaceAll(old, now);
    }
  }
  return changes;
}
