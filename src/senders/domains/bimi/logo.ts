// Whether an SVG document is a logo that mailbox providers accept: the basics of the profile SVG Tiny PS
// (draft-svg-tiny-ps-abrotman). Not a whole validation: an issuer of mark certificates does that. Guarantees an answer for any
// text; the caller limits its length.
import { SaxesParser, type SaxesTagNS } from 'saxes';
import { type Message, message } from '../../../base/messages.ts';

const svgNamespace = 'http://www.w3.org/2000/svg';
/** Scripts, animations, pictures, styles and effects, which the profile leaves out of SVG. */
const forbidden =
  /^(script|handler|listener|animate\w*|set|mpath|discard|image|video|audio|animation|foreignObject|filter|style|iframe)$/i;
const maxNamed = 3;
/** The parser looks through all open elements for a namespace. */
const maxDepth = 100;

export type Logo = { problems: Message[]; isSquare: boolean };

/** What is wrong with a document, and whether it is as wide as it is high (true when that cannot be read). */
export function readLogo(document: string): Logo {
  const reading = new Reading();
  try {
    reading.read(document);
  } catch (error) {
    const reason = (error as Error).message.slice(0, 100);
    return { problems: [message('bimi.svg_not_xml', { reason })], isSquare: true };
  }
  return { problems: reading.problems(), isSquare: reading.isSquare() };
}

class Reading {
  readonly #parser = new SaxesParser({ xmlns: true });
  readonly #forbidden = new Set<string>();
  readonly #links = new Set<string>();
  readonly #handlers = new Set<string>();
  #root: SaxesTagNS | undefined;
  #depth = 0;
  #inTitle = false;
  #title = '';
  #hasEntities = false;

  constructor() {
    this.#parser.on('error', (error) => {
      throw error;
    });
    this.#parser.on('doctype', (text) => {
      this.#hasEntities ||= text.includes('[');
    });
    this.#parser.on('opentag', (tag) => this.#open(tag));
    this.#parser.on('closetag', () => {
      this.#depth -= 1;
      if (this.#depth < 2) this.#inTitle = false;
    });
    this.#parser.on('text', (text) => {
      if (this.#inTitle) this.#title += text;
    });
  }

  read(document: string): void {
    this.#parser.write(document.replace(/^\uFEFF/, '')).close();
  }

  problems(): Message[] {
    const root = this.#root;
    if (root?.local !== 'svg' || root.uri !== svgNamespace) return [message('bimi.svg_not_svg')];
    const problems: Message[] = [];
    const attribute = (name: string) => root.attributes[name]?.value.trim();
    if (attribute('baseProfile') !== 'tiny-ps') problems.push(message('bimi.svg_profile'));
    if (attribute('version') !== '1.2') problems.push(message('bimi.svg_version'));
    if (attribute('x') !== undefined || attribute('y') !== undefined) problems.push(message('bimi.svg_position'));
    if (this.#title.trim() === '') problems.push(message('bimi.svg_title'));
    if (this.#hasEntities) problems.push(message('bimi.svg_entities'));
    if (this.#forbidden.size > 0) problems.push(message('bimi.svg_elements', { names: named(this.#forbidden) }));
    if (this.#handlers.size > 0) problems.push(message('bimi.svg_elements', { names: named(this.#handlers) }));
    if (this.#links.size > 0) problems.push(message('bimi.svg_links', { names: named(this.#links) }));
    return problems;
  }

  isSquare(): boolean {
    const [, , width, height] = (this.#root?.attributes['viewBox']?.value ?? '').trim().split(/[\s,]+/);
    return width === undefined || height === undefined || Number(width) === Number(height);
  }

  #open(tag: SaxesTagNS): void {
    this.#root ??= tag;
    this.#depth += 1;
    if (this.#depth > maxDepth) throw new Error(`more than ${maxDepth} elements nested`);
    if (this.#depth === 2 && tag.local === 'title' && tag.uri === svgNamespace) this.#inTitle = true;
    if (forbidden.test(tag.local)) this.#forbidden.add(tag.local);
    for (const { local, prefix, value } of Object.values(tag.attributes)) {
      if (prefix === 'xmlns' || local === 'xmlns') continue;
      if (/^on[a-z]/i.test(local)) this.#handlers.add(local);
      const leaves = local === 'href' ? !value.trim().startsWith('#') : /url\(['"\s]*[^#'"\s]/i.test(value);
      if (leaves) this.#links.add(`${tag.local} ${local}`);
    }
  }
}

function named(names: ReadonlySet<string>): string {
  return [...names]
    .slice(0, maxNamed)
    .map((name) => name.slice(0, 40))
    .join(', ');
}
