// Writing in a text of the visual editor: where the cursor is, inserting there, and the commands of the text bar. The cursor is
// remembered when the text is left, because its elements are made again from the model then.
import type { Component, Editor } from 'grapesjs';

/** A text and where the cursor was in it, counted in letters and elements from its start. */
type Cursor = { text: Component; from: number; to: number };

const cursors = new WeakMap<Editor, Cursor>();

/** Remembers where the cursor is. Called once the frame is loaded. */
export function followCursor(editor: Editor): void {
  const page = editor.Canvas.getDocument()!;
  page.addEventListener('selectionchange', () => {
    const text = written(editor);
    const element = text?.getEl();
    const cursor = element && cursorIn(element);
    if (text && cursor) cursors.set(editor, { text, from: cursor[0], to: cursor[1] });
  });
}

/** Where the cursor is in an element, counted in letters and elements from its start; undefined if it is elsewhere. */
export function cursorIn(element: HTMLElement): [from: number, to: number] | undefined {
  const selection = element.ownerDocument.getSelection();
  if (!selection?.rangeCount) return undefined;
  const range = selection.getRangeAt(0);
  if (!element.contains(range.startContainer) || !element.contains(range.endContainer)) return undefined;
  return [
    offsetOf(element, range.startContainer, range.startOffset),
    offsetOf(element, range.endContainer, range.endOffset),
  ];
}

export function placeCursor(element: HTMLElement, from: number, to: number): void {
  element.ownerDocument.getSelection()?.setBaseAndExtent(...pointAt(element, from), ...pointAt(element, to));
}

/** The text that is being written in now. */
export const written = (editor: Editor): Component | undefined => editor.getEditing() as Component | undefined;

/** Happens when what was typed is complete, and what follows is another step for Undo. */
export const endOfStep = 'end-of-step';

/** Ends writing: the model has the text then. */
export async function endWriting(editor: Editor): Promise<void> {
  const view = written(editor)?.getView() as { disableEditing?(): Promise<void> } | undefined;
  await view?.disableEditing?.();
  editor.trigger(endOfStep);
}

/** Writes in a text of the page, with the cursor where it was last, else at the end. @returns whether it was there before */
export async function writeIn(editor: Editor, text: Component): Promise<boolean> {
  const remembered = cursors.get(editor);
  const cursor = remembered?.text === text ? remembered : undefined;
  if (written(editor) !== text) {
    await endWriting(editor);
    editor.select(text);
    const view = text.getView() as { onActive?(event: Event): Promise<void> | void } | undefined;
    await view?.onActive?.(new MouseEvent('dblclick'));
  }
  const element = text.getEl();
  if (!element) return false;
  editor.Canvas.getFrameEl().focus();
  element.focus();
  const selection = element.ownerDocument.getSelection();
  selection?.selectAllChildren(element);
  if (!cursor) selection?.collapseToEnd();
  else placeCursor(element, cursor.from, cursor.to);
  return cursor !== undefined;
}

/**
 * Writes in a new text of which all is selected: what is typed replaces it. GrapesJS draws the words of a new text again a moment
 * later, which ends a selection in them: they are selected again, until the user does something.
 */
export async function replaceText(editor: Editor, text: Component): Promise<void> {
  await writeIn(editor, text);
  const page = editor.Canvas.getDocument()!;
  const words = text.getEl()?.textContent;
  const select = () => {
    const element = text.getEl();
    const selection = page.getSelection();
    if (element && selection?.isCollapsed && element.textContent === words) selection.selectAllChildren(element);
  };
  const drawn = new MutationObserver(select);
  const stop = () => {
    drawn.disconnect();
    editor.off('rte:disable', stop);
    for (const name of actions) page.removeEventListener(name, stop, true);
  };
  drawn.observe(page.body, { childList: true, characterData: true, subtree: true });
  editor.on('rte:disable', stop);
  for (const name of actions) page.addEventListener(name, stop, true);
}

const actions = ['keydown', 'pointerdown', 'beforeinput', 'input'] as const;

