// How the selection in the visual editor ends: by a click beside the blocks, and by Escape. The panel has the settings of the page then.
import type { Component, Editor } from 'grapesjs';
import { isGround } from './block.ts';
import { endWriting, written } from './writing/cursor.ts';

/** Called once the frame is loaded. */
export function endSelection(editor: Editor): void {
  const page = editor.Canvas.getDocument()!;
  page.addEventListener(
    'click',
    (event) => {
      const components: Component[] = editor.getWrapper()!.find('*');
      const target = components.findLast((component) => component.getEl()?.contains(event.target as Node));
      if (!isGround(editor, target)) return;
      // GrapesJS would select the table around the whole email.
      event.preventDefault();
      event.stopImmediatePropagation();
      void deselect(editor);
    },
    true,
  );
  page.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    // The first ends writing: its block stays selected.
    if (written(editor)) void endWriting(editor);
    else editor.select();
  });
}

/** Selects nothing. What was being typed is kept. */
export async function deselect(editor: Editor): Promise<void> {
  await endWriting(editor);
  editor.select();
}
