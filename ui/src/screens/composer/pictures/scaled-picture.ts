// Scales a large image down before it is uploaded: photos of cameras are many times wider than an email, and slow to load
// for each recipient. Done in the browser, so a photo above the upload limit can be used too and takes less time to upload.

/** Twice the width of an email, for screens with two pixels per point. */
export const maxEmailWidth = 1_200;

const quality = 0.85;

export type ScaledPicture = {
  /** Smaller than the file as chosen, and of the same type. */
  file: File;
  /** In pixels, as chosen and as scaled. */
  from: { width: number; height: number };
  to: { width: number; height: number };
};

/**
 * The image at `maxEmailWidth`; undefined when it is to be uploaded as it is: not wider, animated, not readable by the
 * browser, or not smaller in bytes.
 */
export async function scaledPicture(file: File): Promise<ScaledPicture | undefined> {
  if (!['image/jpeg', 'image/png', 'image/webp'].includes(file.type) || (await isAnimated(file))) return undefined;
  let original: ImageBitmap;
  try {
    // Turned as its EXIF orientation says; the canvas converts its colours to sRGB.
    original = await createImageBitmap(file);
  } catch {
    return undefined;
  }
  const from = { width: original.width, height: original.height };
  if (from.width <= maxEmailWidth) return undefined;
  const to = { width: maxEmailWidth, height: Math.max(1, Math.round((from.height * maxEmailWidth) / from.width)) };
  const bitmap = await createImageBitmap(original, {
    resizeWidth: to.width,
    resizeHeight: to.height,
    resizeQuality: 'high',
  });
  original.close();
  const canvas = document.createElement('canvas');
  Object.assign(canvas, to);
  canvas.getContext('2d')!.drawImage(bitmap, 0, 0, to.width, to.height);
  bitmap.close();
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, file.type, quality));
  // Browsers that cannot write a type write PNG.
  if (blob?.type !== file.type || blob.size >= file.size) return undefined;
  return { file: new File([blob], file.name, { type: file.type }), from, to };
}

/** A canvas would keep only the first image. The chunks that mark an animation come first (PNG 3 11.3.6, RFC 9649 2.7). */
async function isAnimated(file: File): Promise<boolean> {
  const mark = { 'image/png': 'acTL', 'image/webp': 'ANIM' }[file.type];
  if (mark === undefined) return false;
  const head = new Uint8Array(await file.slice(0, 65_536).arrayBuffer());
  const text = new TextDecoder('latin1').decode(head);
  const pixels = text.indexOf('IDAT');
  const at = text.indexOf(mark);
  return at >= 0 && (pixels < 0 || at < pixels);
}
