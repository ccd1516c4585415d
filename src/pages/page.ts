// The frame of all server-rendered pages: the sender's name above, its postal address below. No script.
import { Html, html } from '../base/html.ts';
import { style } from './style.ts';

/** Who sends: a recipient meets these pages right after the message, and has to recognise whose they are. */
export type Sender = { name: string; address: string };

/** A whole page. @param language BCP 47 */
export function page(parts: { title: string; body: Html; language?: string; sender?: Sender | undefined }): string {
  const { language = 'en', sender } = parts;
  return html`<!doctype html>
<html lang="${language}"${new Html(rightToLeft.has(language) ? ' dir="rtl"' : '')}>
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>${parts.title}</title><style>${style}</style></head>
<body>${sender ? html`<header class="sender">${sender.name}</header>` : ''}<main>${parts.body}</main>${
    sender && sender.address !== ''
      ? html`<footer><p>${sender.name}
${sender.address}</p></footer>`
      : ''
  }</body></html>
`.text;
}

const rightToLeft = new Set(['ar', 'he', 'fa', 'ur']);
