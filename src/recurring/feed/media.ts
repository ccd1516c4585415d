// Turns pictures and videos as sites write them for browsers into what an email can show. Pictures that load late (data-src, srcset,
// <picture>, <noscript>) become <img src="…">, frames, videos and sounds a link, with a picture where there is one. The result is not
// safe yet: clean-html.ts takes it from here.
import { escapeHtml } from '../../base/html.ts';
import { decodeReferences, readTags, type SourceTag } from '../../campaigns/markup/scan-html.ts';
import { webUrl } from './feed.ts';

type Attributes = ReadonlyMap<string, string>;
/** `real`: an ordinary one. `late`: its address was not in src. `weak`: only a picture that is shown until it is loaded. */
type Picture = { address: string; kind: 'real' | 'late' | 'weak' };

const media = /<(?:img|amp-img|picture|noscript|iframe|amp-iframe|video|amp-video|audio|lite-youtube|amp-youtube)\b/i;

/** @param base what relative addresses are relative to */
export function withPlainMedia(html: string, base: string): string {
  return media.test(html) ? new Rewriting(html, base).result() : html;
}

class Rewriting {
  private readonly source: string;
  private readonly base: string;
  private readonly tags: SourceTag[];
  /** Addresses of pictures outside of <noscript>. */
  private readonly shown: Set<string>;
  private readonly pieces: string[] = [];
  /** For each tag the position of the next end tag of its name, or -1. */
  private readonly ends: Int32Array;
  /** What was written, with the address of a picture. */
  readonly media: { text: string; picture: string }[] = [];
  private from = 0;
  /** The picture that was written last, and where it ended. */
  private last: (Picture & { piece: number; end: number }) | undefined;
  /** Of an open <picture>: its sources, until it has a picture. */
  private sources: Attributes[] | undefined;

  constructor(source: string, base: string) {
    this.source = source;
    this.base = base;
    this.tags = readTags(source);
    this.ends = endsOf(this.tags);
    this.shown = new Set();
    let hidden = 0;
    for (const { name, isEnd, attributes } of this.tags) {
      if (name === 'noscript') hidden = Math.max(0, hidden + (isEnd ? -1 : 1));
      if (isPicture(name) && !isEnd && hidden === 0) this.shown.add(pictureOf(attributes, base)?.address ?? '');
    }
  }

  result(): string {
    for (let i = 0; i < this.tags.length; i++) i = this.read(i);
    return this.pieces.join('') + this.source.slice(this.from);
  }

  /** @returns the last tag that was read */
  private read(at: number): number {
    const tag = this.tags[at]!;
    const { name, isEnd, attributes } = tag;
    if (name === 'picture') {
      if (isEnd) this.closePicture(tag);
      else this.sources = [];
    } else if (isEnd) return at;
    else if (name === 'source') this.sources?.push(attributes);
    else if (isPicture(name)) this.picture(tag);
    else if (name === 'noscript') return this.noscript(at);
    else if (name === 'iframe' || name === 'amp-iframe') return this.embed(at, addressOf(attributes, this.base));
    else if (name === 'lite-youtube' || name === 'amp-youtube') {
      const id = attributes.get('videoid') ?? attributes.get('data-videoid') ?? '';
      return this.embed(at, `https://www.youtube.com/embed/${encodeURIComponent(id)}`);
    } else if (name === 'video' || name === 'amp-video' || name === 'audio') return this.player(at);
    return at;
  }

  private write(tag: Pick<SourceTag, 'start'>, end: number, text: string): void {
    this.pieces.push(this.source.slice(this.from, tag.start), text);
    this.from = end;
  }

  private picture(tag: SourceTag): void {
    const { attributes } = tag;
    const own = isHidden(attributes, hasLateAddress(attributes)) ? null : pictureOf(attributes, this.base);
    const useSources = this.sources && (own === null || own.kind === 'weak');
    const picture = (useSources && this.fromSources()) || own;
    this.write(tag, tag.end, picture ? imageTag(picture.address, attributes) : '');
    if (picture) {
      this.wrote(picture, tag.end);
      this.sources = undefined;
    }
  }

  private closePicture(tag: SourceTag): void {
    const picture = this.sources && this.fromSources();
    if (picture) {
      this.write(tag, tag.end, imageTag(picture.address, new Map()));
      this.wrote(picture, tag.end);
    }
    this.sources = undefined;
  }

  private wrote(picture: Picture, end: number): void {
    const piece = this.pieces.length - 1;
    this.last = { ...picture, piece, end };
    this.media.push({ text: this.pieces[piece]!, picture: picture.address });
  }

  /** Of the formats of a <picture> one that every mail program shows, if there is one. */
  private fromSources(): Picture | null {
    const found = (this.sources ?? []).flatMap((source) => {
      const address = pictureOf(source, this.base)?.address;
      return address ? [{ address, isNew: /webp|avif|jxl/i.test(source.get('type') ?? address) }] : [];
    });
    const best = found.find(({ isNew }) => !isNew) ?? found[0];
    return best ? { address: best.address, kind: 'late' } : null;
  }

