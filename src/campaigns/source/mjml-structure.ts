// Checks the structure of MJML before it is rendered: elements that exist and are closed, no includes, limits of depth and of
// the size it can grow to. Each problem has its line and element. Guarantees that the renderer, which recurses and whose
// memory no thread limit covers, only gets what it can take.
import { Tokenizer } from 'parse5';

export type Problem = {
  what: 'root' | 'body' | 'element' | 'include' | 'unclosed' | 'unopened' | 'declaration' | 'nesting' | 'complex';
  line: number;
  element: string;
};

export type Structure = {
  problem?: Problem;
  /** Where attributes can be added to <mjml>; -1 if it has a language. */
  rootNameEnd: number;
  /** The head: default attributes in it need not be used. */
  head: { start: number; end: number };
  comments: { start: number; end: number }[];
};

const elements = new Set(
  (
    'mjml mj-head mj-body mj-attributes mj-all mj-class mj-breakpoint mj-font mj-preview mj-style mj-title mj-accordion ' +
    'mj-accordion-element mj-accordion-title mj-accordion-text mj-button mj-carousel mj-carousel-image mj-column mj-divider ' +
    'mj-group mj-hero mj-image mj-navbar mj-navbar-link mj-raw mj-section mj-social mj-social-element mj-spacer mj-table ' +
    'mj-text mj-wrapper'
  ).split(' '),
);
const voidElements = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '));

const maxDepth = 100;
/** Characters of HTML that the source may make, by a generous estimate. */
const maxGrowth = 16_000_000;
/** What an element without attributes becomes. */
const elementLength = 1_500;

export function structureOf(source: string): Structure {
  const found: Structure = { rootNameEnd: -1, head: { start: 0, end: 0 }, comments: [] };
  const open: { name: string; line: number }[] = [];
  const size = { elements: 0, longest: 0, defaults: 0, images: 0 };
  let hasRoot = false;
  let hasBody = false;
  const fail = (what: Problem['what'], line: number, element: string) => {
    found.problem ??= { what, line, element };
  };
  const ignore = () => {};
  const tokenizer = new Tokenizer(
    { sourceCodeLocationInfo: true },
    {
      onStartTag({ tagName: name, attrs, selfClosing, location }) {
        const { startLine: line, startOffset: start, endOffset: end } = location!;
        if (open.length === 0 && (name !== 'mjml' || hasRoot)) return fail('root', line, name);
        if (name === 'mj-include') return fail('include', line, name);
        if (name.startsWith('mj') && !elements.has(name)) return fail('element', line, name);
        if (name === 'mjml') {
          hasRoot = true;
          if (!attrs.some((attribute) => attribute.name === 'lang')) found.rootNameEnd = start + '<mjml'.length;
        }
        if (name === 'mj-body') hasBody = true;
        if (name === 'mj-head') found.head = { start, end: source.length };
        if (name.startsWith('mj-')) size.elements += 1;
        if (name === 'mj-carousel-image') size.images += 1;
        size.longest = Math.max(size.longest, end - start);
        if (open.some((outer) => outer.name === 'mj-attributes')) size.defaults += end - start;
        if (selfClosing || voidElements.has(name)) return;
        open.push({ name, line });
        if (open.length > maxDepth) fail('nesting', line, name);
      },
      onEndTag({ tagName: name, location }) {
        if (found.problem || voidElements.has(name)) return;
        const last = open.pop();
        const { startLine: line, endOffset } = location!;
        if (!last) return fail('unopened', line, name);
        if (last.name !== name) {
          const isOpen = open.some((outer) => outer.name === name);
          return isOpen ? fail('unclosed', last.line, last.name) : fail('unopened', line, name);
        }
        if (name === 'mj-head') found.head.end = endOffset;
      },
      onComment({ location }) {
        const { startOffset: start, endOffset: end, startLine } = location!;
        if (!source.startsWith('<!--', start)) return fail('declaration', startLine, source.slice(start, start + 20));
        found.comments.push({ start, end });
      },
      onDoctype: ({ location }) => fail('declaration', location!.startLine, '!DOCTYPE'),
      onCharacter({ chars, location }) {
        if (open.length === 0 && chars.trim() !== '') fail('root', location!.startLine, chars.trim().slice(0, 20));
      },
      onNullCharacter: ignore,
      onWhitespaceCharacter: ignore,
      onEof: ignore,
    },
  );
  tokenizer.write(source, true);
  const unclosed = open.at(-1);
  if (unclosed) fail('unclosed', unclosed.line, unclosed.name);
  if (!hasRoot) fail('root', 1, '');
  else if (!hasBody) fail('body', 1, 'mjml');
  // Each element may get all default attributes, and a carousel has a rule for each pair of its images.
  const growth = size.elements * (elementLength + size.longest + size.defaults) + size.images * size.images * 400;
  if (growth > maxGrowth) fail('complex', 1, 'mjml');
  return found;
}
