// The option inline_css: copies the rules of style elements into style attributes, because some email programs drop style
// elements. The elements stay, for what an attribute cannot hold: media queries, :hover, fonts. Uses no network: style sheets
// behind a link are left alone.
import juice from 'juice';

/**
 * The HTML with its rules as style attributes. Merge tags stay as they are; other markup may be written in another way, such as
 * with other quotes. HTML with a style element that cannot be read stays unchanged.
 */
export function withInlineCss(html: string): string {
  if (!/<style\b/i.test(html)) return html;
  try {
    return juice(html, {
      removeStyleTags: false,
      applyWidthAttributes: false,
      applyHeightAttributes: false,
      applyAttributesTableElements: false,
    });
  } catch {
    return html;
  }
}
