// The address of the picture of a template: it works in any browser and no one can guess it.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { App } from '../../base/context.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { placeholderWidth } from './placeholder-width.ts';

export function previewAddress(app: App, accountId: number, templateId: number): string {
  return `${app.baseUrl}/template-picture/${formatId(accountId)}-${formatId(templateId)}-${mark(app, accountId, templateId)}`;
}

/** The template that an address's last part names; undefined when it is not one of ours. */
export function readPreviewPath(app: App, path: string): { accountId: number; templateId: number } | undefined {
  const match = /^([abcdf][0-9a-f]{7})-([abcdf][0-9a-f]{7})-([0-9a-f]{24})$/.exec(path);
  if (!match) return undefined;
  const [accountId, templateId] = [parseId(match[1]!), parseId(match[2]!)];
  return timingSafeEqual(Buffer.from(mark(app, accountId, templateId)), Buffer.from(match[3]!))
    ? { accountId, templateId }
    : undefined;
}

/** Until its picture has been taken: a page in the layout of the template, without words. */
export function placeholder(layout: string): string {
  const blocks: Record<string, string> = {
    basic: block(72, 150, 176, 92) + lines(72, 264, 176) + button(72, 330),
    'left column': block(72, 150, 52, 192) + lines(140, 158, 108) + lines(140, 226, 108) + button(140, 306),
    'right column': block(196, 150, 52, 192) + lines(72, 158, 108) + lines(72, 226, 108) + button(72, 306),
    postcard: block(72, 132, 176, 132) + lines(72, 284, 176) + button(128, 340),
  };
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${placeholderWidth}" height="400" viewBox="0 0 320 400">
<rect width="320" height="400" fill="#f1f3f6"/>
<rect x="48" y="40" width="224" height="360" rx="8" fill="#fff"/>
<rect x="72" y="68" width="64" height="10" rx="5" fill="#d3d9e2"/>
<rect x="72" y="100" width="148" height="16" rx="5" fill="#c5cdd8"/>
${blocks[layout] ?? blocks['basic']}
</svg>`;
}

const block = (x: number, y: number, width: number, height: number) =>
  `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="6" fill="#e6eaf0"/>`;

const lines = (x: number, y: number, width: number) =>
  [1, 0.94, 0.6]
    .map(
      (part, line) =>
        `<rect x="${x}" y="${y + line * 18}" width="${Math.round(width * part)}" height="8" rx="4" fill="#e1e6ed"/>`,
    )
    .join('');

const button = (x: number, y: number) => `<rect x="${x}" y="${y}" width="64" height="22" rx="6" fill="#c5cdd8"/>`;

function mark(app: App, accountId: number, templateId: number): string {
  return createHmac('sha256', app.secret)
    .update(`template picture ${accountId} ${templateId}`)
    .digest('hex')
    .slice(0, 24);
}
