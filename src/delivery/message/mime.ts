// The MIME structure of a message: its parts, their headers, boundaries and inline images. Guarantees boundaries that
// cannot occur in any part: they contain "=_", which neither quoted-printable nor Base64 can. Returns the body as a
// list of pieces that still contain the slots of the compiled message.
import type { Piece } from '../../campaigns/markup/compiled.ts';

/** An image that the HTML shows by `cid:`. */
export type InlineImage = { cid: string; contentType: string; bytes: Uint8Array };

/** `raw` goes out as it is (ASCII, CRLF); `pieces` are still to be encoded as quoted-printable. */
type BodyPart = { raw: string } | { pieces: readonly Piece[] };

export type Frame = {
  /** Content-Type and, for a single part, Content-Transfer-Encoding: whole lines with CRLF. */
  headers: string;
  body: BodyPart[];
};

type Part = { headers: string; body: BodyPart[] };

/** A file sent with a message. */
export type Attachment = { name: string; contentType: string; bytes: Uint8Array };

/** The frame of a message with both parts, or with the one that there is. `seed` makes the boundaries. */
export function frame(
  plain: readonly Piece[] | null,
  html: readonly Piece[] | null,
  images: readonly InlineImage[],
  seed: string,
  attachments: readonly Attachment[] = [],
): Frame {
  const text = plain && leaf('text/plain', plain);
  const page = html && withImages(leaf('text/html', html), images, seed);
  const only =
    text && page ? multipart('alternative', `=_a_${seed}`, [text, page]) : (text ?? page ?? leaf('text/plain', []));
  if (attachments.length > 0) return multipart('mixed', `=_m_${seed}`, [only, ...attachments.map(attached)]);
  if (text && page) return only;
  // The text of a message need not end with a line break, but its last line must. RFC 5321 4.1.1.4
  return { ...only, body: [...only.body, { raw: '\r\n' }] };
}

function leaf(type: string, pieces: readonly Piece[]): Part {
  return {
    headers: `Content-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n`,
    body: [{ pieces }],
  };
}

function withImages(page: Part, images: readonly InlineImage[], seed: string): Part {
  if (images.length === 0) return page;
  const parts = images.map(({ cid, contentType, bytes }): Part => {
    const type = /^image\/[a-z0-9.+-]{1,60}$/i.test(contentType) ? contentType : 'application/octet-stream';
    const id = cid.replace(/[^A-Za-z0-9@._-]/g, '');
    return {
      headers:
        `Content-Type: ${type}\r\nContent-Transfer-Encoding: base64\r\n` +
        `Content-ID: <${id}>\r\nContent-Disposition: inline\r\n`,
      body: [{ raw: base64Lines(bytes) }],
    };
  });
  return multipart('related', `=_r_${seed}`, [page, ...parts], '; type="text/html"');
}

function attached({ name, contentType, bytes }: Attachment): Part {
  const type = /^[a-z0-9!#$&^_.+-]{1,60}\/[a-z0-9!#$&^_.+-]{1,80}(?:; ?[a-z0-9-]{1,20}=[a-z0-9_.-]{1,40}){0,4}$/i.test(
    contentType,
  )
    ? contentType
    : 'application/octet-stream';
  return {
    // A message or multipart type would be read as part of this message, and must not be Base64. RFC 2046 5.2.1
    headers:
      `Content-Type: ${/^(message|multipart)\//i.test(type) ? 'application/octet-stream' : type}\r\n` +
      `Content-Transfer-Encoding: base64\r\nContent-Disposition: attachment;${fileName(name)}\r\n`,
    body: [{ raw: base64Lines(bytes) }],
  };
}

/** The parameter filename, in the form of RFC 2231 in numbered pieces where it is not plain or long. */
function fileName(name: string): string {
  const clean = name.toWellFormed().replace(/[\p{Cc}\\/"]/gu, '_');
  if (/^[ -~]{1,60}$/.test(clean)) return `\r\n filename="${clean}"`;
  const encoded = encodeURIComponent(clean).replace(/['()*!]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  const pieces = encoded.match(/(?:%[0-9A-F]{2}|.){1,20}/gi) ?? [];
  return pieces.map((piece, i) => `\r\n filename*${i}*=${i === 0 ? "UTF-8''" : ''}${piece}`).join(';');
}

function multipart(kind: string, boundary: string, parts: readonly Part[], parameter = ''): Part {
  return {
    headers: `Content-Type: multipart/${kind}${parameter};\r\n boundary="${boundary}"\r\n`,
    body: [
      ...parts.flatMap((part) => [{ raw: `--${boundary}\r\n${part.headers}\r\n` }, ...part.body, { raw: '\r\n' }]),
      { raw: `--${boundary}--\r\n` },
    ],
  };
}

function base64Lines(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString('base64')
    .replace(/.{76}(?=.)/g, '$&\r\n');
}
