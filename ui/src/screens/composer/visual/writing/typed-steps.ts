// What Undo takes back in the text that is being written, of which the model learns only in the end. What is typed in one go is a step,
// and so is each command, such as bold. Each step is the text as it was, with the cursor.
import type { Editor } from 'grapesjs';
import { cursorIn, placeCursor, written } from './cursor.ts';

/** Letters that follow each other in this time are typed in one go. */
export const typingMs = 1_500;

type State = { html: string; cursor: [from: number, to: number] | undefined };

export type TypedSteps = {
  canUndo(): boolean;
  canRedo(): boolean;
  undo(): void;
  redo(): void;
  stop(): void;
};

export function typedSteps(editor: Editor): TypedSteps {
  const page = editor.Canvas.getDocument()!;
  /** The text before the first step, and after each. */
  let states: State[] = [];
  /** The one that is shown. */
  let at = 0;
  /** What was typed last, while more of it belongs to the same step. */
  let last: { kind: string; at: number } | undefined;
  const element = () => written(editor)?.getEl();
  const now = (text: HTMLElement): State => ({ html: text.innerHTML, cursor: cursorIn(text) });
  const close = () => {
    last = undefined;
  };
  /** GrapesJS says which text is written in only after this event. */
  const begin = ({ el }: { el: HTMLElement }) => {
    states = [now(el)];
    at = 0;
    close();
  };
  /** Until something is typed, the text is as it came: GrapesJS draws that of a new block again. */
  const onSelection = () => {
    const text = element();
    if (text && states.length === 1 && at === 0) states = [now(text)];
  };
  const onInput = (event: Event) => {
    const text = element();
    if (
      !text?.contains(event.target as Node) ||
      !(event instanceof (page.defaultView as Window & typeof globalThis).InputEvent)
    )
      return;
    if (event.inputType === 'historyUndo') return;
    const kind = event.inputType.startsWith('delete') ? 'delete' : event.inputType;
    const isSame = last !== undefined && last.kind === kind && performance.now() - last.at < typingMs && at > 0;
    if (!isSame) at += 1;
    states = [...states.slice(0, at), now(text)];
    last = { kind, at: performance.now() };
  };
  const show = (next: number) => {
    const text = element();
    const state = states[next];
    if (!text || !state) return;
    at = next;
    close();
    text.innerHTML = state.html;
    editor.Canvas.getFrameEl().focus();
    text.focus();
    if (state.cursor) placeCursor(text, ...state.cursor);
    text.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'historyUndo' }));
  };
  const pages = [document, page];
  editor.on('rte:enable', begin);
  page.addEventListener('selectionchange', onSelection);
  page.addEventListener('input', onInput, true);
  for (const one of pages) one.addEventListener('mousedown', close, true);
  return {
    canUndo: () => element() !== undefined && at > 0,
    canRedo: () => element() !== undefined && at < states.length - 1,
    undo: () => show(at - 1),
    redo: () => show(at + 1),
    stop: () => {
      editor.off('rte:enable', begin);
      page.removeEventListener('selectionchange', onSelection);
      page.removeEventListener('input', onInput, true);
      for (const one of pages) one.removeEventListener('mousedown', close, true);
    },
  };
}
