// Decodes a response body that is encoded although that was not requested: gzip, deflate and br, one layer.
// Never holds more than the cap and one buffer, whatever the body would expand to.
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

export type Inflated = { ok: true; body: Buffer } | { ok: false; why: 'too_large' | 'protocol'; detail: string };

/** A body of more than 1 MiB that unfolds beyond this ratio is a bomb, even below the cap. */
const maxRatio = 200;
const ratioFrom = 1024 * 1024;

export function inflate(body: Uint8Array, encoding: string, maxBytes: number): Promise<Inflated> {
  const open = decoders[encoding];
  if (!open) return Promise.resolve({ ok: false, why: 'protocol', detail: `content-encoding ${encoding}` });
  return new Promise((resolve) => {
    const decoder = open();
    const chunks: Buffer[] = [];
    let length = 0;
    const fail = (why: 'too_large' | 'protocol', detail: string) => {
      resolve({ ok: false, why, detail });
      decoder.destroy();
    };
    decoder.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > maxBytes) return fail('too_large', `more than ${maxBytes} bytes when decoded`);
      if (length > ratioFrom && length > body.length * maxRatio) return fail('too_large', 'decoded beyond the ratio');
      chunks.push(chunk);
    });
    decoder.on('end', () => resolve({ ok: true, body: Buffer.concat(chunks, length) }));
    decoder.on('error', (error) => fail('protocol', `content-encoding: ${error.message}`));
    decoder.end(body);
  });
}

const decoders: Record<string, () => ReturnType<typeof createGunzip | typeof createBrotliDecompress>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};
