// The drawings in the starter templates (art/, rasterised by `npm run starter:art`). An account gets them as pictures of its own, so that
// they are at a permanent URL as long as a template or a message has them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Tx } from '../../db/connect.ts';
import { assetUrl, lockAssets, storeAsset } from '../content/pictures/asset.ts';
import { type Picture, readPicture } from '../content/pictures/picture.ts';

let read: Map<string, Picture> | undefined;

/** The drawings by name. */
export function starterArt(): ReadonlyMap<string, Picture> {
  read ??= new Map(
    readdirSync(join(import.meta.dirname, 'art'))
      .filter((file) => file.endsWith('.png'))
      .map((file) => [file.slice(0, -'.png'.length), readArt(file)]),
  );
  return read;
}

function readArt(file: string): Picture {
  const picture = readPicture(readFileSync(join(import.meta.dirname, 'art', file)));
  if ('reason' in picture) throw new Error(`${file} is not a picture`);
  return picture;
}

export const artUrl = (baseUrl: string, accountId: number) => (picture: Picture) =>
  assetUrl(baseUrl, accountId, picture.name);

/** Stores those that these pages show. */
export async function storeArt(tx: Tx, accountId: number, sources: readonly string[]): Promise<void> {
  await lockAssets(tx, accountId);
  for (const picture of starterArt().values())
    if (sources.some((source) => source.includes(picture.name)))
      await storeAsset(tx, accountId, { ...picture, sandbox: false });
}
