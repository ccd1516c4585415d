// Detects the type of an entry by its name and its first bytes; both must agree.
// Guarantees that no file gets a content type that does not match its bytes: a page named .png is left out.

export type Kind = {
  use: 'page' | 'style' | 'image' | 'font';
  contentType: string;
  /** Without the dot; part of the name under which we serve it. */
  extension: string;
  /** Whether it may hold script, so that it must be served under a sandbox. */
  sandbox: boolean;
};

/** The use of an entry with this name; undefined for none. */
export function useOf(path: string): Kind['use'] | undefined {
  return usesByExtension[extensionOf(path)];
}

/** The kind; null when the bytes do not match the name. A picture with the extension of another format gets its true type. */
export function kindOf(path: string, bytes: Uint8Array): Kind | null {
  const use = useOf(path);
  if (use === undefined) return null;
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 4096));
  const signed = signatures.find(({ matches }) => matches(start))?.kind;
  if (use === 'image' || use === 'font') {
    if (signed) return signed.use === use ? signed : null;
    return extensionOf(path) === 'svg' && isSvg(start) ? svg : null;
  }
  if (signed || looksBinary(start)) return null;
  return use === 'page' ? page : style;
}

function extensionOf(path: string): string {
  return /\.([a-z0-9]{1,5})$/i.exec(path)?.[1]?.toLowerCase() ?? '';
}

const usesByExtension: Record<string, Kind['use'] | undefined> = Object.assign(Object.create(null), {
  html: 'page',
  htm: 'page',
  xhtml: 'page',
  css: 'style',
  png: 'image',
  jpg: 'image',
  jpeg: 'image',
  jpe: 'image',
  gif: 'image',
  webp: 'image',
  svg: 'image',
  woff: 'font',
  woff2: 'font',
  ttf: 'font',
  otf: 'font',
});

const page: Kind = { use: 'page', contentType: 'text/html', extension: 'html', sandbox: true };
const style: Kind = { use: 'style', contentType: 'text/css', extension: 'css', sandbox: false };
const svg: Kind = { use: 'image', contentType: 'image/svg+xml', extension: 'svg', sandbox: true };
const image = (extension: string, contentType: string): Kind => ({
  use: 'image',
  contentType,
  extension,
  sandbox: false,
});
const font = (extension: string): Kind => ({
  use: 'font',
  contentType: `font/${extension}`,
  extension,
  sandbox: false,
});

const begins = (text: string) => (start: Buffer) => start.toString('latin1', 0, text.length) === text;

const signatures: { matches: (start: Buffer) => boolean; kind: Kind }[] = [
  { matches: begins('\x89PNG\r\n\x1a\n'), kind: image('png', 'image/png') },
  { matches: begins('\xff\xd8\xff'), kind: image('jpg', 'image/jpeg') },
  { matches: begins('GIF87a'), kind: image('gif', 'image/gif') },
  { matches: begins('GIF89a'), kind: image('gif', 'image/gif') },
  {
    matches: (start) => begins('RIFF')(start) && start.toString('latin1', 8, 12) === 'WEBP',
    kind: image('webp', 'image/webp'),
  },
  { matches: begins('wOFF'), kind: font('woff') },
  { matches: begins('wOF2'), kind: font('woff2') },
  { matches: begins('\x00\x01\x00\x00'), kind: font('ttf') },
  { matches: begins('true'), kind: font('ttf') },
  { matches: begins('OTTO'), kind: font('otf') },
];

function isSvg(start: Buffer): boolean {
  const text = start.toString('utf8').replace(/^\ufeff/, '');
  return /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)*(?:<!DOCTYPE\s+svg[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)*<svg[\s>]/i.test(
    text,
  );
}

/** Text has no NUL, unless it is UTF-16, which starts with a byte order mark. */
function looksBinary(start: Buffer): boolean {
  const utf16 = (start[0] === 0xff && start[1] === 0xfe) || (start[0] === 0xfe && start[1] === 0xff);
  return !utf16 && start.includes(0);
}
