// The frame of a list's automatic emails, in the dress of the sender: logo or name above, buttons and links in the colour and font of
// the account's brand, the organisation and its postal address below, in light and in dark. HTML of the owner that is a whole
// document is sent as it is. Its merge tags are filled in afterwards.
import { escapeHtml } from '../base/html.ts';
import { contrast, readableOn, textOn } from '../campaigns/model/colour.ts';
import { type Brand, fonts } from '../campaigns/model/plain-brand.ts';
import { isRightToLeft } from '../locales/languages.ts';
import { text } from '../locales/text.ts';

export type ListFrame = {
  brand: Brand;
  language: string;
  /** Whether there is a postal address. */
  hasAddress: boolean;
  /** Whether the recipient can unsubscribe and change preferences. */
  hasLinks: boolean;
};

const sheet = '#ffffff';
const darkSheet = '#22252b';
const soft = '#5f6873';

/** @returns the content in the frame, still with its merge tags */
export function inListFrame(content: string, frame: ListFrame): string {
  if (/<(?:!doctype|html|body)\b/i.test(content)) return content;
  const { brand, language } = frame;
  // Outlook knows left and right only, and some programs drop <html> and <body>.
  const rtl = isRightToLeft(language);
  const dir = rtl ? ' dir="rtl"' : '';
  const [side, lang] = rtl ? ['right', ` lang="${language}"`] : ['left', ''];
  const font = `font-family:${fonts[brand.font]}`;
  const ground = `background-color:${brand.background}`;
  const small = `${font};font-size:12px;line-height:18px;color:${readableOn(soft, brand.background)}`;
  return `<!doctype html>
<html lang="${language}"${dir}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<style>
:root { color-scheme: light dark; supported-color-schemes: light dark; }
@media (max-width: 480px) {
  .sheet { padding: 24px 20px 8px !important; }
}
@media (prefers-color-scheme: dark) {
  .ground { background-color: #16181c !important; }
  .sheet { background-color: ${darkSheet} !important; color: #e6e8eb !important; }
  .sheet a.link { color: ${readableOn(brand.colour, darkSheet)} !important; }
  .sheet .soft, .ground .name, .ground .foot, .ground .foot a { color: #a7afba !important; }
${contrast(brand.colour, darkSheet) < 1.5 ? '  .sheet a.button { border-color: #a7afba !important; }\n' : ''}}
</style>
</head>
<body class="ground"${lang}${dir} style="margin:0;padding:0;${ground};-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%">
<table role="presentation" class="ground"${lang}${dir} width="100%" cellpadding="0" cellspacing="0" border="0" style="${ground}">
<tr>
<td align="center" style="padding:24px 12px">
<!--[if mso]><table role="presentation" width="560" cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]-->
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:560px">
<tr>
<td class="name" style="padding:0 0 16px;${font};font-size:16px;line-height:24px;font-weight:bold;color:${readableOn('#24292f', brand.background)}${rtl ? ';text-align:right' : ''}">${headOf(brand, rtl)}</td>
</tr>
<tr>
<td class="sheet" bgcolor="${sheet}" style="padding:32px 32px 16px;background-color:${sheet};border-radius:8px;${font};font-size:16px;line-height:25px;color:#24292f;text-align:${side};word-break:break-word">
${styled(content, brand)}
</td>
</tr>
<tr>
<td class="foot" style="padding:20px 12px 0;${small};text-align:center">${footOf(content, frame)}</td>
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

const headOf = ({ logoUrl }: Brand, rtl: boolean): string =>
  logoUrl === ''
    ? rtl
      ? '<bdi>*|LIST:COMPANY|*</bdi>'
      : '*|LIST:COMPANY|*'
    : `<img src="${escapeHtml(logoUrl)}" alt="*|LIST:COMPANY|*" height="36" style="display:block;height:36px;max-width:220px;border:0">`;

/** The links that every contact has, unless the content has them; then who sends. */
function footOf(content: string, { brand, language, hasAddress, hasLinks }: ListFrame): string {
  const links = hasLinks
    ? (['UNSUB', 'UPDATE_PROFILE'] as const)
        .filter((tag) => !content.includes(`*|${tag}|*`))
        .map(
          (tag) =>
            `<a href="*|${tag}|*" style="color:inherit">${escapeHtml(text(language, tag === 'UNSUB' ? 'mail.unsubscribe' : 'mail.profile'))}</a>`,
        )
    : [];
  return [
    ...(links.length > 0 ? [links.join(' &middot; ')] : []),
    ...(brand.footer.trim() === '' ? [] : [escapeHtml(brand.footer.trim()).replaceAll(/\r?\n/g, '<br>\n')]),
    ...['*|LIST:COMPANY|*', ...(hasAddress ? ['*|LIST:ADDRESS|*'] : [])].map((tag) =>
      isRightToLeft(language) ? `<bdi>${tag}</bdi>` : tag,
    ),
  ].join('<br>\n');
}

/**
 * Elements that bring no style of their own get that of the brand, where they are: some email programs drop <style>. A link of the
 * class "button" is a button, a paragraph of the class "soft" is small.
 */
function styled(content: string, brand: Brand): string {
  const button = `display:inline-block;padding:12px 22px;border:1px solid ${brand.colour};border-radius:6px;background-color:${brand.colour};color:${textOn(brand.colour)};font-weight:bold;text-decoration:none`;
  const link = `color:${readableOn(brand.colour, sheet)};text-decoration:underline;word-break:break-all`;
  return content.replace(/<(p|a|h1|h2)\b([^>]*)>/gi, (tag, name: string, attributes: string) => {
    if (/\bstyle\s*=/i.test(attributes)) return tag;
    const isOf = (wanted: string) => new RegExp(`\\bclass\\s*=\\s*["'][^"']*\\b${wanted}\\b`, 'i').test(attributes);
    const give = (style: string, more = '') => `<${name}${attributes}${more} style="${style}">`;
    switch (name.toLowerCase()) {
      case 'a':
        if (isOf('button')) return give(button);
        return give(link, /\bclass\s*=/i.test(attributes) ? '' : ' class="link"');
      case 'h1':
        return give('margin:0 0 12px;font-size:24px;line-height:32px;font-weight:bold');
      case 'h2':
        return give('margin:24px 0 12px;font-size:19px;line-height:27px;font-weight:bold');
      default:
        return give(isOf('soft') ? `margin:0 0 16px;font-size:13px;line-height:20px;color:${soft}` : 'margin:0 0 16px');
    }
  });
}
