// Draws a part of the visual editor again when something is changed or taken back, and when the cursor moves.
import { useEffect, useState } from 'react';
import type { Visual } from '../grapes-editor.ts';

export function useRedraw(visual: Visual | undefined): void {
  const [, redraw] = useState(0);
  useEffect(() => {
    if (!visual) return;
    const { editor } = visual;
    const page = editor.Canvas.getDocument()!;
    // After GrapesJS has finished.
    const later = () => queueMicrotask(() => redraw((count) => count + 1));
    const events = 'update component:input rte:enable rte:disable undo redo';
    editor.on(events, later);
    page.addEventListener('selectionchange', later);
    return () => {
      editor.off(events, later);
      page.removeEventListener('selectionchange', later);
    };
  }, [visual]);
}
