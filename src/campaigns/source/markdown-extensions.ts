// What editors write beyond CommonMark: footnotes, task lists, and addresses with blanks in links and pictures. In an email a
// footnote has no link: mail programs do not follow links within a message.
import type { MarkdownIt, Token } from 'markdown-it';

export function extend(markdown: MarkdownIt): void {
  footnotes(markdown);
  taskLists(markdown);
  addressesWithBlanks(markdown);
}

/** The texts of footnotes by label, and their numbers in the order of the first references. */
type Env = { notes?: Map<string, string>; numbers?: Map<string, number> };

const definition = /^\[\^([^\]\s]{1,60})\]:[ \t]*(.*)$/;

function footnotes(markdown: MarkdownIt): void {
  markdown.block.ruler.before(
    'reference',
    'footnote',
    (state, startLine, endLine, silent) => {
      if (state.sCount[startLine]! - state.blkIndent >= 4) return false;
      const textOf = (line: number) => state.src.slice(state.bMarks[line]! + state.tShift[line]!, state.eMarks[line]);
      const [, label, first] = definition.exec(textOf(startLine)) ?? [];
      if (label === undefined) return false;
      if (silent) return true;
      const lines = [first!];
      let next = startLine + 1;
      // The note continues on the next line, unless another one begins there.
      for (; next < endLine && !state.isEmpty(next) && !definition.test(textOf(next)); next++) lines.push(textOf(next));
      const env = state.env as Env;
      env.notes ??= new Map();
      if (!env.notes.has(label)) env.notes.set(label, lines.join('\n'));
      state.line = next;
      return true;
    },
    { alt: ['paragraph', 'reference'] },
  );
  markdown.inline.ruler.before('link', 'footnote_reference', (state, silent) => {
    const [whole, label] = /^\[\^([^\]\s]{1,60})\]/.exec(state.src.slice(state.pos, state.pos + 64)) ?? [];
    const env = state.env as Env;
    if (whole === undefined || !env.notes?.has(label!)) return false;
    if (!silent) {
      env.numbers ??= new Map();
      if (!env.numbers.has(label!)) env.numbers.set(label!, env.numbers.size + 1);
      state.push('sup_open', 'sup', 1);
      state.push('text', '', 0).content = String(env.numbers.get(label!));
      state.push('sup_close', 'sup', -1);
    }
    state.pos += whole.length;
    return true;
  });
  markdown.core.ruler.after('inline', 'footnotes', (state) => {
    const env = state.env as Env;
    if (!env.notes) return;
    env.numbers ??= new Map();
    const { notes, numbers } = env as Required<Env>;
    const add = (type: string, tag: string, nesting: 1 | 0 | -1) => {
      const token = new state.Token(type, tag, nesting);
      token.block = true;
      state.tokens.push(token);
      return token;
    };
    add('hr', 'hr', 0);
    add('ordered_list_open', 'ol', 1);
    const addNote = (label: string) => {
      add('list_item_open', 'li', 1);
      const inline = add('inline', '', 0);
      inline.content = notes.get(label)!;
      inline.children = [];
      state.md.inline.parse(inline.content, state.md, state.env, inline.children);
      add('list_item_close', 'li', -1);
    };
    // Grows while it is read: a note may refer to another one.
    for (const label of numbers.keys()) addNote(label);
    // Notes that nothing refers to are last, so that no text is lost.
    for (const label of notes.keys())
      if (!numbers.has(label)) {
        numbers.set(label, numbers.size + 1);
        addNote(label);
      }
    add('ordered_list_close', 'ol', -1);
  });
}

/** A box in the text: mail programs remove form elements, or show them without effect. */
function taskLists(markdown: MarkdownIt): void {
  markdown.core.ruler.after('inline', 'task_lists', ({ tokens }) => {
    for (const [i, token] of tokens.entries()) {
      if (token.type !== 'inline' || tokens[i - 2]?.type !== 'list_item_open') continue;
      const first: Token | undefined = token.children?.[0];
      const [whole, mark] = (first?.type === 'text' && /^\[([ xX])\](?=\s|$)/.exec(first.content)) || [];
      if (whole) first!.content = (mark === ' ' ? '☐' : '☑') + first!.content.slice(whole.length);
    }
  });
}

/** A destination as people write it: blanks, and brackets in pairs. Where CommonMark reads one, this is not asked. */
const loose = /^\(\s*([^()<>\n"']+(?:\([^()\n]*\)[^()<>\n"']*)*)(?:\s+(?:"([^"\n]*)"|'([^'\n]*)'))?\s*\)/;

function addressesWithBlanks(markdown: MarkdownIt): void {
  markdown.inline.ruler.after('image', 'loose_address', (state, silent) => {
    const isImage = state.src.startsWith('![', state.pos);
    const start = state.pos + (isImage ? 1 : 0);
    if (state.src[start] !== '[') return false;
    const end = state.md.helpers.parseLinkLabel(state, start, !isImage);
    if (end < 0) return false;
    const [whole, address, ...titles] = loose.exec(state.src.slice(end + 1, Math.min(end + 3000, state.posMax))) ?? [];
    if (whole === undefined) return false;
    const href = state.md.normalizeLink(address!.trim());
    if (!state.md.validateLink(href)) return false;
    if (!silent) {
      const title = titles.find((text) => text !== undefined);
      const text = state.src.slice(start + 1, end);
      const more: [string, string][] = title ? [['title', title]] : [];
      if (isImage) {
        const token = state.push('image', 'img', 0);
        token.attrs = [['src', href], ['alt', ''], ...more];
        token.content = text;
        token.children = [];
        state.md.inline.parse(text, state.md, state.env, token.children);
      } else {
        state.push('link_open', 'a', 1).attrs = [['href', href], ...more];
        const { pos, posMax } = state;
        state.pos = start + 1;
        state.posMax = end;
        state.linkLevel++;
        state.md.inline.tokenize(state);
        state.linkLevel--;
        Object.assign(state, { pos, posMax });
        state.push('link_close', 'a', -1);
      }
    }
    state.pos = end + 1 + whole.length;
    return true;
  });
}
