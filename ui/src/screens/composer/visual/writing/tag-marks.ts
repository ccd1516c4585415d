// Merge tags in the visual editor look like chips. They are highlights of the browser, which leave the page's elements as they
// are: nothing of them can get into the email. A browser without highlights shows the tags as text.
import type { Editor } from 'grapesjs';

export const tagHighlight = 'merge-tag';
const tag = /\*\|[^|\n]{1,200}\|\*/g;

export function markTags(editor: Editor) {
  const frame = editor.Canvas.getWindow() as Window & typeof globalThis;
  const page = editor.Canvas.getDocument()!;
  if (!frame.CSS?.highlights) return;
  const style = page.createElement('style');
  style.textContent = `::highlight(${tagHighlight}) { background-color: #dbe6ff; color: #1b3f8f; }`;
  page.head.append(style);
  const mark = () => {
    const ranges: Range[] = [];
    const texts = page.createTreeWalker(page.body, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node; node = texts.nextNode())
      for (const { index, 0: found } of (node.nodeValue ?? '').matchAll(tag)) {
        const range = page.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + found.length);
        ranges.push(range);
      }
    frame.CSS.highlights.set(tagHighlight, new frame.Highlight(...ranges));
  };
  mark();
  editor.on('update component:input rte:disable', mark);
}
