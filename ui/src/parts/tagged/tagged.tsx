// A text with its merge tags as chips in words, as the editor marks them; `useTagless` is the same for places that take only
// text, such as the title of the browser tab.
import { useCallback } from 'react';
import { useText } from '../../text/use-text.tsx';
import classes from './tagged.module.css';
import { piecesOfName, type ValueTag } from './tags.ts';

export function Tagged({ children }: { children: string }) {
  const label = useTagLabel();
  const t = useText('parts');
  let place = 0;
  return piecesOfName(children).map((piece) => {
    place += 1;
    if (typeof piece === 'string') return piece;
    const title = piece.instead === '' ? undefined : t('tagInstead', { instead: piece.instead });
    return (
      <span key={place} className={classes.tag} title={title}>
        {label(piece.key)}
      </span>
    );
  });
}

/** The words for a tag: those of the known ones; for other fields, the tag as a word. */
export function useTagLabel(): (key: string) => string {
  const t = useText('parts');
  return useCallback(
    (key) => {
      const known = t.of('tag', key);
      if (known !== key) return known;
      const [, of, member = ''] = /^(EVENT|ITEM|EACH):(.*)$/.exec(key) ?? [];
      if (of === 'EVENT' || of === 'ITEM' || of === 'EACH') return t(`tagMember.${of}`, { name: asWords(member) });
      return asWords(key);
    },
    [t],
  );
}

/** Each tag as what empty values become, or else as its words. */
export function useTagless(): (text: string) => string {
  const label = useTagLabel();
  return useCallback(
    (text) => {
      const word = (tag: ValueTag) => tag.instead || label(tag.key);
      return piecesOfName(text)
        .map((piece) => (typeof piece === 'string' ? piece : word(piece)))
        .join('');
    },
    [label],
  );
}

/** The name of a campaign: its title, or the subject where it has none. */
export function useNameOf(): (campaign: { title: string; subject: string }) => string {
  const tagless = useTagless();
  return useCallback(({ title, subject }) => tagless(title || subject), [tagless]);
}

function asWords(key: string): string {
  const words = key.toLowerCase().replace(/[_:]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
