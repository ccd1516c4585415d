// The merge tags of an email as chips, where it is shown as it was written and no contact is chosen. Guarantees that only texts
// are changed: addresses and attributes stay as they are.
import { useMemo } from 'react';
import { useText } from '../../text/use-text.tsx';
import { parsedMail } from '../parsed-mail.ts';
import { useTagLabel } from './tagged.tsx';
import { hasTags, type Piece, piecesOf } from './tags.ts';

/** The page with its tags marked; an email without tags stays as it is. */
export function useTagsMarked(html: string): string {
  const t = useText('parts');
  const label = useTagLabel();
  return useMemo(() => {
    if (!hasTags(html)) return html;
    const page = parsedMail(html);
    markTags(page, (tag) => {
      if (tag.kind === 'value') return label(tag.key);
      return t(`tagCondition.${tag.kind}`, { field: label(tag.key) });
    });
    return `<!doctype html>${page.documentElement.outerHTML}`;
  }, [html, label, t]);
}

function markTags(page: Document, words: (tag: Exclude<Piece, string>) => string): void {
  const texts: Text[] = [];
  const walker = page.createTreeWalker(page.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if (!/^(?:style|script|textarea|title)$/i.test(node.parentNode!.nodeName) && hasTags(node.nodeValue ?? ''))
      texts.push(node as Text);
  for (const text of texts)
    text.replaceWith(
      ...piecesOf(text.data).map((piece) => {
        if (typeof piece === 'string') return piece;
        const chip = page.createElement('span');
        chip.textContent = words(piece);
        chip.setAttribute('style', chipStyle);
        return chip;
      }),
    );
}

const chipStyle = 'background:#dbe6ff;color:#1b3f8f;border-radius:4px;padding:0 .25em';
