// The message of a recipient who does not want to be tracked: no pixel, and links with their own addresses instead of click
// addresses. Pure; the renderer fills the slots as in any message.

import { targetPieces } from '../../campaigns/compile/fill.ts';
import type { Compiled, Piece } from '../../campaigns/markup/compiled.ts';
import { mapPieces } from '../../campaigns/markup/conditions.ts';
import { escapeFor } from '../../campaigns/markup/escape.ts';

/** The same message without a place that tracks. */
export function untracked(compiled: Compiled): Compiled {
  const without = (pieces: readonly Piece[] | null) =>
    pieces &&
    mapPieces(pieces, (piece) => {
      if (typeof piece === 'string') return piece;
      if (piece.slot === 'pixel') return null;
      if (piece.slot !== 'link') return piece;
      const { place } = piece;
      // Values of a link are percent-encoded, which is safe in HTML and in text.
      return targetPieces(compiled.links[piece.link]!.target).map((part) =>
        typeof part === 'string' ? escapeFor(place, part) : part,
      );
    });
  return { ...compiled, html: without(compiled.html), plain: without(compiled.plain) };
}