/** Inserts words where the cursor is, as if they were typed; after a space at the end of a text that had no cursor. */
export async function insertWords(editor: Editor, text: Component, words: string): Promise<void> {
  const hadCursor = await writeIn(editor, text);
  const old = text.getEl()?.textContent ?? '';
  const space = hadCursor || old === '' || /\s$/.test(old) ? '' : ' ';
  editor.Canvas.getDocument()!.execCommand('insertText', false, space + words);
}

/** Inserts a merge tag at the cursor of the text that is being written. */
export function insertTag(editor: Editor, tag: string): void {
  editor.Canvas.getDocument()!.execCommand('insertText', false, tag);
}

/** Of an element whose buttons are used while writing: GrapesJS ends it when the mouse is pressed outside the email. */
export const keepsWriting = { onMouseDown: (event: { stopPropagation(): void }) => event.stopPropagation() };

export type TextCommand =
  | 'bold'
  | 'italic'
  | 'underline'
  | 'strikeThrough'
  | 'insertUnorderedList'
  | 'insertOrderedList';

export async function runCommand(editor: Editor, text: Component, command: TextCommand): Promise<void> {
  await writeIn(editor, text);
  editor.Canvas.getDocument()!.execCommand(command);
}

/** Whether words are chosen in a text, or only a place between them. */
const hasWords = (editor: Editor) => editor.Canvas.getDocument()!.getSelection()?.isCollapsed === false;

/** Gives the chosen words a colour; the whole text, if none are chosen. */
export async function colourWords(editor: Editor, text: Component, colour: string): Promise<void> {
  const hadCursor = await writeIn(editor, text);
  if (!hadCursor || !hasWords(editor)) return void text.addStyle({ color: colour });
  const page = editor.Canvas.getDocument()!;
  // Else it would be a <font>, which the panel does not know.
  page.execCommand('styleWithCSS', false, 'true');
  page.execCommand('foreColor', false, colour);
  page.execCommand('styleWithCSS', false, 'false');
}

/** The link that the cursor is in. */
export function linkAtCursor(editor: Editor): HTMLAnchorElement | undefined {
  const node = editor.Canvas.getDocument()?.getSelection()?.anchorNode;
  const element = node?.nodeType === Node.ELEMENT_NODE ? (node as Element) : node?.parentElement;
  return element?.closest('a') ?? undefined;
}

/** Links the chosen words, or changes the link at the cursor; without either, the address itself is inserted. '' removes the link. */
export async function linkWords(editor: Editor, text: Component, href: string): Promise<void> {
  await writeIn(editor, text);
  const page = editor.Canvas.getDocument()!;
  const link = linkAtCursor(editor);
  if (link) page.getSelection()!.selectAllChildren(link);
  if (href === '') return void page.execCommand('unlink');
  if (hasWords(editor)) return void page.execCommand('createLink', false, href);
  const added = page.createElement('a');
  added.href = href;
  added.textContent = href.replace(/^https?:\/\//, '');
  page.execCommand('insertHTML', false, added.outerHTML);
}

/** The counts of letters and elements before a point. */
function offsetOf(root: Node, node: Node, offset: number): number {
  let count = 0;
  const stop = node.nodeType === Node.TEXT_NODE ? node : (node.childNodes[offset] ?? undefined);
  const last = stop === undefined ? lastWithin(node) : undefined;
  for (const at of nodesOf(root)) {
    if (at === stop) return count + (at === node ? offset : 0);
    count += sizeOf(at);
    if (at === last) return count;
  }
  return count;
}

/** The point after so many letters and elements. */
function pointAt(root: Node, offset: number): [Node, number] {
  let left = offset;
  for (const node of nodesOf(root)) {
    const size = sizeOf(node);
    if (node.nodeType === Node.TEXT_NODE && left <= size) return [node, left];
    if (left === 0) return [node.parentNode!, [...node.parentNode!.childNodes].indexOf(node as ChildNode)];
    left -= size;
  }
  return [root, root.childNodes.length];
}

const sizeOf = (node: Node) => (node.nodeType === Node.TEXT_NODE ? (node.nodeValue ?? '').length : 1);

/** The last node inside; the node itself if there is none. */
function lastWithin(node: Node): Node {
  let at = node;
  while (at.lastChild) at = at.lastChild;
  return at;
}

function* nodesOf(root: Node): Generator<Node> {
  const walker = root.ownerDocument!.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) yield node;
}
