// The visual editor alone, as a script for an empty page: opens a page in it, edits one element, and returns the HTML.
import { blockOf } from '../../../ui/src/screens/composer/visual/block.ts';
import { columnOf } from '../../../ui/src/screens/composer/visual/columns.ts';
import { isPicture, isText, kindOf } from '../../../ui/src/screens/composer/visual/element.ts';
import { startVisual } from '../../../ui/src/screens/composer/visual/grapes-editor.ts';
import { joinPage, pageParts } from '../../../ui/src/screens/composer/visual/page-parts.ts';

/** What is done between opening and closing: nothing, a text opened and left, a link changed, a text replaced, a row copied. */
export type Edit = 'none' | 'click' | 'link' | 'text' | 'row';

export type Outcome = {
  /** Whether the editor can keep this HTML; if not, it warns before it changes anything. */
  faithful: boolean;
  /** The page afterwards. */
  html: string;
  /** Whether there was an element to edit. */
  edited: boolean;
};

export async function editAlone(html: string, edit: Edit): Promise<Outcome> {
  let now = html;
  const place = document.querySelector<HTMLElement>('#place')!;
  const { editor, faithful, destroy } = await startVisual(place, {
    html,
    title: 'Editor',
    onContent: (content) => {
      now = joinPage(pageParts(html), content);
    },
    onSelect: () => {},
    onPicture: () => {},
    onBlock: () => {},
  });
  const wrapper = editor.getWrapper()!;
  const text = wrapper
    .find('p, h1, h2, td')
    .findLast((element) => element.get('type') === 'text' || element.isInstanceOf('text'));
  const link = wrapper.find('a').at(-1);
  const row = wrapper.find('tr').at(-1);
  let edited = true;
  if (edit === 'click' && text) {
    editor.select(text);
    const view = text.getView() as unknown as {
      onActive(event: Event): Promise<void>;
      disableEditing(): Promise<void>;
    };
    await view.onActive(new MouseEvent('dblclick'));
    await view.disableEditing();
  } else if (edit === 'link' && link) link.addAttributes({ href: 'https://edited.example/' });
  else if (edit === 'text' && text) text.components('Edited words');
  else if (edit === 'row' && row) row.parent()!.append(row.clone(), { at: row.index() + 1 });
  else edited = edit === 'none';
  // The editor reports a change in a later task.
  await new Promise((resolve) => setTimeout(resolve, 0));
  await new Promise((resolve) => requestAnimationFrame(resolve));
  editor.trigger('update');
  destroy();
  place.replaceChildren();
  return { faithful, html: now, edited };
}

/** What the editor recognises in a page. */
export type Recognised = {
  faithful: boolean;
  columns: number;
  buttons: number;
  pictures: number;
  /** Headings and paragraphs that cannot be written in. */
  closed: string[];
  /** Blocks of the email, and what is in no row of its main table. */
  blocks: number;
  astray: string[];
};

export async function recogniseAlone(html: string): Promise<Recognised> {
  const place = document.querySelector<HTMLElement>('#place')!;
  const { editor, faithful, destroy } = await startVisual(place, {
    html,
    title: 'Editor',
    onContent: () => {},
    onSelect: () => {},
    onPicture: () => {},
    onBlock: () => {},
  });
  const wrapper = editor.getWrapper()!;
  const all = wrapper.find('*');
  const texts = wrapper.find('p, h1, h2, h3');
  const words = (element: (typeof all)[number]) => element.getInnerHTML().slice(0, 60);
  const main = new Set<unknown>();
  const astray: string[] = [];
  const body = blockOf(editor, wrapper.find('h1, p')[0]!)?.parent();
  for (const element of [...texts, ...wrapper.find('img')].filter((element) => !columnOf(element))) {
    const block = blockOf(editor, element);
    if (block && block.parent() === body) main.add(block);
    else astray.push(words(element));
  }
  const found = {
    faithful,
    columns: all.filter((element) => kindOf(element) === 'piece.columns').length,
    buttons: all.filter((element) => kindOf(element) === 'piece.button').length,
    pictures: all.filter(isPicture).length,
    closed: texts.filter((element) => !isText(element)).map(words),
    blocks: main.size,
    astray,
  };
  destroy();
  place.replaceChildren();
  return found;
}

declare global {
  interface Window {
    visual: { editAlone: typeof editAlone; recogniseAlone: typeof recogniseAlone };
  }
}
