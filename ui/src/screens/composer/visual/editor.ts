// GrapesJS as the heart of the visual editor: it shows the page in a frame, lets pieces be chosen, written and moved, and
// gives HTML. All that surrounds it (blocks, settings, words) is ours (visual-editor.tsx), so none of its own panels, icons
// or style sheets are used, and nothing is loaded from elsewhere.
import grapesjs, { type Component, type ComponentDefinition, type Editor } from 'grapesjs';
import 'grapesjs/dist/css/grapes.min.css';
import { droppedPicture, holdsFiles, pastedPicture } from '../pictures/picture-file.ts';
import { standing } from './blocks.ts';
import { joined, type PageParts, pageParts } from './page-parts.ts';

export type Visual = {
  editor: Editor;
  /** Whether the page was taken over as it was: writing it anew would change nothing that shows. */
  faithful: boolean;
  destroy(): void;
};

type Options = {
  html: string;
  title: string;
  onHtml(html: string): void;
  onSelect(chosen: Component | undefined): void;
  /** A picture is wanted: for this piece, or behind what is chosen; from this file, when it was dropped or pasted. */
  onPicture(target: Component | undefined, file?: File): void;
};

export function startVisual(
  place: HTMLElement,
  { html, title, onHtml, onSelect, onPicture }: Options,
): Promise<Visual> {
  const parts = pageParts(html);
  const chosenPicture = () => {
    const chosen = editor.getSelected();
    return chosen && isPicture(chosen) ? chosen : undefined;
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
    // Mail programs read style attributes; a style sheet is for those that do.
    avoidInlineStyle: false,
    forceClass: false,
    multipleSelection: false,
    components: parts.content,
    panels: { defaults: [] },
    blockManager: { custom: true, blocks: [] },
    layerManager: { custom: true },
    styleManager: { custom: true },
    traitManager: { custom: true },
    selectorManager: { custom: true },
    // A double click on a picture asks for another one.
    assetManager: { custom: { open: () => onPicture(chosenPicture()), close: () => {} } },
    deviceManager: { devices: [] },
    showDevices: false,
    parser: { optionsHtml: { allowScripts: false, allowUnsafeAttr: false, keepEmptyTextNodes: true } },
  });
  const { promise, resolve } = Promise.withResolvers<Visual>();
  editor.on('load', () => {
    dress(editor, parts, title);
    takeFiles(editor, onPicture);
    let last = contentOf(editor);
    let timer: ReturnType<typeof setTimeout> | undefined;
    let ended = false;
    const write = (typed?: Component) => {
      // What the editor tells while it is taken down would be written over what has been typed elsewhere since.
      if (ended) return;
      const content = typed ? whileTyping(editor, typed) : contentOf(editor);
      if (content === last) return;
      last = content;
      onHtml(joined(parts, content));
    };
    editor.on('update', () => write(typing(editor)));
    // The model hears of it a moment later: until then it holds the text as it was before, which must not be written back.
    editor.on('rte:disable', ({ model }: { model: Component }) => {
      clearTimeout(timer);
      timer = undefined;
      write(model);
    });
    // What is being typed is not in the model before the typing ends; it is saved all the same. The first letter at once,
    // for from then on there is something to save.
    editor.on('component:input', (component: Component) => {
      if (timer === undefined) write(component);
      clearTimeout(timer);
      timer = setTimeout(() => {
        timer = undefined;
        write(component);
      }, 400);
    });
    editor.on('component:selected', () => onSelect(editor.getSelected()));
    editor.on('component:deselected', () => onSelect(editor.getSelected()));
    editor.on('component:update', () => onSelect(editor.getSelected()));
    resolve({
      editor,
      faithful: sameContent(parts.content, last),
      destroy: () => {
        clearTimeout(timer);
        write(typing(editor));
        ended = true;
        editor.destroy();
      },
    });
  });
  return promise;
}

const contentOf = (editor: Editor) => editor.getWrapper()!.getInnerHTML({ keepInlineStyle: true });

/** The text that is being written at the moment. */
function typing(editor: Editor): Component | undefined {
  const chosen = editor.getSelected();
  return chosen?.getEl()?.isContentEditable ? chosen : undefined;
}

/** The content with a text as it stands in the frame, without the marks that the editor put on its elements. */
function whileTyping(editor: Editor, component: Component): string {
  const copy = component.getEl()?.cloneNode(true) as HTMLElement | undefined;
  if (!copy) return contentOf(editor);
  for (const element of copy.querySelectorAll('*')) {
    for (const { name } of [...element.attributes])
      if (name.startsWith('data-gjs') || ['data-highlightable', 'draggable', 'contenteditable'].includes(name))
        element.removeAttribute(name);
    element.classList.remove(...[...element.classList].filter((one) => one.startsWith('gjs-')));
    if (element.className === '') element.removeAttribute('class');
    const own = element.id && editor.Components.getById(element.id)?.getAttributes({ noStyle: true })['id'];
    if (!own) element.removeAttribute('id');
  }
  const text = copy.innerHTML;
  component.getInnerHTML = () => text;
  try {
    return contentOf(editor);
  } finally {
    // The method of its class again.
    Reflect.deleteProperty(component, 'getInnerHTML');
  }
}

