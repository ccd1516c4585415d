// The page around converted Markdown: one column of readable width on a sheet, in the colours, font and logo of the account's
// brand, light and dark. Its elements get their style where they are, since some email programs drop <style>.
import { escapeHtml } from '../../base/html.ts';
import { isRightToLeft } from '../../locales/languages.ts';
import { readableOn } from '../model/colour.ts';
import { type Brand, fonts } from '../model/plain-brand.ts';

export type Look = { brand: Brand; language: string };

const sheet = '#ffffff';
const darkSheet = '#22252b';
const ink = '#24292f';
const line = '#d8dde3';

/** The style attribute of each element that Markdown makes. */
export function elementStyles({ brand, language }: Look): Readonly<Record<string, string>> {
  const rtl = isRightToLeft(language);
  const inset = (px: number, top: string, bottom: string) =>
    rtl ? `padding:${top} ${px}px ${bottom} 0` : `padding:${top} 0 ${bottom} ${px}px`;
  const side = rtl ? 'right' : 'left';
  const font = fonts[brand.font];
  const heading = (size: number, lineHeight: number) =>
    `margin:28px 0 12px;font-size:${size}px;line-height:${lineHeight}px;font-weight:bold`;
  const cell = `padding:8px 10px;border:1px solid ${line};vertical-align:top`;
  return {
    p: 'margin:0 0 16px',
    h1: heading(28, 36),
    h2: heading(22, 30),
    h3: heading(18, 26),
    h4: heading(16, 25),
    h5: heading(15, 24),
    h6: heading(14, 22),
    a: `color:${readableOn(brand.colour, sheet)};text-decoration:underline`,
    img: 'max-width:100%;height:auto;border:0',
    ul: `margin:0 0 16px;${inset(24, '0', '0')}`,
    ol: `margin:0 0 16px;${inset(24, '0', '0')}`,
    li: 'margin:0 0 6px',
    blockquote: `margin:0 0 16px;${inset(16, '4px', '1px')};border-${side}:3px solid ${line}`,
    hr: `margin:24px 0;border:0;border-top:1px solid ${line}`,
    table: `margin:0 0 16px;width:100%;border-collapse:collapse;font-family:${font};font-size:15px;line-height:22px`,
    th: `${cell};font-weight:bold;text-align:${side}`,
    td: cell,
    pre: `margin:0 0 16px;padding:12px 14px;background-color:#f3f5f7;border-radius:6px;white-space:pre-wrap;word-break:break-word;${code}`,
    code: `padding:1px 4px;background-color:#f3f5f7;border-radius:3px;${code}`,
  };
}

const code = 'font-family:Consolas,Menlo,monospace;font-size:14px;line-height:21px';

/** A whole document around the content. The standard footer is added when the campaign is compiled. */
export function page(content: string, { brand, language }: Look): string {
  const rtl = isRightToLeft(language);
  const direction = rtl ? ` lang="${escapeHtml(language)}" dir="rtl"` : '';
  const logo =
    brand.logoUrl === ''
      ? ''
      : `<tr>
<td style="padding:0 0 16px"><img src="${escapeHtml(brand.logoUrl)}" alt="" height="36" style="display:block;height:36px;max-width:220px;border:0"></td>
</tr>
`;
  return `<!doctype html>
<html lang="${escapeHtml(language)}"${rtl ? ' dir="rtl"' : ''} xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<title>*|CAMPAIGN:SUBJECT|*</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:AllowPNG/><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><![endif]-->
<style>
:root { color-scheme: light dark; supported-color-schemes: light dark; }
@media (max-width: 480px) {
  .sheet { padding: 24px 20px 8px !important; }
}
@media (prefers-color-scheme: dark) {
  .ground { background-color: #16181c !important; }
  .sheet { background-color: ${darkSheet} !important; color: #e6e8eb !important; }
  .sheet a { color: ${readableOn(brand.colour, darkSheet)} !important; }
  .sheet pre, .sheet code { background-color: #2d3138 !important; }
  .sheet table, .sheet th, .sheet td, .sheet blockquote, .sheet hr { border-color: #3a3f47 !important; }
}
</style>
</head>
<body class="ground"${direction} style="margin:0;padding:0;background-color:${brand.background};-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%">
<table role="presentation" class="ground"${direction} width="100%" cellpadding="0" cellspacing="0" border="0" style="background-color:${brand.background}">
<tr>
<td align="center" style="padding:24px 12px">
<!--[if mso]><table role="presentation" width="600" cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]-->
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:600px">
${logo}<tr>
<td class="sheet" bgcolor="${sheet}" style="padding:36px 36px 20px;background-color:${sheet};border-radius:8px;font-family:${fonts[brand.font]};font-size:16px;line-height:25px;color:${ink};text-align:${rtl ? 'right' : 'left'};word-break:break-word">
${content}</td>
</tr>
</table>
<!--[if mso]></td></tr></table><![endif]-->
</td>
</tr>
</table>
</body>
</html>
`;
}
