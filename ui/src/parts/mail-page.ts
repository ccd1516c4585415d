// A message as a page that is shown in a frame: what the frame cannot load, and what no mailbox runs, is taken out of it before, since
// a browser writes each of these to its console as an error. The sandbox and the policy of the frame are what protects. Pure.
import { withoutBase } from './parsed-mail.ts';

/** @param isShown whether a picture of this address is asked for */
export function shownMail(html: string, isShown: (address: string) => boolean): string {
  return withoutBase(html)
    .replace(/<script\b[^>]*>[\s\S]*?(?:<\/script[^>]*>|$)/gi, '')
    .replace(/<style\b[^>]*>[\s\S]*?(?:<\/style|$)|<[a-z][^>]*>/gi, (part) =>
      /^<style\b/i.test(part) ? shownStyle(part, isShown) : shownTag(part, isShown),
    );
}

/** Elements whose addresses no frame loads: the policy of the application refuses them. */
const neverLoaded = /^<(?:audio|embed|frame|iframe|link|object|track|video)\b/i;

/** Keeps the attributes of the tag under another name. */
function shownTag(tag: string, isShown: (address: string) => boolean): string {
  const isLoaded = !neverLoaded.test(tag);
  const isLink = /^<link\b/i.test(tag);
  return shownUrls(
    tag.replace(
      /(\s)(src|srcset|background|poster|data|href|http-equiv|on[a-z]+)(\s*=\s*)("[^"]*"|'[^']*'|[^\s>"']+)/gi,
      (whole, space: string, name: string, equals: string, quoted: string) =>
        isKept(name.toLowerCase(), quoted.replace(/^["']|["']$/g, ''))
          ? whole
          : `${space}data-blocked-${name}${equals}${quoted}`,
    ),
    isShown,
  );

  function isKept(name: string, value: string): boolean {
    if (name.startsWith('on')) return false;
    if (name === 'http-equiv') return !/^\s*refresh\s*$/i.test(value);
    if (name === 'href') return !isLink;
    if (name === 'data') return isLoaded;
    if (name === 'poster') return isShown(value.trim());
    if (!isLoaded) return false;
    if (name === 'srcset') return addressesOf(value).every(isShown);
    return isShown(value.trim());
  }
}

/** The addresses of a srcset. Those of data have a comma without a space after it. */
const addressesOf = (srcset: string): string[] =>
  srcset
    .split(/,\s+/)
    .map((candidate) => candidate.trim().split(/\s/, 1)[0]!)
    .filter((address) => address !== '');

/** The policy refuses sheets and fonts of others. */
function shownStyle(style: string, isShown: (address: string) => boolean): string {
  const own = style
    .replace(/@import\b[^;<]*;?/gi, '')
    .replace(/@font-face\s*\{[^}]*\}/gi, (rule) => (/url\(["'\s]*(?!["'\s]|data:)/i.test(rule) ? '' : rule));
  return shownUrls(own, isShown);
}

const shownUrls = (css: string, isShown: (address: string) => boolean): string =>
  css.replace(/url\(\s*("|'|&quot;|&#39;|)([^)"']*?)\1\s*\)/gi, (whole, _quote: string, address: string) =>
    /^\s*(?:#|data:font)/i.test(address) || isShown(address.trim()) ? whole : 'none',
  );

/**
 * Whether readers could load a picture from an address; only then does a preview. The check of a campaign names the others.
 * @param home the URL of the installation, which shows its own pictures wherever it is
 */
export function isForReaders(address: string, home: string): boolean {
  if (/^data:image\//i.test(address)) return true;
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return false;
  const { hostname, pathname, origin } = new URL(address);
  return origin === new URL(home).origin || /\/asset\//.test(pathname) || !isLocalName(hostname);
}

/** A machine or a network of the author: `localhost`, 192.168.1.2, [::1], nas.local. The server knows all of them. */
function isLocalName(host: string): boolean {
  if (host.startsWith('[')) return /^\[(?:::1?\]|f[cd]|fe[89ab])/.test(host);
  if (/^[\d.]+$/.test(host)) return /^(?:0|10|127|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01]))\./.test(host);
  return (
    !host.includes('.') || /\.(?:localhost|local|internal|intranet|lan|home|corp|localdomain|home\.arpa)\.?$/.test(host)
  );
}
