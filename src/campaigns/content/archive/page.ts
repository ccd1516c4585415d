// Builds a campaign's HTML from the files of an archive: style sheets are inlined in the page, pictures and fonts become
// assets, and links to them point to where we serve them. SVG is left out. Everything else of the page stays byte for byte.
// Style sheets are not kept as files: email clients ignore linked ones, and many support a <style> in the page.
import { type Message, message, packMessage } from '../../../base/messages.ts';
import { declaredAsUtf8, decodePage } from '../charset.ts';
import { cssUrl, replaceCss } from '../css-urls.ts';
import { addressKind, editHtml, firstBase } from '../relink.ts';
import type { ArchiveFile } from './collect.ts';
import { findPage } from './find-page.ts';
import { ArchiveRefusal, maxPageBytes, shown } from './limits.ts';
import { createPlaces, folderOf, joined, type Places } from './places.ts';

export type ArchiveWarning = {
  code: 'missing' | 'page_link' | 'mismatched' | 'unused' | 'undecodable' | 'style_import' | 'local_address' | 'svg';
  /** Packed: it is stored with the campaign. */
  message: string;
};

export type ArchiveAsset = {
  /** `<first 32 hex digits of its SHA-256>.<extension of its true type>`. */
  name: string;
  contentType: string;
  bytes: Uint8Array;
  sha256: string;
  originalPath: string;
  /** Whether it may hold script (SVG): serve it under a sandbox, never as a page of ours. */
  sandbox: boolean;
};

export type ArchivePage = { html: string; page: string; assets: ArchiveAsset[]; warnings: ArchiveWarning[] };

/** Maximum number of inlined style sheets, and how deep they may import each other. */
const maxSheets = 100;
const maxImportDepth = 4;
const maxWarnings = 50;

/**
 * @param assetsUrl the address under which the assets will be served, up to their names
 * @throws ArchiveRefusal
 */
export function assemblePage(
  files: readonly ArchiveFile[],
  mismatched: readonly string[],
  assetsUrl: string,
): ArchivePage {
  const path = findPage(files.filter(({ kind }) => kind.use === 'page').map((file) => file.path));
  const page = files.find((file) => file.path === path)!;
  const work: Work = {
    page,
    places: createPlaces(files),
    assetsUrl,
    used: new Set(),
    sheets: 0,
    length: 0,
    warnings: new Map(),
  };
  for (const left of mismatched) warn(work, 'mismatched', message('archive_page.mismatched', { name: shown(left) }));
  const html = assembleHtml(work);

  const assets = new Map<string, ArchiveAsset>();
  for (const file of work.used) {
    if (file.kind.use === 'style' || file.kind.extension === 'svg') continue;
    const name = assetName(file);
    const { contentType, sandbox } = file.kind;
    const { bytes, sha256 } = file;
    if (!assets.has(name)) assets.set(name, { name, contentType, bytes, sha256, originalPath: file.path, sandbox });
  }
  const unused = files.filter((file) => file.kind.use !== 'page' && !work.used.has(file));
  if (unused.length > 0) {
    const names = unused.slice(0, 5).map((file) => shown(file.path));
    warn(work, 'unused', message('archive_page.unused', { count: unused.length, names: names.join(', ') }));
  }
  return { html, page: path, assets: [...assets.values()], warnings: [...work.warnings.values()] };
}

type Work = {
  page: ArchiveFile;
  places: Places;
  assetsUrl: string;
  used: Set<ArchiveFile>;
  sheets: number;
  /** Bytes of the page and of the inlined style sheets so far. */
  length: number;
  warnings: Map<string, ArchiveWarning>;
};

/** Where relative addresses start from: a folder of the archive and, where <base> is set, an address on the web. */
type Origin = { folder: string; web: string | null };