  /** Shows what is in it, unless the picture for browsers with scripts is next to it. */
  private noscript(at: number): number {
    const tag = this.tags[at]!;
    const close = this.ends[at]!;
    if (close < 0) return at;
    const end = this.tags[close]!;
    let inner = this.source.slice(tag.end, end.start);
    if (!media.test(inner)) inner = decodeReferences(inner);
    const before = this.last && isBare(this.source.slice(this.last.end, tag.start)) ? this.last : undefined;
    const next = this.tags[close + 1];
    const after =
      next && !next.isEnd && isPicture(next.name) && isBare(this.source.slice(end.end, next.start))
        ? pictureOf(next.attributes, this.base)
        : null;
    const isRepeated = before?.kind === 'late' || after?.kind === 'late';
    const nested = new Rewriting(inner, this.base);
    nested.result();
    const text = nested.media
      .filter(({ picture }) => picture === '' || !(isRepeated || this.shown.has(picture)))
      .map((one) => one.text)
      .join('');
    if (text.includes('<img') && before?.kind === 'weak') this.pieces[before.piece] = '';
    this.write(tag, end.end, text);
    return close;
  }

  private player(at: number): number {
    const { name, attributes } = this.tags[at]!;
    const close = this.ends[at]!;
    const inside = close < 0 ? [] : this.tags.slice(at + 1, close);
    const sources = inside.filter((tag) => tag.name === 'source' && !tag.isEnd).map((tag) => tag.attributes);
    const playable = sources.find((source) => /mp4|mpeg|mp3/i.test(source.get('type') ?? source.get('src') ?? ''));
    const found = [attributes, playable, ...sources].map((one) => (one ? addressOf(one, this.base) : '')).find(Boolean);
    const poster = name === 'audio' ? '' : ((attributes.get('poster') || attributes.get('data-poster')) ?? '');
    return this.embed(at, found ?? '', webUrl(poster, this.base));
  }

  /** A link instead of an element and what is in it. */
  private embed(at: number, address: string, poster = ''): number {
    const tag = this.tags[at]!;
    const close = this.ends[at]!;
    const end = close < 0 ? tag.end : this.tags[close]!.end;
    const known = watchable(address);
    const isShown = address !== '' && !isHidden(tag.attributes, false);
    const text = isShown ? linkTag(known.address, poster || known.picture, tag.attributes) : '';
    this.write(tag, end, text);
    this.media.push({ text, picture: '' });
    return close < 0 ? at : close;
  }
}

function endsOf(tags: readonly SourceTag[]): Int32Array {
  const ends = new Int32Array(tags.length);
  const next = new Map<string, number>();
  for (let i = tags.length - 1; i >= 0; i--) {
    ends[i] = next.get(tags[i]!.name) ?? -1;
    if (tags[i]!.isEnd) next.set(tags[i]!.name, i);
  }
  return ends;
}

const isPicture = (name: string) => name === 'img' || name === 'amp-img';
/** Nothing between two elements but the ends of others. */
const isBare = (between: string) => between.replace(/<\/?(?:picture|span|a|div|figure|p)\b[^<>]*>/gi, '').trim() === '';

const lateNames = [
  'data-src',
  'data-lazy-src',
  'data-original',
  'data-lazy',
  'data-echo',
  'lazy-src',
  'nitro-lazy-src',
];
const isLateName = (name: string) =>
  /^data-.*src$/.test(name) && !/thumb|low|small|preview|placeholder|error|fallback|poster/.test(name);
const lateAddresses = (attributes: Attributes) => [
  ...lateNames.map((name) => attributes.get(name)),
  ...[...attributes].filter(([name]) => isLateName(name)).map(([, value]) => value),
];
const hasLateAddress = (attributes: Attributes) => lateAddresses(attributes).some(Boolean);

/** Null for a picture without an address for emails. */
function pictureOf(attributes: Attributes, base: string): Picture | null {
  const usable = (text: string | undefined) => (isPlaceholder(text ?? '') ? '' : webUrl(text, base));
  const late = lateAddresses(attributes).map(usable).find(Boolean);
  if (late) return { address: late, kind: 'late' };
  const src = attributes.get('src') ?? '';
  if (usable(src)) return { address: usable(src), kind: 'real' };
  const inSet = [...attributes]
    .filter(([name]) => name.endsWith('srcset'))
    .flatMap(([, value]) => addressesOf(value))
    .map(usable)
    .find(Boolean);
  const named = ['data-large-file', 'data-orig-file', 'data-medium-file', 'data-image', 'data-url', 'data-img-url'];
  const inFull = named
    .map((name) => attributes.get(name) ?? '')
    .filter((value) => /\.(?:jpe?g|png|gif|webp|avif)\b/i.test(value));
  const found = inSet ?? inFull.map(usable).find(Boolean);
  if (found) return { address: found, kind: 'late' };
  const placeholder = isNoAddress(src) ? '' : webUrl(src, base);
  return placeholder === '' ? null : { address: placeholder, kind: 'weak' };
}

