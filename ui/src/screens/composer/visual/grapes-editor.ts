// GrapesJS, the engine of the visual editor: it shows the page in a frame, lets users select, edit and move elements, and
// returns HTML. Blocks, settings and texts around it are ours (visual-editor.tsx): none of its panels, icons or style
// sheets are used, and nothing is loaded from other servers.
import grapesjs, { type Component, type Editor } from 'grapesjs';
import 'grapesjs/dist/css/grapes.min.css';
import { droppedPicture, holdsFiles, pastedPicture } from '../pictures/picture-file.ts';
import { addRow, blockOf, moveTo, type RowPlace, removeBlock, rowFrom } from './block.ts';
import { attributesToConditions, conditionAttribute, conditionsToAttributes } from './block-conditions.ts';
import { attributesToLoops, loopAttribute, loopsToAttributes } from './block-loops.ts';
import { acceptCopies, draggedBlock, movedBlock } from './block-transfer.ts';
import type { BlockName } from './blocks.ts';
import { isPicture } from './element.ts';
import { endSelection } from './end-selection.ts';
import { type PageParts, pageParts, unstyled } from './page-parts.ts';
import { pagePatch } from './page-patch.ts';
import { followCursor } from './writing/cursor.ts';
import { type TagChips, tagChips } from './writing/tag-chips.ts';
import { type UndoSteps, undoSteps } from './writing/undo-steps.ts';

export type Visual = {
  editor: Editor;
  /** Whether the editor reproduces the page: rewriting it would change nothing visible. */
  faithful: boolean;
  steps: UndoSteps;
  chips: TagChips;
  /** @param discards without reporting the text that is being typed */
  destroy(discards?: boolean): void;
};

type Options = {
  html: string;
  title: string;
  /** The new content, between what comes before and after it in the page. */
  onContent(content: string): void;
  onSelect(selected: Component | undefined): void;
  /** Asks for an image: for this element, or after the selected one; from this file if it was dropped or pasted. */
  onPicture(target: Component | undefined, file?: File): void;
  /** A block of the palette was dropped in the page. */
  onBlock(name: BlockName, at: RowPlace): void;
};

export function startVisual(
  place: HTMLElement,
  { html, title, onContent, onSelect, onPicture, onBlock }: Options,
): Promise<Visual> {
  const parts = pageParts(html);
  const shown = unstyled(parts.content);
  const selectedPicture = () => {
    const selected = editor.getSelected();
    return selected && isPicture(selected) ? selected : undefined;
  };
  const editor = grapesjs.init({
    container: place,
    height: '100%',
    width: 'auto',
    fromElement: false,
    storageManager: false,
    telemetry: false,
    noticeOnUnload: false,
    cssIcons: '',
    protectedCss: '',
    // Email clients read style attributes; many ignore style sheets.
    avoidInlineStyle: false,
    forceClass: false,
    multipleSelection: false,
    // Undo takes back changes; what was selected is none.
    undoManager: { trackSelection: false },
    // Its place is a bar of ours above the frame.
    richTextEditor: { custom: true },
    components: conditionsToAttributes(loopsToAttributes(shown)),
    panels: { defaults: [] },
    blockManager: { custom: true, blocks: [] },
    layerManager: { custom: true },
    styleManager: { custom: true },
    traitManager: { custom: true },
    selectorManager: { custom: true },
    // A double click on an image asks for another one.
    assetManager: { custom: { open: () => onPicture(selectedPicture()), close: () => {} } },
    deviceManager: { devices: [] },
    showDevices: false,
    plugins: [editTextOfCells],
    parser: { optionsHtml: { allowScripts: false, allowUnsafeAttr: false, keepEmptyTextNodes: true } },
  });
  const { promise, resolve } = Promise.withResolvers<Visual>();
  editor.on('load', () => {
    // The page was left before its frame was loaded.
    if (!editor.Canvas.getDocument()) return editor.destroy();
    styleFrame(editor, parts, title);
    const chips = tagChips(editor);
    followCursor(editor);
    const steps = undoSteps(editor);
    setKeys(editor, steps);
    acceptFiles(editor, onPicture);
    acceptBlocks(editor, onBlock);
    endSelection(editor);
    acceptCopies(editor, (row) => void addRow(editor, () => rowFrom(editor, row)));
    const { faithful, end } = reportContent(editor, parts.content, onContent);
    editor.on('component:selected', () => onSelect(editor.getSelected()));
    editor.on('component:deselected', () => onSelect(editor.getSelected()));
    editor.on('component:update', () => onSelect(editor.getSelected()));
    resolve({
      editor,
      faithful,
      steps,
      chips,
      destroy: (discards = false) => {
        steps.stop();
        chips.stop();
        end(discards);
        // The text being typed has been read. GrapesJS would end its editing a moment later, when its parts are gone.
        Object.assign(textBeingEdited(editor)?.view ?? {}, { disableEditing: () => undefined });
        editor.destroy();
      },
    });
  });
  return promise;
}

/**
 * Reports the content whenever it has changed, also while text is being typed.
 * @returns whether the editor reproduces this source, and what ends reporting
 */