function assembleHtml(work: Work): string {
  const { path, bytes } = work.page;
  countLength(work, bytes);
  const { text, charset, replaced } = decodePage(bytes);
  if (replaced) warn(work, 'undecodable', message('archive_page.undecodable', { name: shown(path), charset }));
  const origin = originOf(path, firstBase(text));
  return editHtml(text, {
    tag(name, attribute) {
      const rel = (attribute('rel') ?? '').toLowerCase().split(/\s+/);
      if (name !== 'link' || !rel.includes('stylesheet') || rel.includes('alternate')) return null;
      const sheet = local(work, origin, attribute('href') ?? '');
      if (sheet?.kind.use !== 'style') return null;
      const media = (attribute('media') ?? '').replace(/["&<>]/g, '');
      return `<style type="text/css"${media === '' ? '' : ` media="${media}"`}>\n${sheetText(work, sheet, 0)}\n</style>`;
    },
    style: (css) => styleText(work, css, origin, 0),
    address: (address, { element }) => (element === 'base' ? '' : served(work, origin, address)),
    value: declaredAsUtf8,
  });
}

function originOf(path: string, base: string | undefined): Origin {
  const folder = folderOf(path);
  if (base === undefined) return { folder, web: null };
  const web = base.startsWith('//') ? `https:${base}` : base;
  if (/^https?:/i.test(web) && URL.canParse(web)) return { folder, web };
  return addressKind(base) === 'relative'
    ? { folder: folderOf(joined(folder, `${base}x`)), web: null }
    : { folder, web: null };
}

/** A linked sheet as the content of a <style>: its imports inlined, its addresses served by us. */
function sheetText(work: Work, sheet: ArchiveFile, depth: number): string {
  work.used.add(sheet);
  if (++work.sheets > maxSheets)
    throw new ArchiveRefusal(message('archive.too_many_style_sheets', { count: maxSheets }));
  countLength(work, sheet.bytes);
  const start = Buffer.from(sheet.bytes.buffer, sheet.bytes.byteOffset, Math.min(sheet.bytes.length, 100));
  const { text } = decodePage(sheet.bytes, /^@charset "([^"]+)";/.exec(start.toString('latin1'))?.[1]);
  const css = styleText(
    work,
    text.replace(/^@charset "[^"]*";/, ''),
    { folder: folderOf(sheet.path), web: null },
    depth,
  );
  // In a separate sheet this is in a string or a comment; in a page it would end the element.
  return css.replace(/<\/(style)/gi, '<\\/$1');
}

function styleText(work: Work, css: string, origin: Origin, depth: number): string {
  return replaceCss(css, ({ kind, address, conditions }) => {
    const sheet = kind === 'import' ? local(work, origin, address) : null;
    if (sheet?.kind.use === 'style') {
      if (depth < maxImportDepth && !/\b(?:layer|supports)\b/i.test(conditions)) {
        const text = sheetText(work, sheet, depth + 1);
        return conditions === '' ? text : `@media ${conditions} {\n${text}\n}`;
      }
      warn(work, 'style_import', message('archive_page.style_import', { name: shown(sheet.path) }));
      return '';
    }
    const url = served(work, origin, address);
    if (url === null) return null;
    return kind === 'url' ? cssUrl(url) : `@import ${cssUrl(url)}${conditions === '' ? '' : ` ${conditions}`};`;
  });
}

/** What an address becomes, or null when it stays as it is. */
function served(work: Work, origin: Origin, address: string): string | null {
  const kind = addressKind(address);
  if (kind === 'absolute') {
    if (/^(?:file:|[a-z]:[\\/])/i.test(address)) {
      warn(work, 'local_address', message('archive_page.local_address', { url: shown(address) }));
    }
    // An email has no URL from which a scheme could be inherited.
    return address.startsWith('//') ? `https:${address}` : null;
  }
  if (kind !== 'relative') return null;
  const file = local(work, origin, address);
  const fragment = /#.*$/s.exec(address)?.[0] ?? '';
  // As for uploads: email clients do not show it.
  if (file?.kind.extension === 'svg') {
    work.used.add(file);
    warn(work, 'svg', message('archive_page.svg', { name: shown(file.path) }));
    return null;
  }
  if (file?.kind.use === 'image' || file?.kind.use === 'font') {
    work.used.add(file);
    return work.assetsUrl + assetName(file) + fragment;
  }
  if (file === work.page && fragment !== '') return fragment;
  if (origin.web !== null && URL.canParse(address, origin.web)) return new URL(address, origin.web).href;
  if (file) warn(work, 'page_link', message('archive_page.page_link', { name: shown(file.path) }));
  else if (!address.startsWith('?')) warn(work, 'missing', message('archive_page.missing', { url: shown(address) }));
  return null;
}

function local(work: Work, origin: Origin, address: string): ArchiveFile | null {
  return addressKind(address) === 'relative' ? work.places.find(address, origin.folder) : null;
}

function assetName({ sha256, kind }: Pick<ArchiveFile, 'sha256' | 'kind'>): string {
  return `${sha256.slice(0, 32)}.${kind.extension}`;
}

function countLength(work: Work, added: Uint8Array): void {
  work.length += added.length;
  if (work.length > maxPageBytes) throw new ArchiveRefusal(message('archive.page_too_long'));
}

function warn(work: Work, code: ArchiveWarning['code'], warning: Message): void {
  const packed = packMessage(warning);
  if (work.warnings.size < maxWarnings) work.warnings.set(`${code} ${packed}`, { code, message: packed });
}