/** The addresses of a srcset; they may contain commas, but no blanks (HTML 4.8.4.2.1). */
function addressesOf(set: string): string[] {
  const addresses: string[] = [];
  const candidate = /[\s,]*(\S+)/y;
  for (let match = candidate.exec(set); match; match = candidate.exec(set)) {
    const address = match[1]!;
    addresses.push(address.replace(/,+$/, ''));
    if (address.endsWith(',')) continue;
    const comma = set.indexOf(',', candidate.lastIndex);
    if (comma < 0) break;
    candidate.lastIndex = comma;
  }
  return addresses;
}

const addressOf = (attributes: Attributes, base: string): string =>
  [attributes.get('src') ?? '', ...lateAddresses(attributes).map((late) => late ?? '')]
    .map((text) => (isNoAddress(text) ? '' : webUrl(text, base)))
    .find(Boolean) ?? '';

const isNoAddress = (text: string) => /^\s*(?:$|#|[a-z][a-z0-9+.-]*:(?<!\bhttps?:))/i.test(text);

/** A file that is shown until the picture is loaded. */
const isPlaceholder = (text: string) =>
  isNoAddress(text) ||
  /(?:^|[/_.-])(?:placeholder|blank|spacer|transparent|trans|loading|loader|spinner|lazy|lazyload|1x1|pixel|gr[ae]y|empty|dummy)(?:[_.-][^/?#]*)?\.(?:gif|png|svg|jpe?g|webp)(?:[?#]|$)/i.test(
    text.trim(),
  );

/** Such as a pixel that counts readers. */
function isHidden(attributes: Attributes, isLate: boolean): boolean {
  const style = attributes.get('style') ?? '';
  const isSmall = ['width', 'height'].some((name) => /^\s*[01](?:px)?\s*$/.test(attributes.get(name) ?? ''));
  // Scripts show a picture that they load.
  return (
    isSmall || (!isLate && (attributes.has('hidden') || /(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(style)))
  );
}

function imageTag(address: string, attributes: Attributes): string {
  const kept = ['alt', 'title', 'width'].filter((name) => attributes.has(name));
  return `<img src="${escapeHtml(address)}"${kept.map((name) => ` ${name}="${escapeHtml(attributes.get(name)!)}"`).join('')}>`;
}

function linkTag(address: string, picture: string, attributes: Attributes): string {
  const title = (attributes.get('title') || attributes.get('aria-label') || '').trim();
  const text = title || address;
  const image = picture === '' ? '' : `<img src="${escapeHtml(picture)}" alt="${escapeHtml(title)}"><br>`;
  return `<div><a href="${escapeHtml(address)}">${image}${escapeHtml(text)}</a></div>`;
}

/** The page of a video instead of its player, which does not play on its own everywhere. */
function watchable(address: string): { address: string; picture: string } {
  const url = URL.parse(address);
  const host = url?.hostname.replace(/^www\./, '') ?? '';
  const path = url?.pathname ?? '';
  if (/^(?:m\.)?youtube(?:-nocookie)?\.com$/.test(host)) {
    // "videoseries" and "live_stream" are as long as the id of a video.
    const id = /^\/(?:embed|v)\/(?!videoseries|live_stream)([\w-]{11})/.exec(path)?.[1];
    if (id)
      return {
        address: `https://www.youtube.com/watch?v=${id}`,
        picture: `https://i.ytimg.com/vi/${id}/hqdefault.jpg`,
      };
    const list = url!.searchParams.get('list');
    if (path.startsWith('/embed') && list)
      return { address: `https://www.youtube.com/playlist?list=${encodeURIComponent(list)}`, picture: '' };
  }
  const vimeo = host === 'player.vimeo.com' ? /^\/video\/(\d+)/.exec(path)?.[1] : undefined;
  if (vimeo) {
    // The hash of a video that is not listed.
    const hash = /^\w+$/.exec(url!.searchParams.get('h') ?? '')?.[0];
    return { address: `https://vimeo.com/${vimeo}${hash ? `/${hash}` : ''}`, picture: '' };
  }
  const dailymotion = host === 'dailymotion.com' ? /^\/embed\/video\/(\w+)/.exec(path)?.[1] : undefined;
  if (dailymotion)
    return {
      address: `https://www.dailymotion.com/video/${dailymotion}`,
      picture: `https://www.dailymotion.com/thumbnail/video/${dailymotion}`,
    };
  return { address, picture: '' };
}