/** The frame gets the page's own styles and its body's, and a name. */
function dress(editor: Editor, parts: PageParts, title: string) {
  const frame = editor.Canvas.getFrameEl();
  frame.title = title;
  const page = editor.Canvas.getDocument()!;
  const style = page.createElement('style');
  style.textContent = `${parts.css}\nbody{${parts.bodyStyle}}`;
  page.head.append(style);
  page.documentElement.lang = document.documentElement.lang;
}

/** Pictures that are dropped on the mail or pasted into it: on a picture in its place, elsewhere behind what was met. */
function takeFiles(editor: Editor, onPicture: Options['onPicture']) {
  const page = editor.Canvas.getDocument()!;
  for (const name of ['dragenter', 'dragover'] as const)
    page.addEventListener(name, (event) => holdsFiles(event.dataTransfer) && refuse(event), true);
  page.addEventListener(
    'drop',
    (event) => {
      if (!holdsFiles(event.dataTransfer)) return;
      refuse(event);
      const file = droppedPicture(event.dataTransfer);
      if (!file) return;
      const all: Component[] = editor.getWrapper()!.find('*');
      const met = all.findLast((one) => one.getEl()?.contains(event.target as Node));
      if (met) editor.select(met);
      onPicture(met && isPicture(met) ? met : undefined, file);
    },
    true,
  );
  page.addEventListener(
    'paste',
    (event) => {
      const file = pastedPicture(event.clipboardData);
      if (!file) return;
      refuse(event);
      const chosen = editor.getSelected();
      onPicture(chosen && isPicture(chosen) ? chosen : undefined, file);
    },
    true,
  );
}

/** Nobody else takes it, not the editor and not the browser. */
function refuse(event: Event) {
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** Whether two contents are the same elements in the same order, however they are written. */
function sameContent(a: string, b: string): boolean {
  const [first, second] = [a, b].map((html) => {
    const body = new DOMParser().parseFromString(html, 'text/html').body;
    for (const element of body.querySelectorAll('[style]')) {
      // "color:red" and "color: red;" are the same.
      const style = (element as HTMLElement).style.cssText;
      element.setAttribute('style', style);
    }
    body.normalize();
    return body.innerHTML.replace(/\s+/g, ' ').trim();
  });
  return first === second;
}

/** Puts a row behind the one that holds what is chosen, else at the end of the page; returns what it became. */
export function addRow(editor: Editor, row: ComponentDefinition): Component {
  const chosen = editor.getSelected();
  const beside = chosen && blockOf(editor, chosen);
  const parent = beside?.parent();
  const added =
    beside && parent
      ? parent.append(row, { at: beside.index() + 1 })
      : (mainBody(editor)?.append(row) ?? editor.getWrapper()!.append(standing(row)));
  const [component] = added;
  editor.select(deepest(component!));
  editor.Canvas.scrollTo(component!, { behavior: 'smooth', block: 'nearest' });
  return component!;
}

/**
 * The row that is a block of the mail, and holds this piece: a row of the main table; elsewhere the outermost one that has
 * others beside it, for a button or two columns are tables of their own within their row.
 */
export function blockOf(editor: Editor, piece: Component): Component | undefined {
  const main = mainBody(editor);
  const rows: Component[] = [];
  for (let one: Component | undefined = piece; one; one = one.parent())
    if (one.tagName?.toLowerCase() === 'tr') rows.push(one);
  return (
    rows.find((row) => main && row.parent() === main) ??
    rows.findLast((row) => (row.parent() ? rowsOf(row.parent()!) : 0) > 1) ??
    rows[0]
  );
}

const rowsOf = (body: Component) =>
  body.components().filter((one: Component) => one.tagName?.toLowerCase() === 'tr').length;

/** Where the content of a newsletter stands: what has the most rows; of several, the first. */
function mainBody(editor: Editor): Component | undefined {
  const bodies = editor.getWrapper()!.find('table, tbody');
  return bodies.filter((body) => rowsOf(body) > 0).sort((a, b) => rowsOf(b) - rowsOf(a))[0];
}

/** The first piece inside that can be written or set: a text, a link, a picture. */
function deepest(component: Component): Component {
  const found = component.find('img, a')[0] ?? component.find('td').findLast(isText);
  return found ?? component;
}

export const isPicture = (component: Component) => component.tagName?.toLowerCase() === 'img';

export const isText = (component: Component) => component.get('type') === 'text' || component.isInstanceOf('text');
