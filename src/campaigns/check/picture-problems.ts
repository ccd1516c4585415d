// Pictures that readers cannot see: without an address, with one that only the author's computer can open, or in a format that mail
// programs do not show. Pure. Reads img and the others of HTML and VML, srcset, backgrounds and styles.
import { specialUseOf } from '../../base/outbound/addresses.ts';
import { tidyAddress } from '../compile/tidy-addresses.ts';
import { addressKind, editHtml } from '../content/relink.ts';
import { findTags } from '../markup/merge-tags.ts';
import { readStartTags } from '../markup/scan-html.ts';

export type PictureProblem =
  | 'picture_empty'
  | 'picture_relative'
  | 'picture_scheme'
  | 'picture_private'
  | 'picture_broken'
  | 'picture_svg'
  | 'picture_not_chosen';

/**
 * The addresses by problem, each as it was written; a picture without one is quoted as its tag.
 * @param ownUrl where this installation is: pictures of it are as public as its pages
 * @param embeds whether pictures given as data are sent as parts of the message
 */
export function pictureProblems(html: string, ownUrl: string, embeds: boolean): Map<PictureProblem, string[]> {
  const problems = new Map<PictureProblem, string[]>();
  const note = (problem: PictureProblem | null, found: string) => {
    if (problem) problems.set(problem, [...(problems.get(problem) ?? []), found]);
  };
  // A page without pictures is not read again.
  for (const { name, attributes, start, end } of /<(?:img|svg)/i.test(html) ? readStartTags(html) : []) {
    if (name === 'svg') note('picture_svg', '<svg>');
    if (name !== 'img' || attributes.get('src')?.trim() || attributes.get('srcset')?.trim()) continue;
    const tag = html.slice(start, end);
    note('picture_empty', tag.length > 100 ? `${tag.slice(0, 99)}…` : tag);
  }
  if (!/src|background|poster|url\(/i.test(html)) return problems;
  editHtml(html, {
    address: (address, where) => {
      const isOther = where.attribute === '' && /\.(?:woff2?|ttf|otf|eot|css)(?:$|[?#])/i.test(address);
      if (isPictureOf(where) && !isOther) note(pictureProblem(address, ownUrl, embeds && isEmbedded(where)), address);
      return null;
    },
  });
  return problems;
}

/**
 * How the drawings begin that the visual editor (GrapesJS) shows instead of an image that has not been chosen, or could not be loaded;
 * a test compares it.
 */
const placeholder = `data:image/svg+xml;base64,${Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="100" viewBox="0 0 24 24" style="fill: rgba(0,0,0,0.15); transform: scale(0.75)">',
)
  .toString('base64')
  .replace(/.{4}$/, '')}`;

/** The images of a page that the visual editor has only a placeholder of. */
export const picturesNotChosen = (html: string): string[] =>
  html.includes(placeholder)
    ? readStartTags(html)
        .filter(({ name }) => name === 'img')
        .map(({ attributes }) => attributes.get('src') ?? '')
        .filter((address) => address.startsWith(placeholder))
    : [];

type Where = { element: string; attribute: string };

const isPictureOf = ({ element, attribute }: Where): boolean =>
  attribute === '' ||
  attribute === 'style' ||
  attribute === 'background' ||
  attribute === 'srcset' ||
  attribute === 'poster' ||
  (attribute === 'src' && pictureElements.has(element));

const pictureElements = new Set(['img', 'input', 'v:fill', 'v:imagedata', 'v:image', 'amp-img']);

const isEmbedded = ({ element, attribute }: Where): boolean =>
  (element === 'img' && attribute === 'src') || attribute === 'background';

/** The problem with the address of a picture as the author wrote it; null if there is none. */
export function pictureProblem(given: string, ownUrl: string, isEmbedded = false): PictureProblem | null {
  const address = tidyAddress(given);
  if (address === '') return 'picture_empty';
  // The value of a tag is not known here; at the start it is the whole address. Fonts and shapes of SVG have fragments.
  if (addressKind(address) === 'tag' || address.startsWith('#')) return null;
  if (/^[a-z]:[\\/]|^\\\\/i.test(address)) return 'picture_scheme';
  if (/^data:/i.test(address)) {
    if (/^data:(?!image\/)/i.test(address)) return null;
    if (address.startsWith(placeholder)) return 'picture_not_chosen';
    return /^data:image\/svg/i.test(address) ? 'picture_svg' : isEmbedded ? null : 'picture_scheme';
  }
  if (address.startsWith('//') || addressKind(address) === 'relative') return 'picture_relative';
  if (!/^https?:/i.test(address)) return 'picture_scheme';
  const plain = withoutTagsOf(address);
  if (!/^https?:\/\/[^/?#\s]/i.test(plain) || !URL.canParse(plain)) return 'picture_broken';
  const url = new URL(plain);
  if (url.hostname.includes('..')) return 'picture_broken';
  if (url.origin !== new URL(ownUrl).origin && isPrivateHost(url.hostname)) return 'picture_private';
  return /\.svgz?$/i.test(url.pathname) ? 'picture_svg' : null;
}

function withoutTagsOf(address: string): string {
  let plain = '';
  let from = 0;
  for (const { start, end } of findTags(address, 'address')) {
    plain += `${address.slice(from, start)}x.example`;
    from = end;
  }
  return plain + address.slice(from);
}

/** Whether readers cannot reach a host: an address that is not public, or a name that only a local network knows. */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
  if (specialUseOf(host) !== null) return true;
  if (/[:]/.test(host) || /^[\d.]+$/.test(host)) return false;
  return (
    !host.includes('.') ||
    /(?:^|\.)(?:localhost|local|internal|intranet|lan|home|corp|localdomain|home\.arpa)$/.test(host)
  );
}
