// Makes the addresses in an imported page absolute: after redirects and <base>, as a browser would read them. Everything
// else stays as the author wrote it. Uses neither database nor network.
import { type Message, message, packMessage } from '../../base/messages.ts';
import { declaredAsUtf8 } from './charset.ts';
import { addressKind, editHtml, firstBase } from './relink.ts';

export type ImportWarning = {
  code: 'undecodable' | 'linked_style' | 'bad_address' /** Packed: it is stored with the campaign. */;
  message: string;
};

/** Makes every relative URL absolute. */
export function absolute(html: string, pageUrl: string, warnings: ImportWarning[] = []): string {
  const base = baseOf(html, pageUrl);
  const movedBase = base !== withoutFragment(pageUrl);
  const warned = new Set<string>();
  const warn = (code: ImportWarning['code'], warning: Message) => {
    const packed = packMessage(warning);
    if (warned.size < 20 && !warned.has(packed)) warnings.push({ code, message: packed });
    warned.add(packed);
  };
  return editHtml(html, {
    tag(name, attribute) {
      if (name === 'link' && /(?:^|\s)stylesheet(?:\s|$)/i.test(attribute('rel') ?? '')) {
        warn('linked_style', message('import_url.linked_style', { url: (attribute('href') ?? '').slice(0, 200) }));
      }
      return null;
    },
    address(address, { element }) {
      // The addresses are absolute from here on; what is left relative belongs to the page itself.
      if (element === 'base') return '';
      const kind = addressKind(address);
      if (kind === 'tag' || (kind === 'fragment' && !movedBase)) return null;
      if (kind === 'absolute' && !/^[\\/]{2}/.test(address)) return null;
      if (URL.canParse(address, base)) return new URL(address, base).href;
      warn('bad_address', message('import_url.bad_address', { url: address.slice(0, 200) }));
      return null;
    },
    value: declaredAsUtf8,
  });
}

/** The first <base href>, read against the page's own address (HTML Standard, "document base URL"). */
function baseOf(html: string, pageUrl: string): string {
  const found = firstBase(html);
  if (found === undefined || !URL.canParse(found, pageUrl)) return withoutFragment(pageUrl);
  const base = new URL(found, pageUrl);
  return base.protocol === 'http:' || base.protocol === 'https:'
    ? withoutFragment(base.href)
    : withoutFragment(pageUrl);
}

function withoutFragment(url: string): string {
  return url.split('#')[0]!;
}
