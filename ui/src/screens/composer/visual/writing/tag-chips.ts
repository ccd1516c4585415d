// Merge tags in the visual editor as the example contact reads them. In the texts of the frame each tag is replaced by its value, or its
// name, so that a chip is as wide as what it shows and lines break as they will; the model keeps the tags. A chip is drawn over the
// value, beside the body, so that nothing of it can get into the email. In the text that is being written the tags themselves are
// seen, because the cursor is among their letters: there they are highlights of the browser.
import type { Editor } from 'grapesjs';

/** What a chip shows for a tag, such as *|FNAME|*, and what it is called. */
export type TagWords = (tag: string) => { shown: string; title: string };

export type TagChips = {
  /** Shows the tags with these words; until then, as they are. */
  show(wordsOf: TagWords): void;
  /** Reads the frame while its texts have their tags. */
  asWritten<T>(read: () => T): T;
  stop(): void;
};

export const tagHighlight = 'merge-tag';
const tag = /\*\|[^|\n]{1,200}\|\*/g;

/** A value in a text of the frame, in place of a tag. */
type Shown = { node: Text; at: number; tag: string; shown: string; title: string };

const layerStyle = 'position:absolute;inset:0 auto auto 0;width:0;height:0;pointer-events:none';
/** What an element of the frame looks like: the chip has the same letters as the value below it. */
const letters = ['font', 'letterSpacing', 'textTransform', 'fontFeatureSettings'] as const;

/** Called once the frame is loaded. */
export function tagChips(editor: Editor): TagChips {
  const frame = editor.Canvas.getWindow() as Window & typeof globalThis;
  const page = editor.Canvas.getDocument()!;
  const layer = page.createElement('div');
  layer.setAttribute('aria-hidden', 'true');
  layer.style.cssText = layerStyle;
  const style = page.createElement('style');
  style.textContent = `::highlight(${tagHighlight}) { background-color: #dbe6ff; color: #1b3f8f; }`;
  page.head.append(style);
  page.documentElement.append(layer);

  let wordsOf: TagWords | undefined;
  let values: Shown[] = [];
  /** The text that is being written, or is about to be: it has its tags. */
  let written: Node | undefined;

  /** Puts the tags back, from the last to the first, because of their places. */
  const putBack = (isThere: (node: Node) => boolean = () => true) => {
    const back = values.filter(({ node }) => isThere(node));
    values = values.filter((value) => !back.includes(value));
    for (const { node, at, tag, shown } of back.toReversed())
      if (node.data.startsWith(shown, at)) node.replaceData(at, shown.length, tag);
  };
  const draw = () => {
    putBack();
    const marks: Range[] = [];
    const texts = page.createTreeWalker(page.body, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode() as Text | null; node; node = texts.nextNode() as Text | null) {
      const found = [...node.data.matchAll(tag)];
      if (!wordsOf || written?.contains(node))
        for (const {
          index,
          0: { length },
        } of found)
          marks.push(rangeOf(node, index, length));
      else values.push(...replaceTags(node, found, wordsOf));
    }
    if (frame.CSS?.highlights) frame.CSS.highlights.set(tagHighlight, new frame.Highlight(...marks));
    layer.replaceChildren(...values.flatMap(chipsOver));
  };
  const later = oncePerFrame(frame, draw);
  const stopHints = showTitles(layer);
  const stopWriting = beforeReading(editor, (text) => {
    written = text;
    putBack((node) => text.contains(node));
  });
  const afterWriting = ({ el }: { el?: Node } = {}) => {
    if (el === undefined || el === written) written = undefined;
    // The model draws a text again a moment after it was left.
    setTimeout(later, 50);
  };
  const sizes = new ResizeObserver(later);
  sizes.observe(page.body);
  const events = 'update component:input component:styleUpdate rte:enable rte:disable undo redo';
  editor.on(events, later);
  editor.on('rte:disable', afterWriting);
  draw();
  return {
    show: (words) => {
      wordsOf = words;
      later();
    },
    asWritten: (read) => {
      putBack();
      try {
        return read();
      } finally {
        draw();
      }
    },
    stop: () => {
      stopWriting();
      stopHints();
      sizes.disconnect();
      editor.off(events, later);
      editor.off('rte:disable', afterWriting);
    },
  };
}

