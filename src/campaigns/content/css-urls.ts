// Finds and changes the URLs in a style sheet: url(…), @import "…". Guarantees that comments, other strings and
// everything around stay unchanged, and linear time even for unclosed constructs. Knows the tokens of CSS (CSS Syntax
// 3), not its grammar.

/** A place in a style sheet that names another file. */
export type CssPlace = {
  kind: 'url' | 'import';
  start: number;
  end: number;
  address: string;
  /** Of an import: what stands between the address and the semicolon, as `screen and (…)`. */
  conditions: string;
};

/** Changes addresses; null leaves an address as it is. */
export function editCss(css: string, change: (address: string, place: CssPlace) => string | null): string {
  return replaceCss(css, (place) => {
    const address = change(place.address, place);
    if (address === null) return null;
    if (place.kind === 'url') return cssUrl(address);
    return `@import ${cssUrl(address)}${place.conditions === '' ? '' : ` ${place.conditions}`};`;
  });
}

/** Replaces whole places: an import with its conditions and semicolon, or a url(…). */
export function replaceCss(css: string, replacement: (place: CssPlace) => string | null): string {
  let result = '';
  let copied = 0;
  for (const place of placesIn(css)) {
    const text = replacement(place);
    if (text === null) continue;
    result += css.slice(copied, place.start) + text;
    copied = place.end;
  }
  return copied === 0 ? css : result + css.slice(copied);
}

/** The address as url(…), without quotes, so that it fits into any quoted attribute. */
export function cssUrl(address: string): string {
  return `url(${address.replace(/["'()\\\s<>]/g, percentEncoded)})`;
}

function* placesIn(css: string): Generator<CssPlace> {
  const interesting = /\/\*|["']|(?<![\w-])url\(|@import(?![\w-])/gi;
  for (let found = interesting.exec(css); found; found = interesting.exec(css)) {
    const start = found.index;
    let next = interesting.lastIndex;
    switch (found[0].toLowerCase()) {
      case '/*': {
        const close = css.indexOf('*/', next);
        next = close < 0 ? css.length : close + 2;
        break;
      }
      case 'url(': {
        const url = readUrl(css, next);
        if (!url) break;
        next = url.end;
        if (url.address !== '') yield { kind: 'url', start, end: next, address: url.address, conditions: '' };
        break;
      }
      case '@import': {
        const rule = readImport(css, start, next);
        if (!rule) break;
        next = rule.end;
        yield rule;
        break;
      }
      default:
        next = endOfString(css, start);
    }
    interesting.lastIndex = next;
  }
}

function readImport(css: string, start: number, after: number): CssPlace | null {
  const at = skipSpace(css, after);
  const quoted = css[at] === '"' || css[at] === "'";
  const url = quoted ? readString(css, at) : /^url\($/i.test(css.slice(at, at + 4)) ? readUrl(css, at + 4) : null;
  if (!url || url.address === '') return null;
  // Conditions hold no braces; without a semicolon soon, this is no rule of ours.
  const rest = /[^;{}"']{0,500}/y;
  rest.lastIndex = url.end;
  const conditions = rest.exec(css)![0];
  const end = rest.lastIndex;
  if (css[end] !== ';' && end < css.length) return null;
  return { kind: 'import', start, end: end + 1, address: url.address, conditions: conditions.trim() };
}

/** Reads from behind `url(` to behind its bracket. */
function readUrl(css: string, from: number): { address: string; end: number } | null {
  const at = skipSpace(css, from);
  if (css[at] === '"' || css[at] === "'") {
    const text = readString(css, at);
    const close = text ? skipSpace(css, text.end) : 0;
    return text && css[close] === ')' ? { address: text.address, end: close + 1 } : null;
  }
  let end = at;
  while (end < css.length && !/["'()\s]/.test(css[end]!)) end += css[end] === '\\' ? 2 : 1;
  const close = skipSpace(css, end);
  return css[close] === ')' ? { address: unescapeCss(css.slice(at, end)), end: close + 1 } : null;
}

function readString(css: string, at: number): { address: string; end: number } | null {
  const end = endOfString(css, at);
  if (end - at < 2 || css[end - 1] !== css[at]) return null;
  return { address: unescapeCss(css.slice(at + 1, end - 1)).trim(), end };
}

/** Behind the closing quote; a string that a line break ends unclosed ends before it. */
function endOfString(css: string, at: number): number {
  const quote = css[at];
  for (let i = at + 1; i < css.length; i++) {
    if (css[i] === quote) return i + 1;
    if (css[i] === '\n') return i;
    if (css[i] === '\\') i++;
  }
  return css.length;
}

function skipSpace(css: string, at: number): number {
  let next = at;
  while (/\s/.test(css[next] ?? '')) next++;
  return next;
}

function unescapeCss(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(
    /\\(?:([0-9a-f]{1,6})\s?|(\n)|([\s\S]))/gi,
    (_all, hex?: string, newline?: string, sign?: string) => {
      if (hex === undefined) return newline === undefined ? sign! : '';
      const code = Number.parseInt(hex, 16);
      return code === 0 || code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code);
    },
  );
}

function percentEncoded(sign: string): string {
  return encodeURIComponent(sign).replace(/['()]/g, (left) => `%${left.charCodeAt(0).toString(16).toUpperCase()}`);
}
