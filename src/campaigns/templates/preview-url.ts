// The address of the picture of a template: it works in any browser and no one can guess it.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { App } from '../../base/context.ts';
import { escapeHtml } from '../../base/html.ts';
import { formatId, parseId } from '../../db/ids.ts';

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

/** The placeholder for a picture that has not been taken yet: a drawing of the layout, labelled as such. */
export function drawnPicture(name: string, layout: string): string {
  const columns: Record<string, string> = {
    basic: '<rect x="40" y="110" width="240" height="150"/>',
    'left column': '<rect x="40" y="110" width="70" height="150"/><rect x="120" y="110" width="160" height="150"/>',
    'right column': '<rect x="40" y="110" width="160" height="150"/><rect x="210" y="110" width="70" height="150"/>',
    postcard: '<rect x="40" y="110" width="115" height="90"/><rect x="165" y="110" width="115" height="90"/>',
  };
  return `<svg xmlns="http://www.w3.org/2000/svg" width="320" height="320" viewBox="0 0 320 320" role="img">
<rect width="320" height="320" fill="#f4f5f7"/><g fill="#d5d9df"><rect x="40" y="60" width="240" height="40"/>${columns[layout] ?? columns.basic}</g>
<text x="160" y="40" text-anchor="middle" font-family="sans-serif" font-size="15" fill="#39424e">${escapeHtml(name.slice(0, 34))}</text>
<text x="160" y="296" text-anchor="middle" font-family="sans-serif" font-size="12" fill="#6a7480">drawing, not a rendering</text></svg>`;
}

function mark(app: App, accountId: number, templateId: number): string {
  return createHmac('sha256', app.secret)
    .update(`template picture ${accountId} ${templateId}`)
    .digest('hex')
    .slice(0, 24);
}
