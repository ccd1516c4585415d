// The page of a starter template: head, header and footer, which exist once, around the rows of a design. Pure.
import { escapeHtml } from '../../base/html.ts';
import { frameMark } from './catalogue.ts';
import type { Look } from './look.ts';
import { cellOf, type Row, type Spacing, type Surface } from './surface.ts';

export type Page = { language: string; preview: string; rows: readonly Row[]; width?: number; footer: FooterWords };
type FooterWords = { why: string; unsubscribe: string; update: string; browser: string };

export function page(look: Look, { language, preview, rows, width = 600, footer }: Page): string {
  const { background } = look.brand;
  const cells = rows.map((row, i) => cellOf(row, { radius: corners(i, rows.length) }, look));
  return `<!doctype html>
<html lang="${language}" xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office">
${head(look)}
<body class="ground" style="margin:0;padding:0;background-color:${background};-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%">
${preview === '' ? '' : `<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">${preview}</div>\n`}<table role="presentation" class="ground" width="100%" cellpadding="0" cellspacing="0" border="0" style="background-color:${background}">
<tr>
<td ${frameMark} align="center" style="padding:32px 12px">
<!--[if mso]><table role="presentation" width="${width}" cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]-->
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:${width}px">
${[...cells, footerCell(look, footer)].map((cell) => `<tr>\n${cell}\n</tr>`).join('\n')}
</table>
<!--[if mso]></td></tr></table><![endif]-->
</td>
</tr>
</table>
</body>
</html>
`;
}

const corners = (at: number, count: number) =>
  [at === 0 ? '16px 16px' : '0 0', at === count - 1 ? '16px 16px' : '0 0'].join(' ').replace(/^0 0 0 0$/, '');

/** The sender, at the top of the content, and words on the other side. */
export function header(
  surface: Surface,
  { note = '', size = 19, ...at }: Spacing & { note?: string; size?: number } = {},
): Row {
  const align = at.align ?? surface.manner.align;
  const name = `font-weight:bold;${surface.type(size, Math.round(size * 1.35), surface.inkOf('ink'), surface.manner.serif)}`;
  if (align === 'center')
    return surface.row(
      `<p class="${surface.classOf('ink')}" style="margin:0;${name}">${surface.name('inline-block', size)}</p>`,
      { top: 36, bottom: 32, ...at },
    );
  const second = `<td class="${surface.classOf('soft')}" align="right" style="${surface.type(13, 20, surface.inkOf('soft'))}">${note}</td>`;
  return surface.row(
    `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0">
<tr>
<td class="${surface.classOf('ink')}" style="${name}">${surface.name('block', size)}</td>
${note === '' ? '' : `${second}\n`}</tr>
</table>`,
    { top: 36, bottom: 32, ...at },
  );
}

function footerCell(look: Look, words: FooterWords): string {
  const own = look.brand.footer.trim();
  const line = own === '' ? '' : `${escapeHtml(own).replaceAll(/\r?\n/g, '<br>')}<br>\n`;
  const link = (href: string, text: string) =>
    `<a class="outside" href="${href}" style="color:${look.outside};white-space:nowrap">${text}</a>`;
  return `<td class="outside" align="center" style="padding:28px 24px 12px;font-family:${look.font};font-size:13px;line-height:21px;color:${look.outside};text-align:center">${line}*|LIST:COMPANY|*<br>
*|LIST:ADDRESS|*<br><br>
${words.why}<br>
${link('*|UNSUB|*', words.unsubscribe)} &nbsp;&middot;&nbsp; ${link('*|UPDATE_PROFILE|*', words.update)} &nbsp;&middot;&nbsp; ${link('*|ARCHIVE|*', words.browser)}</td>`;
}

/** Colours in dark mode, by class: of text, of backgrounds, of lines. */
function darkRules({ dark }: Look, of: (kind: 'colour' | 'ground') => string): string {
  const colour = (names: string, value: string) =>
    `  ${selectors(of('colour'), names)} { color: ${value} !important; }`;
  const ground = (names: string, value: string) =>
    `  ${selectors(of('ground'), names)} { background-color: ${value} !important; }`;
  return [
    ground('ground', dark.ground),
    ground('sheet', dark.sheet),
    ground('tint', dark.tint),
    ground('pale', dark.pale),
    ground('rest', dark.line),
    colour('ink', dark.ink),
    colour('text', dark.text),
    colour('soft outside', dark.soft),
    colour('link', dark.link),
    `  ${selectors(of('colour'), 'line')} { border-color: ${dark.line} !important; }`,
    `  ${selectors(of('colour'), 'edge')} { border-color: ${dark.link} !important; }`,
  ].join('\n');
}

const selectors = (before: string, names: string) =>
  names
    .split(' ')
    .map((name) => `${before}.${name}`)
    .join(', ');

function head(look: Look): string {
  return `<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<title>*|CAMPAIGN:SUBJECT|*</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:AllowPNG/><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>td, p, a, h1, h2, h3 { mso-line-height-rule: exactly; }</style><![endif]-->
<style>
:root { color-scheme: light dark; supported-color-schemes: light dark; }
a { color: ${look.link}; }
img { max-width: 100%; }
h1, h2 { text-wrap: balance; overflow-wrap: anywhere; }
p { text-wrap: pretty; }
@media (max-width: 480px) {
  .around { padding: 0 0 24px !important; }
  .corner { border-radius: 0 !important; }
  .pad { padding-left: 24px !important; padding-right: 24px !important; }
  .cols { padding-left: 16px !important; padding-right: 16px !important; }
  .beside { padding-left: 8px !important; padding-right: 8px !important; }
  .h1 { font-size: 32px !important; line-height: 38px !important; }
  .h2 { font-size: 22px !important; line-height: 29px !important; letter-spacing: normal !important; }
  .wide { max-width: 100% !important; }
  .display { font-size: 72px !important; line-height: 76px !important; }
}
@media (prefers-color-scheme: dark) {
${darkRules(look, () => '')}
}
${darkRules(look, (kind) => (kind === 'colour' ? '[data-ogsc] ' : '[data-ogsb] ')).replaceAll(/^ {2}/gm, '')}
</style>
</head>`;
}
