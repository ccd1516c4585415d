// A compiled message for one recipient, without conditions, loops and members of values: what a single message is made of, since
// its values are gone once it is composed. Each item of a loop has links of its own, with the addresses they lead to.
import type { Compiled, Link, Piece } from '../markup/compiled.ts';
import { chosenFor, type Fill, itemsFor, resolveTarget, slotValue, untrackedTarget } from './fill.ts';

/** The message as this recipient gets it; its links have their addresses, or '' where one leads nowhere. */
export function unrolled(compiled: Compiled, fill: Fill): Compiled {
  const links: Link[] = [];
  const numbers = new Map<string, number>();
  const numberOf = (target: string, part: 'html' | 'text') => {
    const no = numbers.get(target) ?? links.push({ target, html: 0, text: 0 }) - 1;
    numbers.set(target, no);
    links[no]![part]++;
    return no;
  };
  const flat = (pieces: readonly Piece[], at: Fill): Piece[] =>
    pieces.flatMap((piece): Piece[] => {
      if (typeof piece === 'string') return [piece];
      if (piece.slot === 'choice') return flat(chosenFor(piece, at), at);
      if (piece.slot === 'each')
        return itemsFor(piece, at).flatMap((value, no) => flat(piece.pieces, { ...at, item: { value, no } }));
      if (piece.slot === 'data') return [slotValue(compiled, piece, at)];
      if (piece.slot !== 'link') return [piece];
      const { target } = compiled.links[piece.link]!;
      const { slot, place } = piece;
      const url = resolveTarget(target, compiled, at);
      if (url === null && piece.whole) return [untrackedTarget(target, place, compiled, at)];
      // What looks like a tag in a value is none.
      const safe = (url ?? '').replaceAll('*|', '%2A%7C');
      return [{ slot, place, link: numberOf(safe, place === 'plain' ? 'text' : 'html') }];
    });
  const part = (pieces: readonly Piece[] | null) => pieces && flat(pieces, fill);
  return {
    ...compiled,
    html: part(compiled.html),
    plain: part(compiled.plain),
    subject: flat(compiled.subject, fill),
    fromName: flat(compiled.fromName, fill),
    links,
  };
}
