// What one Undo of the visual editor takes back: everything that one action of the user has changed, and nothing else. Without it
// GrapesJS groups by time alone, so that a text and the block that was added right after it would go together. Letters typed into
// one field of the panel, one after the other, and a slider that is moved, are one action too.
import type { Editor } from 'grapesjs';
import { endOfStep, endWriting, written } from './cursor.ts';
import { typedSteps, typingMs } from './typed-steps.ts';

/** An entry of the undo stack, of which GrapesJS takes back together those with the same index. */
type Entry = {
  get(name: 'type' | 'object' | 'before' | 'after'): unknown;
  set(name: 'magicFusionIndex', step: number): void;
  set(name: 'after', after: object): void;
};

export type UndoSteps = {
  canUndo(): boolean;
  canRedo(): boolean;
  undo(): Promise<void>;
  redo(): Promise<void>;
  /** Stops listening. */
  stop(): void;
};

/** Called once the frame is loaded. */
export function undoSteps(editor: Editor): UndoSteps {
  const stopGrouping = groupSteps(editor);
  const { UndoManager } = editor;
  const typing = typedSteps(editor);
  // What was done so far is how the page came.
  UndoManager.clear();
  const undo = async () => {
    if (typing.canUndo()) return typing.undo();
    await endWriting(editor);
    UndoManager.undo();
    deselectRemoved(editor);
  };
  const redo = async () => {
    if (typing.canRedo()) return typing.redo();
    await endWriting(editor);
    UndoManager.redo();
    deselectRemoved(editor);
  };
  const stopKeys = takeKeys(editor, { undo, redo });
  return {
    canUndo: () => typing.canUndo() || UndoManager.hasUndo(),
    canRedo: () => typing.canRedo() || UndoManager.hasRedo(),
    undo,
    redo,
    stop: () => {
      stopGrouping();
      stopKeys();
      typing.stop();
    },
  };
}

/** GrapesJS keeps an element selected that Undo or Redo has removed, and the panel would have its settings. */
function deselectRemoved(editor: Editor): void {
  const selected = editor.getSelected();
  const page = editor.getWrapper();
  if (selected && selected !== page && !selected.parents().includes(page!)) editor.select();
}

/** While a text is written, the browser would take back what it knows of: here too it is a step of ours. */
function takeKeys(editor: Editor, { undo, redo }: Pick<UndoSteps, 'undo' | 'redo'>): () => void {
  const page = editor.Canvas.getDocument()!;
  const onBefore = (event: InputEvent) => {
    const run = { historyUndo: undo, historyRedo: redo }[event.inputType];
    if (!run) return;
    event.preventDefault();
    void run();
  };
  const onKey = (event: KeyboardEvent) => {
    if (!written(editor) || !(event.ctrlKey || event.metaKey) || event.altKey) return;
    const key = event.key.toLowerCase();
    if (key !== 'z' && key !== 'y') return;
    event.preventDefault();
    event.stopImmediatePropagation();
    void (key === 'y' || event.shiftKey ? redo() : undo());
  };
  page.addEventListener('beforeinput', onBefore, true);
  page.addEventListener('keydown', onKey, true);
  return () => {
    page.removeEventListener('beforeinput', onBefore, true);
    page.removeEventListener('keydown', onKey, true);
  };
}

/** Gives the entries of one action the same index. @returns stops listening */
function groupSteps(editor: Editor): () => void {
  let step = 0;
  let isOpen = false;
  let last: { name: string; at: number } | undefined;
  /** When the mouse was pressed, while it is: what is dragged is one step, however long it takes. */
  let heldSince = Number.POSITIVE_INFINITY;
  const stack = editor.UndoManager.getStack() as unknown as { on(event: 'add', run: (entry: Entry) => void): void };
  stack.on('add', (entry) => {
    keepSource(entry);
    // It goes with what was done before.
    if (changesNothing(entry)) return entry.set('magicFusionIndex', step);
    const now = performance.now();
    const name = changedName(entry);
    const isRecent = last !== undefined && (now - last.at < typingMs || last.at >= heldSince);
    const isTyping = name !== undefined && last?.name === name && isRecent;
    if (!isOpen) {
      if (!isTyping) step += 1;
      isOpen = true;
      // Of several changes that are made in one go, the first is what is typed or moved.
      last = name === undefined ? undefined : { name, at: now };
      // They are one step, also without an event, such as an image that has been uploaded.
      setTimeout(close);
    }
    entry.set('magicFusionIndex', step);
  });
  const close = () => {
    isOpen = false;
  };
  const hold = () => {
    heldSince = performance.now();
  };
  const release = () => {
    heldSince = Number.POSITIVE_INFINITY;
  };
  editor.on(endOfStep, close);
  const pages = [document, editor.Canvas.getDocument()!];
  const events = ['mousedown', 'click', 'keydown', 'drop'] as const;
  for (const page of pages) for (const name of events) page.addEventListener(name, close, true);
  document.addEventListener('pointerdown', hold, true);
  document.addEventListener('pointerup', release, true);
  return () => {
    for (const page of pages) for (const name of events) page.removeEventListener(name, close, true);
    document.removeEventListener('pointerdown', hold, true);
    document.removeEventListener('pointerup', release, true);
  };
}

/**
 * An image has its address twice, as `src` and among its attributes. GrapesJS leaves `src` out of the entry when both are the same, and
 * Redo would leave that of before: of a new image the placeholder, which would go into the email.
 */
function keepSource(entry: Entry): void {
  const [before, after] = [entry.get('before'), entry.get('after')] as Values[];
  if (entry.get('type') !== 'change' || before?.['src'] === undefined || !after || 'src' in after) return;
  entry.set('after', { ...after, src: after['attributes']?.['src'] });
}

type Values = Record<string, Record<string, unknown> | undefined> | undefined;

/** GrapesJS draws the words of a new text again when they are written in. */
const changesNothing = (entry: Entry): boolean =>
  entry.get('type') === 'reset' && JSON.stringify(entry.get('before')) === JSON.stringify(entry.get('after'));

/** The element and the attributes and styles that have changed; undefined for other changes. */
function changedName(entry: Entry): string | undefined {
  if (entry.get('type') !== 'change') return undefined;
  const [before, after] = [entry.get('before'), entry.get('after')] as Record<string, Record<string, unknown>>[];
  const names: string[] = [];
  for (const group of ['attributes', 'style'] as const) {
    const [old, now] = [before?.[group] ?? {}, after?.[group] ?? {}];
    for (const name of new Set([...Object.keys(old), ...Object.keys(now)]))
      if (old[name] !== now[name]) names.push(`${group} ${name}`);
  }
  return names.length > 0 ? `${(entry.get('object') as { cid: string }).cid} ${names.sort().join(' ')}` : undefined;
}
