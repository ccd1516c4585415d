// Merge tags in the visual editor as the example contact reads them: each is covered by a chip with its value, or its name. The chips
// are beside the body, so that nothing of them can get into the email. In the text that is being written the tags themselves are
// seen, because the cursor is among their letters.
import type { Editor } from 'grapesjs';
import { written } from './cursor.ts';

/** What a chip shows for a tag, such as *|FNAME|*, and what it is called. */
export type TagWords = (tag: string) => { shown: string; title: string };

const tag = /\*\|[^|\n]{1,200}\|\*/g;

/** Covers the tags of the page. @returns stops it */
export function showTagValues(editor: Editor, wordsOf: TagWords): () => void {
  const page = editor.Canvas.getDocument()!;
  const layer = page.createElement('div');
  layer.setAttribute('aria-hidden', 'true');
  layer.style.cssText = 'position:absolute;inset:0 auto auto 0;width:0;height:0;pointer-events:none';
  page.documentElement.append(layer);
  const draw = () => {
    const writtenNow = written(editor)?.getEl();
    const texts = page.createTreeWalker(page.body, NodeFilter.SHOW_TEXT);
    const chips: HTMLElement[] = [];
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      if (writtenNow?.contains(node)) continue;
      for (const { index, 0: found } of (node.nodeValue ?? '').matchAll(tag))
        chips.push(...chipsOver(page, node, index, found, wordsOf(found)));
    }
    layer.replaceChildren(...chips);
  };
  // After the page has its new layout; once for several changes.
  let asked = false;
  const later = () => {
    if (asked) return;
    asked = true;
    editor.Canvas.getWindow().requestAnimationFrame(() => {
      asked = false;
      draw();
    });
  };
  const sizes = new ResizeObserver(later);
  sizes.observe(page.body);
  const events = 'update component:input component:styleUpdate rte:enable rte:disable undo redo';
  editor.on(events, later);
  // The model draws a text again a moment after it was left.
  const afterWriting = () => setTimeout(later, 50);
  editor.on('rte:disable', afterWriting);
  later();
  return () => {
    sizes.disconnect();
    editor.off(events, later);
    editor.off('rte:disable', afterWriting);
    layer.remove();
  };
}

/** A chip for each line that the tag is on; the words are in the widest. */
function chipsOver(page: Document, node: Node, index: number, found: string, { shown, title }: ReturnType<TagWords>) {
  const range = page.createRange();
  range.setStart(node, index);
  range.setEnd(node, index + found.length);
  const boxes = [...range.getClientRects()].filter(({ width }) => width > 0);
  const widest = boxes.toSorted((a, b) => b.width - a.width)[0];
  const style = page.defaultView!.getComputedStyle(node.parentElement!);
  return boxes.map((box) => {
    const chip = page.createElement('span');
    const { scrollX, scrollY } = page.defaultView!;
    chip.textContent = box === widest ? shown : '';
    chip.title = title;
    chip.style.cssText = `position:absolute;left:${box.left + scrollX}px;top:${box.top + scrollY}px;width:${box.width}px;height:${box.height}px;
      overflow:hidden;white-space:nowrap;text-overflow:ellipsis;text-align:center;border-radius:4px;background:#dbe6ff;color:#1b3f8f`;
    chip.style.font = style.font;
    chip.style.lineHeight = `${box.height}px`;
    return chip;
  });
}
