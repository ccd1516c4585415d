// Changes URLs in HTML and CSS: attributes, srcset, style sheets in the page and next to it. Guarantees that everything
// else stays byte for byte, that a new value cannot break out of its place, and linear time. import-url.ts and
// archive/page.ts decide the new URLs.

import { findTags } from '../markup/merge-tags.ts';
import { scanHtml, type Zone } from '../markup/scan-html.ts';
import { editCss } from './css-urls.ts';

type Attribute = Extract<Zone, { zone: 'attribute' }>;

/** Each function returns the new text, or null to leave the text as it is. */
export type Edits = {
  /** The address, without white space around it. `element` is '' in a style sheet. */
  address?: (address: string, where: { element: string; attribute: string }) => string | null;
  /** The inside of a <style>; without it, its addresses go to `address`. */
  style?: (css: string) => string;
  /** A whole start tag. */
  tag?: (name: string, attribute: (name: string) => string | undefined) => string | null;
  /** A value that is neither an address nor a style; the new one is given unescaped. */
  value?: (attribute: Attribute, sibling: (name: string) => string | undefined) => string | null;
};

export function editHtml(html: string, edits: Edits): string {
  const { zones } = scanHtml(html);
  const splices: Splice[] = [];
  for (let i = 0; i < zones.length; i++) {
    const zone = zones[i]!;
    if (zone.zone === 'attribute') continue;
    if (zone.inside === 'style') {
      const css = html.slice(zone.start, zone.end);
      const changed = newStyle(css, edits);
      if (changed !== css) splices.push({ start: zone.start, end: zone.end, text: changed });
    }
    if (zone.tag === undefined) continue;
    const attributes: Attribute[] = [];
    for (let next = zones[i + 1]; next?.zone === 'attribute' && next.end <= zone.end; next = zones[++i + 1]) {
      attributes.push(next);
    }
    const attributeValue = (name: string) => attributes.find((attribute) => attribute.name === name)?.value;
    const whole = edits.tag?.(zone.tag, attributeValue) ?? null;
    if (whole !== null) {
      splices.push({ start: zone.start, end: zone.end, text: whole });
      continue;
    }
    for (const attribute of attributes) {
      const value = newValue(attribute, attributeValue, edits);
      if (value === null || value === attribute.value) continue;
      const { start, end } = attribute;
      splices.push({ start, end, text: escapeValue(value, attribute.quoted ? html[start - 1]! : '') });
    }
  }
  return splice(html, splices);
}

/** What an address is relative to: nothing, the page itself, a value not yet known, or the place where it stands. */
export function addressKind(address: string): 'absolute' | 'fragment' | 'tag' | 'relative' {
  if (/^(?:[a-z][a-z0-9+.-]*:|[\\/]{2})/i.test(address)) return 'absolute';
  // Also as editors and browsers save it: *%7CUNSUB%7C*.
  if (/^(?:\*\||\*\[|#\[)/.test(address) || findTags(address.slice(0, 1000), 'address')[0]?.start === 0) return 'tag';
  return address.startsWith('#') ? 'fragment' : 'relative';
}

/** The first <base href> of a page; later ones have no effect (HTML Standard 4.2.3). */
export function firstBase(html: string): string | undefined {
  if (!/<base\b/i.test(html)) return undefined;
  let found: string | undefined;
  editHtml(html, {
    tag(name, attribute) {
      if (name === 'base') found ??= attribute('href')?.trim();
      return null;
    },
  });
  return found;
}

type Splice = { start: number; end: number; text: string };

function splice(source: string, splices: readonly Splice[]): string {
  let result = '';
  let at = 0;
  for (const { start, end, text } of splices) {
    result += source.slice(at, start) + text;
    at = end;
  }
  return result + source.slice(at);
}

const addressAttributes = new Set(
  'href src background cite action formaction longdesc lowsrc dynsrc poster xlink:href o:href'.split(' '),
);

function newStyle(css: string, { style, address }: Edits): string {
  if (style) return style(css);
  return address ? editCss(css, (found) => address(found, { element: '', attribute: '' })) : css;
}

function newValue(attribute: Attribute, sibling: (name: string) => string | undefined, edits: Edits): string | null {
  const { name, element, value } = attribute;
  const { address } = edits;
  if (address && (addressAttributes.has(name) || (name === 'data' && element === 'object'))) {
    const trimmed = value.trim();
    return trimmed === '' ? null : address(trimmed, { element, attribute: name });
  }
  if (address && (name === 'srcset' || name === 'imagesrcset')) {
    return editSrcset(value, (candidate) => address(candidate, { element, attribute: name }));
  }
  if (address && name === 'style') return editCss(value, (found) => address(found, { element, attribute: name }));
  return edits.value?.(attribute, sibling) ?? null;
}

/** The HTML Standard's way of splitting srcset: an address runs to white space, and commas at its end divide. */
function editSrcset(value: string, change: (address: string) => string | null): string {
  let result = '';
  let at = 0;
  while (at < value.length) {
    const lead = /[\s,]*/y;
    lead.lastIndex = at;
    result += lead.exec(value)![0];
    at = lead.lastIndex;
    const run = /\S*/y;
    run.lastIndex = at;
    const found = run.exec(value)![0];
    let length = found.length;
    while (found[length - 1] === ',') length--;
    const address = found.slice(0, length);
    at += address.length;
    if (address !== '') result += change(address)?.replace(/\s|^,|,$/g, percentEncoded) ?? address;
    if (found !== address) continue;
    // Descriptors run to the next comma outside brackets.
    const descriptors = /(?:[^,(]+|\([^)]*\)?)*/y;
    descriptors.lastIndex = at;
    result += descriptors.exec(value)![0];
    at = descriptors.lastIndex;
  }
  return result;
}

function percentEncoded(sign: string): string {
  return encodeURIComponent(sign);
}

function escapeValue(value: string, quote: string): string {
  const unsafe = quote === '"' ? /[&"]/g : quote === "'" ? /[&']/g : /[&"'<>=`\s]/g;
  return value.replace(unsafe, (sign) => (sign === '&' ? '&amp;' : `&#${sign.charCodeAt(0)};`));
}
