// The addresses that a campaign's links lead to, as far as they are the same for every recipient. Pure.
import { createHash } from 'node:crypto';
import { plainLinks } from '../../compile/link-table.ts';
import { tidyAddress } from '../../compile/tidy-addresses.ts';
import { findTags } from '../../markup/merge-tags.ts';
import { readStartTags } from '../../markup/scan-html.ts';
import { linkProblem } from '../check-mail.ts';

/** So many different links of a campaign are followed. */
export const maxLinks = 100;
const maxLength = 2000;

export type FollowedAddress = {
  /** Without its fragment, which is not sent. */
  address: string;
  hash: Buffer;
  /** As it is in the content. */
  written: string;
};

/**
 * The links of pages and texts, each once. Those with merge tags are left out: with an example they would lead elsewhere. So are those
 * whose form is a finding already, and our own.
 */
export function followedAddresses(
  contents: readonly { html: string; plain: string }[],
  ownUrl: string,
): FollowedAddress[] {
  const found = new Map<string, FollowedAddress>();
  const own = new URL(ownUrl).origin;
  for (const { html, plain } of contents) {
    const written = readStartTags(html)
      .filter(({ name }) => name === 'a' || name === 'area')
      .map(({ attributes }) => attributes.get('href') ?? '');
    for (const { start, end } of plainLinks(plain)) written.push(plain.slice(start, end));
    for (const link of written) {
      const tidy = tidyAddress(link);
      if (found.size >= maxLinks || tidy.length > maxLength || !/^https?:/i.test(tidy)) continue;
      if (findTags(tidy, 'address').length > 0 || linkProblem(tidy, ownUrl) !== null) continue;
      const url = new URL(tidy);
      if (url.origin === own) continue;
      url.hash = '';
      const address = url.href;
      if (!found.has(address))
        found.set(address, { address, hash: createHash('sha256').update(address).digest(), written: link });
    }
  }
  return [...found.values()];
}