/** Replaces the tags that were found in a text. */
function replaceTags(node: Text, found: RegExpExecArray[], wordsOf: TagWords): Shown[] {
  let shift = 0;
  return found.map(({ index, 0: tag }) => {
    const { shown, title } = wordsOf(tag);
    const at = index + shift;
    node.replaceData(at, tag.length, shown);
    shift += shown.length - tag.length;
    return { node, at, tag, shown, title };
  });
}

function rangeOf(node: Text, at: number, length: number): Range {
  const range = node.ownerDocument.createRange();
  range.setStart(node, at);
  range.setEnd(node, at + length);
  return range;
}

/** A chip for each line that the value is on, with its words of that line. */
function chipsOver({ node, at, shown, title }: Shown): HTMLElement[] {
  const page = node.ownerDocument;
  const { scrollX, scrollY, getComputedStyle } = page.defaultView!;
  const style = getComputedStyle(node.parentElement!);
  return linesOf(node, at, shown).map(({ words, box }) => {
    const chip = page.createElement('span');
    chip.textContent = words;
    chip.dataset['title'] = title;
    chip.style.cssText = `position:absolute;left:${box.left + scrollX}px;top:${box.top + scrollY}px;width:${box.width}px;height:${box.height}px;
      white-space:pre;border-radius:3px;background:#dbe6ff;box-shadow:0 0 0 1px #dbe6ff;color:#1b3f8f`;
    for (const name of letters) chip.style[name] = style[name];
    chip.style.lineHeight = `${box.height}px`;
    return chip;
  });
}

type Line = { words: string; box: DOMRect };

/** The lines that a value is on. */
function linesOf(node: Text, at: number, shown: string): Line[] {
  const boxes = [...rangeOf(node, at, shown.length).getClientRects()].filter(({ width }) => width > 0);
  if (boxes.length < 2) return boxes.map((box) => ({ words: shown, box }));
  const words = boxes.map(() => '');
  for (let letter = 0; letter < shown.length; letter += 1) {
    const box = rangeOf(node, at + letter, 1).getBoundingClientRect();
    const line = boxes.findIndex(({ top, bottom }) => box.top < bottom && box.bottom > top);
    if (line >= 0) words[line] = `${words[line]}${shown[letter]}`;
  }
  return boxes.map((box, line) => ({ words: words[line]!, box }));
}

/** The name and the tag of the chip below the mouse, as the tooltip of the page: the chips themselves let clicks through. */
function showTitles(layer: HTMLElement): () => void {
  const page = layer.ownerDocument;
  const onMove = ({ clientX: x, clientY: y }: MouseEvent) => {
    const chip = [...layer.children].find((chip) => {
      const { left, right, top, bottom } = chip.getBoundingClientRect();
      return x >= left && x <= right && y >= top && y <= bottom;
    });
    page.documentElement.title = (chip as HTMLElement | undefined)?.dataset['title'] ?? '';
  };
  page.addEventListener('mousemove', onMove);
  return () => page.removeEventListener('mousemove', onMove);
}

/** GrapesJS reads a text before it is written in, and after it. */
function beforeReading({ RichTextEditor }: Editor, run: (text: Node) => void): () => void {
  const { getContent } = RichTextEditor;
  RichTextEditor.getContent = (view, rte) => {
    run(view.el);
    return getContent.call(RichTextEditor, view, rte);
  };
  return () => {
    RichTextEditor.getContent = getContent;
  };
}

/** Runs after the page has its new layout; once for several changes. */
function oncePerFrame(frame: Window, run: () => void): () => void {
  let isAsked = false;
  return () => {
    if (isAsked) return;
    isAsked = true;
    frame.requestAnimationFrame(() => {
      isAsked = false;
      run();
    });
  };
}
