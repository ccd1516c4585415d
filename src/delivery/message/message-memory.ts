// Reusable memory for messages. A worker makes thousands of messages of some 20 kB per second; left to the garbage
// collector they pile up to hundreds of megabytes between two collections. Guarantees that a piece is never handed out
// twice at the same time; the caller decides when to return it.

/** Longer messages are allocated separately. */
const pieceBytes = 65_536;
/** Maximum pieces kept: more than messages are ever in flight. */
const maxKept = 256;

export type MessageMemory = {
  /** At least `size` octets, holding anything. */
  take(size: number): Buffer;
  /** Takes a piece back that take() gave and nothing will read any more; may be left out. */
  give(piece: Buffer): void;
};

export function createMessageMemory(): MessageMemory {
  const free: Buffer[] = [];
  return {
    take: (size) =>
      size > pieceBytes ? Buffer.allocUnsafeSlow(size) : (free.pop() ?? Buffer.allocUnsafeSlow(pieceBytes)),
    give(piece) {
      if (piece.length === pieceBytes && free.length < maxKept) free.push(piece);
    },
  };
}