function reportContent(editor: Editor, source: string, onContent: Options['onContent']) {
  const first = contentOf(editor);
  const faithful = sameContent(unstyled(source), first);
  const authored = authoredContent(source, first, faithful);
  let last = first;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let ended = false;
  const write = (typed?: Component) => {
    // Events during destroy() would overwrite what was typed elsewhere since.
    if (ended) return;
    const content = typed ? contentWhileTyping(editor, typed) : contentOf(editor);
    if (content === last) return;
    last = content;
    onContent(authored(content));
  };
  editor.on('update', () => write(textBeingEdited(editor)));
  // The model is updated a moment later: until then it has the old text, which must not be written back.
  editor.on('rte:disable', ({ model }: { model: Component }) => {
    clearTimeout(timer);
    timer = undefined;
    write(model);
  });
  // The model gets the text only when editing ends; it is saved before that, too. The first letter is saved at once, so
  // that the page knows there are unsaved changes.
  editor.on('component:input', (component: Component) => {
    if (timer === undefined) write(component);
    clearTimeout(timer);
    timer = setTimeout(() => {
      timer = undefined;
      write(component);
    }, 400);
  });
  const end = (discards: boolean) => {
    clearTimeout(timer);
    if (!discards) write(textBeingEdited(editor));
    ended = true;
  };
  return { faithful, end };
}

/** Lets users edit text that is directly in a table cell, as in most emails; GrapesJS knows such a cell as a part of its table only. */
function editTextOfCells(editor: Editor) {
  editor.Components.addType('text-cell', {
    extend: 'text',
    extendView: 'text',
    isComponent: (element) => (isTextCell(element) ? { type: 'text-cell' } : undefined),
  });
}

/** A table cell with words of its own, and nothing but words, breaks, links and pictures among them. */
function isTextCell(element: HTMLElement): boolean {
  if (!['TD', 'TH'].includes(element.tagName)) return false;
  if (element.querySelector('*:not(a, b, br, em, font, i, img, s, small, span, strong, sub, sup, u)')) return false;
  const words = [...element.childNodes].filter((node) => node.nodeName !== 'A');
  return words.some((node) => (node.textContent ?? '').trim() !== '');
}

/** Keys that work while no text is being edited. The default ones would select by letter and delete by Backspace. */
function setKeys(editor: Editor, steps: UndoSteps) {
  editor.Keymaps.removeAll();
  const keys: Record<string, [keys: string, act: () => void]> = {
    undo: ['ctrl+z, ⌘+z', () => void steps.undo()],
    redo: ['ctrl+shift+z, ctrl+y, ⌘+shift+z', () => void steps.redo()],
    remove: ['delete', () => void removeBlock(editor)],
  };
  for (const [name, [pressed, act]] of Object.entries(keys)) editor.Keymaps.add(name, pressed, act, { prevent: true });
}

const contentOf = (editor: Editor) =>
  attributesToLoops(attributesToConditions(editor.getWrapper()!.getInnerHTML({ keepInlineStyle: true })));

/** The text element that is being edited now. */
function textBeingEdited(editor: Editor): Component | undefined {
  const selected = editor.getSelected();
  return selected?.getEl()?.isContentEditable ? selected : undefined;
}

/** The content with the element's text as it is in the frame, without the attributes and classes of the editor. */
function contentWhileTyping(editor: Editor, component: Component): string {
  const copy = component.getEl()?.cloneNode(true) as HTMLElement | undefined;
  if (!copy) return contentOf(editor);
  for (const element of copy.querySelectorAll('*')) {
    for (const { name } of [...element.attributes])
      if (name.startsWith('data-gjs') || ['data-highlightable', 'draggable', 'contenteditable'].includes(name))
        element.removeAttribute(name);
    element.classList.remove(...[...element.classList].filter((name) => name.startsWith('gjs-')));
    if (element.className === '') element.removeAttribute('class');
    const authored = element.id && editor.Components.getById(element.id)?.getAttributes({ noStyle: true })['id'];
    if (!authored) element.removeAttribute('id');
  }
  const text = copy.innerHTML;
  component.getInnerHTML = () => text;
  try {
    return contentOf(editor);
  } finally {
    // Restores the method of its class.
    Reflect.deleteProperty(component, 'getInnerHTML');
  }
}

/** Gives the frame a title, and the styles of the page and of its body. */
function styleFrame(editor: Editor, parts: PageParts, title: string) {
  const frame = editor.Canvas.getFrameEl();
  frame.title = title;
  const page = editor.Canvas.getDocument()!;
  const style = page.createElement('style');
  // Stronger than the editor's own `body`, which is white and comes later.
  const condition = `tr[${conditionAttribute}]>td,tr[${loopAttribute}]>td{outline:1px dashed #2a5bcc;outline-offset:-1px}`;
  style.textContent = `${parts.css}\nhtml body{${parts.bodyStyle}}${condition}`;
  page.head.append(style);
  page.documentElement.lang = document.documentElement.lang;
}

