// Blocks of the visual editor that are copied and pasted, also in another email, and those that are dragged to another place. A copied
// block is on the clipboard under a type of its own, so that it is pasted as a block into this editor only.
import type { Component, Editor } from 'grapesjs';
import { blockOf } from './block.ts';
import { attributesToConditions } from './block-conditions.ts';
import { attributesToLoops } from './block-loops.ts';
import { textOf } from './element.ts';
import { written } from './writing/cursor.ts';

/** The type of a block that is dragged from the palette, with its name as the data. */
export const draggedBlock = 'application/x-postrider-block';

/** The type of a block of the page that is dragged to another place, with the id of its row. */
export const movedBlock = 'application/x-postrider-moved';

const copiedBlock = 'application/x-postrider-copied';

export const htmlOf = (block: Component): string =>
  attributesToLoops(attributesToConditions(block.toHTML({ keepInlineStyle: true })));

/** Copies the block of the selected element to the clipboard. @returns whether there was one */
export function copyBlock(editor: Editor): boolean {
  const page = editor.Canvas.getDocument()!;
  editor.Canvas.getFrameEl().focus();
  asksForBlock.add(page);
  const done = page.execCommand('copy');
  asksForBlock.delete(page);
  return done;
}

/** Pages in which the block is copied even while its text is written. */
const asksForBlock = new WeakSet<Document>();

/** Copies and pastes blocks by the keys of the browser, unless a text is written. */
export function acceptCopies(editor: Editor, onPaste: (html: string) => void): void {
  const page = editor.Canvas.getDocument()!;
  page.addEventListener(
    'copy',
    (event) => {
      const selected = editor.getSelected();
      const block = selected && blockOf(editor, selected);
      if (!block || (written(editor) && !asksForBlock.has(page))) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      event.clipboardData?.setData(copiedBlock, htmlOf(block));
      event.clipboardData?.setData('text/plain', textOf(block));
    },
    true,
  );
  page.addEventListener(
    'paste',
    (event) => {
      const html = event.clipboardData?.getData(copiedBlock);
      if (!html) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      onPaste(html);
    },
    true,
  );
}
