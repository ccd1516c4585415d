// Writes a PNG with a palette of at most 255 colours and their transparency (PNG 1.2: 4.1.2, 4.2.1.1, 9.2). Rarer colours, which
// are those of smoothed edges, become the nearest frequent one. Pure.
import { crc32, deflateSync } from 'node:zlib';

type Of = { width: number; height: number /** Noted in the file. */; source: string };

/** @param pixels red, green, blue and alpha, a byte each */
export function palettePng(pixels: Buffer, { width, height, source }: Of): Buffer {
  const counts = new Map<number, number>();
  for (let at = 0; at < pixels.length; at += 4) {
    const colour = colourAt(pixels, at);
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const colours = [...counts].sort(([, a], [, b]) => b - a).map(([colour]) => colour);
  const palette = colours.slice(0, 255);
  const index = new Map(colours.map((colour, at) => [colour, at < 255 ? at : nearest(colour, palette)]));
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1)
      rows[y * (width + 1) + 1 + x] = index.get(colourAt(pixels, (y * width + x) * 4))!;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('tEXt', Buffer.from(`Source\0${source}`, 'latin1')),
    chunk('PLTE', Buffer.from(palette.flatMap((colour) => channels(colour).slice(0, 3)))),
    chunk('tRNS', Buffer.from(palette.map((colour) => channels(colour)[3]!))),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** What is fully transparent has one colour. */
const colourAt = (pixels: Buffer, at: number) => (pixels[at + 3] === 0 ? 0 : pixels.readUInt32BE(at));

const channels = (colour: number) => [24, 16, 8, 0].map((shift) => (colour >>> shift) & 255);

/** Nearest as it is seen: what is transparent counts less. */
function nearest(colour: number, palette: readonly number[]): number {
  const seen = premultiplied(colour);
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  for (const [at, other] of palette.entries()) {
    const distance = premultiplied(other).reduce((sum, value, channel) => sum + (value - seen[channel]!) ** 2, 0);
    if (distance < least) [best, least] = [at, distance];
  }
  return best;
}

function premultiplied(colour: number): number[] {
  const [red, green, blue, alpha] = channels(colour) as [number, number, number, number];
  return [red, green, blue].map((value) => (value * alpha) / 255).concat(alpha);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
