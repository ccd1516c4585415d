// The frame of all server-rendered pages: the sender's name or logo above, its postal address below, its colours and font.
// No script but that of the confirmation.
import { Html, html } from '../../base/html.ts';
import { brandFrom } from '../../campaigns/model/brand.ts';
import { isRightToLeft } from '../../locales/languages.ts';
import { brandStyle, style } from './style.ts';

/** Who sends: a recipient meets these pages right after the message, and has to recognise whose they are. */
export type Sender = {
  name: string;
  address: string;
  /** The brand of the account as it is stored; null for none. */
  brand?: unknown;
};

type Parts = {
  title: string;
  body: Html;
  /** BCP 47 */
  language?: string;
  sender?: Sender | undefined;
  /** What search engines and shared links read; without it, search engines must not list the page. */
  shared?: Html | undefined;
  /** Needed for the logo of a sender. */
  path?(path: `/${string}`): string;
};

/** A whole page. */
export function page(parts: Parts): string {
  const { language = 'en', sender } = parts;
  const brand = sender?.brand ? brandFrom(sender.brand) : undefined;
  const asset = brand && assetPath(brand.logoUrl);
  const logo = asset && parts.path?.(asset);
  return html`<!doctype html>
<html lang="${language}"${new Html(isRightToLeft(language) ? ' dir="rtl"' : '')}>
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
${parts.shared ?? html`<meta name="robots" content="noindex">`}<link rel="icon" href="${logo ?? 'data:,'}"><title>${parts.title}</title><style>${style}${brand ? brandStyle(brand) : ''}</style></head>
<body>${sender ? html`<header class="sender">${logo ? html`<img src="${logo}" alt="${sender.name}">` : sender.name}</header>` : ''}<main>${parts.body}</main>${
    sender && sender.address !== ''
      ? html`<footer><p>${sender.name}
${sender.address}</p></footer>`
      : ''
  }</body></html>
`.text;
}

/** The path of an uploaded image: a page loads nothing from elsewhere, or its reader would be known there. */
export const assetPath = (url: string) =>
  /\/asset\/[0-9a-f]{8}\/[0-9a-f]{32}\.[a-z0-9]{2,5}$/.exec(url)?.[0] as `/${string}` | undefined;
