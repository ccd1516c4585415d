// What one Undo of the visual editor takes back: everything that one action of the user has changed, and nothing else. Without it
// GrapesJS groups by time alone, so that a text and the block that was added right after it would go together. Letters typed into
// one field of the panel, one after the other, and a slider that is moved, are one action too.
import type { Editor } from 'grapesjs';
import { endOfStep, endWriting, written } from './cursor.ts';

/** An entry of the undo stack, of which GrapesJS takes back together those with the same index. */
type Entry = {
  get(name: 'type' | 'object' | 'before' | 'after'): unknown;
  set(name: 'magicFusionIndex', step: number): void;
};

/** Letters that follow each other in this time are typed in one go. */
const typingMs = 1_500;

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
  const typing = typedSteps(editor);
  const { UndoManager } = editor;
  // What was done so far is how the page came.
  UndoManager.clear();
  return {
    canUndo: () => typing.canUndo() || UndoManager.hasUndo(),
    canRedo: () => typing.canRedo() || UndoManager.hasRedo(),
    undo: async () => {
      if (typing.canUndo()) return typing.run('undo');
      await endWriting(editor);
      UndoManager.undo();
    },
    redo: async () => {
      if (typing.canRedo()) return typing.run('redo');
      await endWriting(editor);
      UndoManager.redo();
    },
    stop: () => {
      stopGrouping();
      typing.stop();
    },
  };
}

/** While a text is written, the browser takes back what was typed into it since; the model gets the whole text in the end. */
function typedSteps(editor: Editor) {
  const page = editor.Canvas.getDocument()!;
  let before: string | undefined;
  /** What was taken back and nothing typed after it. */
  let undone = 0;
  const onInput = ({ inputType }: Event & { inputType?: string }) => {
    if (inputType === 'historyUndo') undone += 1;
    else undone = inputType === 'historyRedo' ? undone - 1 : 0;
  };
  const onEnable = () => {
    before = written(editor)?.getEl()?.innerHTML ?? editor.getSelected()?.getEl()?.innerHTML;
    undone = 0;
  };
  page.addEventListener('input', onInput, true);
  editor.on('rte:enable', onEnable);
  return {
    canUndo: () => {
      const text = written(editor)?.getEl();
      return text !== undefined && text.innerHTML !== before;
    },
    canRedo: () => written(editor) !== undefined && undone > 0,
    run: (command: 'undo' | 'redo') => {
      editor.Canvas.getFrameEl().focus();
      page.execCommand(command);
    },
    stop: () => page.removeEventListener('input', onInput, true),
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