/** Accepts dropped and pasted images: on an image they replace it, elsewhere they come after the element below. */
function acceptFiles(editor: Editor, onPicture: Options['onPicture']) {
  const page = editor.Canvas.getDocument()!;
  for (const name of ['dragenter', 'dragover'] as const)
    page.addEventListener(name, (event) => holdsFiles(event.dataTransfer) && keepFromOthers(event), true);
  page.addEventListener(
    'drop',
    (event) => {
      if (!holdsFiles(event.dataTransfer)) return;
      keepFromOthers(event);
      const file = droppedPicture(event.dataTransfer);
      if (!file) return;
      const components: Component[] = editor.getWrapper()!.find('*');
      const target = components.findLast((component) => component.getEl()?.contains(event.target as Node));
      if (target) editor.select(target);
      onPicture(target && isPicture(target) ? target : undefined, file);
    },
    true,
  );
  page.addEventListener(
    'paste',
    (event) => {
      const file = pastedPicture(event.clipboardData);
      if (!file) return;
      keepFromOthers(event);
      const selected = editor.getSelected();
      onPicture(selected && isPicture(selected) ? selected : undefined, file);
    },
    true,
  );
}

/** Accepts blocks that are dragged from the palette, or from another place of the page: a line shows where the block goes. */
function acceptBlocks(editor: Editor, onBlock: Options['onBlock']) {
  const page = editor.Canvas.getDocument()!;
  // Beside the body, so that it is no part of the email.
  const line = page.createElement('div');
  line.style.cssText = 'position:fixed;height:3px;background:#2a5bcc;pointer-events:none;z-index:9999';
  const isBlock = (event: DragEvent) =>
    [draggedBlock, movedBlock].some((type) => event.dataTransfer?.types.includes(type));
  const placeOf = (event: DragEvent): RowPlace => {
    const components: Component[] = editor.getWrapper()!.find('*');
    const target = components.findLast((component) => component.getEl()?.contains(event.target as Node));
    const block = target && blockOf(editor, target);
    const box = block?.getEl()?.getBoundingClientRect();
    return block && box && { block, after: event.clientY > box.top + box.height / 2 };
  };
  for (const name of ['dragenter', 'dragover'] as const)
    page.addEventListener(
      name,
      (event) => {
        if (!isBlock(event)) return;
        keepFromOthers(event);
        const at = placeOf(event);
        const box = at?.block.getEl()?.getBoundingClientRect();
        if (!at || !box) return line.remove();
        line.style.top = `${(at.after ? box.bottom : box.top) - 1}px`;
        line.style.left = `${box.left}px`;
        line.style.width = `${box.width}px`;
        page.documentElement.append(line);
      },
      true,
    );
  page.addEventListener('dragleave', (event) => event.relatedTarget === null && line.remove(), true);
  page.addEventListener(
    'drop',
    (event) => {
      if (!isBlock(event)) return;
      keepFromOthers(event);
      line.remove();
      const moved = editor.Components.getById(event.dataTransfer!.getData(movedBlock));
      if (moved) return void moveTo(editor, moved, placeOf(event));
      onBlock(event.dataTransfer!.getData(draggedBlock) as BlockName, placeOf(event));
    },
    true,
  );
}

/** Neither GrapesJS nor the browser handles the event. */
function keepFromOthers(event: Event) {
  event.preventDefault();
  event.stopImmediatePropagation();
}

/**
 * Returns the content of the editor in the author's spelling: what was not edited stays byte for byte. For a page that is
 * not kept, or should a change be too tangled, it is the content of the editor.
 */
function authoredContent(source: string, first: string, faithful: boolean): (content: string) => string {
  const area = document.createElement('textarea');
  const patch = pagePatch(source, first, (text) => {
    if (!text.includes('&')) return text;
    area.innerHTML = text;
    return area.value;
  });
  return (content) => {
    // A text that was only clicked into comes back with other spaces, at most.
    if (sameContent(content, first)) return source;
    if (!faithful) return content;
    const patched = patch(content);
    return sameContent(unstyled(patched), content) ? patched : content;
  };
}

/** Whether two contents have the same elements in the same order, however they are written. */
function sameContent(a: string, b: string): boolean {
  const [first, second] = [a, b].map((html) => {
    const { body } = new DOMParser().parseFromString(html, 'text/html');
    body.normalize();
    // Not the no-break space, which is visible.
    return shapeOf(body).replace(/[ \t\r\n\f]+/g, ' ');
  });
  return first === second;
}

/** A node as text. The order of attributes and of styles, and how styles are spaced, change nothing that is visible. */
function shapeOf(node: Node): string {
  if (!(node instanceof Element)) return `<!${node.nodeType}>${node.nodeValue}`;
  const { style } = node as HTMLElement;
  const styles = [...(style ?? [])].map(
    (name) => `${name}:${style.getPropertyValue(name)}${style.getPropertyPriority(name)}`,
  );
  const attributes = [...node.attributes].map(({ name, value }) => [
    name,
    name === 'style' && style ? styles.sort().join(';') : value,
  ]);
  return `<${node.nodeName} ${JSON.stringify(attributes.sort())}>${[...node.childNodes].map(shapeOf).join('')}</>`;
}
