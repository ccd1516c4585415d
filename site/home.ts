// The first page as cards: one for each kind of reader with an icon, and the pages that are read most. In the Markdown, and so on
// GitHub, they are the first two lists.

/** In the order of the first list: an envelope, code, a server. */
const icons = [
  '<rect x="3" y="5" width="18" height="14" rx="2"/><path d="m3 8 9 6 9-6"/>',
  '<path d="m7 8-4 4 4 4M17 8l4 4-4 4M14 4l-4 16"/>',
  '<rect x="3" y="4" width="18" height="7" rx="2"/><rect x="3" y="13" width="18" height="7" rx="2"/><path d="M7 7.5v.01M7 16.5v.01"/>',
];

/** @param html the text of the page as it is drawn from its Markdown */
export function homeHtml(html: string): string {
  let icon = 0;
  return html
    .replace('<ul>', '<ul class="readers">')
    .replace(/<li>\s*<p><strong>([^<]*)<\/strong><\/p>/g, (_whole, title: string) => {
      const drawing = icons[icon++] ?? '';
      return `<li><svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">${drawing}</svg><h3>${title}</h3>`;
    })
    .replace(/(?<=<\/h2>\s*)<ul>(\s*<li><a[\s\S]*?)<\/ul>/, (_whole, items: string) => {
      const cards = items.replace(/<li>(<a href="[^"]*">[^<]*<\/a>): ([^<]*)<\/li>/g, '<li>$1<span>$2</span></li>');
      return `<ul class="read-most">${cards}</ul>`;
    });
}
