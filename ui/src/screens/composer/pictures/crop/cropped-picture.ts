// Cuts an image that is stored here, in the browser: the part becomes an image of its own, and the original stays as it is. Cutting the
// part again begins with the original.
import { maxEmailWidth } from '../scaled-picture.ts';
import type { Box } from './crop-box.ts';

/** What a cropped image was cut from, by its address, since the page was loaded. */
const originals = new Map<string, { address: string; box: Box }>();

export const originalOf = (address: string) => originals.get(address);

export function rememberOriginal(cropped: string, address: string, box: Box): void {
  originals.set(cropped, { address, box });
}

/** An image of ours that a canvas can cut. One of another server may not be read, and a GIF may be animated. */
export const canBeCropped = (address: string): boolean => /\/asset\/\w+\/[^/?#]+\.(png|jpe?g|webp)$/i.test(address);

/** The file of a stored image, from this server, whatever its public address is. */
export async function storedFile(address: string): Promise<Blob> {
  const answer = await fetch(new URL(address, location.href).pathname);
  if (!answer.ok) throw new Error(`${answer.status}`);
  return answer.blob();
}

/** This part of the image, at most as wide as an email needs it. */
export async function croppedPicture(file: Blob, { x, y, width, height }: Box): Promise<Blob> {
  const part = await createImageBitmap(file, x, y, width, height);
  const scale = Math.min(1, maxEmailWidth / width);
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  const context = canvas.getContext('2d')!;
  context.imageSmoothingQuality = 'high';
  context.drawImage(part, 0, 0, canvas.width, canvas.height);
  part.close();
  const cut = await new Promise<Blob | null>((done) => canvas.toBlob(done, file.type, 0.9));
  if (!cut) throw new Error('The image is too large');
  return cut;
}
