// Runs GrapesJS for the visual editor: starts it, restarts it when the content is replaced from elsewhere, tracks the
// selected element, and inserts blocks and images. The view is visual-editor.tsx.
import type { Component } from 'grapesjs';
import { useEffect, useRef, useState } from 'react';
import { useText } from '../../../text/use-text.tsx';
import { useCropDialog } from '../pictures/crop/crop-dialog.tsx';
import { type ChosenPicture, usePictureDialog } from '../pictures/picture-dialog.tsx';
import { addRow, type RowPlace, rowFrom } from './block.ts';
import { type BlockName, blockRow, columnContent, fitsColumn, withPicture } from './blocks.ts';
import { isText } from './element.ts';
import { startVisual, type Visual } from './grapes-editor.ts';
import { besideRow } from './neighbour.ts';
import { joinPage, type LostPart, lostParts, pageParts } from './page-parts.ts';
import { shownWidth, showPicture } from './picture.ts';
import { type Look, useLook } from './use-look.ts';
import { replaceText } from './writing/cursor.ts';

type Options = { html: string; onHtml(html: string): void };

/** The screen renders `place` as the ref of an empty element, and the two dialogs. */
export function useVisual({ html, onHtml }: Options) {
  const t = useText('visual');
  const place = useRef<HTMLDivElement>(null);
  const [visual, setVisual] = useState<Visual>();
  const [lost, setLost] = useState<LostPart[]>([]);
  const [agreed, setAgreed] = useState(false);
  const [selected, setSelected] = useState<Component>();
  const [, redraw] = useState(0);
  const written = useRef(html);
  /** The page as it is now: its head and preview text may change while the editor has the content. */
  const latestHtml = useRef(html);
  latestHtml.current = html;
  const latestOnHtml = useRef(onHtml);
  latestOnHtml.current = onHtml;
  const { ask, dialog } = usePictureDialog();
  const crop = useCropDialog();
  const { askPicture, addBlock, newColumn } = useInserts(ask, () => redraw((count) => count + 1));
  const latestAskPicture = useRef(askPicture);
  latestAskPicture.current = askPicture;
  const latestAddBlock = useRef(addBlock);
  latestAddBlock.current = addBlock;

  // Content from elsewhere (a template, an earlier version) restarts the editor.
  const foreign = contentDiffers(html, written.current);
  // biome-ignore lint/correctness/useExhaustiveDependencies: restarted by other content, not by its own changes
  useEffect(() => {
    let current: Visual | undefined;
    let unmounted = false;
    written.current = html;
    setLost(lostParts(pageParts(html).content));
    setAgreed(false);
    startVisual(place.current!, {
      html,
      title: t('visualFrame'),
      onContent: (content) => {
        const next = joinPage(pageParts(latestHtml.current), content);
        latestHtml.current = next;
        written.current = next;
        latestOnHtml.current(next);
      },
      onSelect: (component) => {
        setSelected(component);
        redraw((count) => count + 1);
      },
      onPicture: (target, file) => current && latestAskPicture.current(current.editor, target, file),
      onBlock: (name, at) => void (current && latestAddBlock.current(current.editor, name, at)),
    }).then((started) => {
      if (unmounted) return started.destroy();
      current = started;
      setVisual(started);
    });
    return () => {
      unmounted = true;
      // Text that was not reported yet must not replace content from elsewhere.
      current?.destroy(contentDiffers(latestHtml.current, written.current));
      setVisual(undefined);
      setSelected(undefined);
    };
  }, [foreign, t]);

  const warns = visual !== undefined && !agreed && (!visual.faithful || lost.length > 0);
  return {
    place,
    visual,
    selected,
    dialogs: [dialog, crop.dialog],
    lost,
    warns,
    agree: () => setAgreed(true),
    /** Changes what is around the content. */
    changePage: (change: (html: string) => string) => {
      latestHtml.current = change(latestHtml.current);
      latestOnHtml.current(latestHtml.current);
    },
    addBlock: (name: BlockName) => void (visual && addBlock(visual.editor, name)),
    newColumn,
    /** Adds a saved block: the HTML of a row. */
    addSaved: async (row: string) => {
      if (visual) await addRow(visual.editor, () => rowFrom(visual.editor, row));
      redraw((count) => count + 1);
    },
    askPicture: (target?: Component, file?: File) => visual && askPicture(visual.editor, target, file),
    askCrop: (target: Component) => {
      const { src = '', alt = '' } = target.getAttributes() as Record<string, string>;
      const onCrop = (picture: ChosenPicture) => {
        showPicture(target, { ...picture, width: Math.min(picture.width, shownWidth(target)) });
        redraw((count) => count + 1);
      };
      crop.ask({ address: src, alt, onCrop });
    },
  };
}

const contentDiffers = (a: string, b: string) => a !== b && pageParts(a).content !== pageParts(b).content;

/** Inserts blocks, and images that are asked for first. */
function useInserts(ask: ReturnType<typeof usePictureDialog>['ask'], redraw: () => void) {
  const t = useText('visual');
  const look = useLook();
  const words = {
    heading: t('letterHeading'),
    text: t('sampleText'),
    button: t('sampleButton'),
    alt: t('sampleAlt'),
    unsubscribe: t('letterLeave'),
    html: t('sampleHtml'),
  };
  const add = (editor: Visual['editor'], name: BlockName, at?: RowPlace) =>
    addRow(
      editor,
      (column, beside) => {
        const row = blockRow(name, words, lookIn(editor, look), column !== undefined);
        return beside ? besideRow(row, beside.block, beside.after) : row;
      },
      at,
      fitsColumn(name),
    );
  /** Asks for an image for an element; without an element, a row is added for it. */
  const askPicture = (
    editor: Visual['editor'],
    target: Component | undefined,
    file?: File,
    at?: RowPlace,
    block: BlockName = 'picture',
  ) =>
    ask({
      file,
      alt: target?.getAttributes()['src'] ? String(target.getAttributes()['alt'] ?? '') : '',
      onChoose: async (picture) => {
        const row = target ? undefined : await add(editor, block, at);
        const place = target ?? (row!.find('img')[0] as Component);
        showPicture(place, picture);
        editor.select(place);
        redraw();
      },
    });
  const addBlock = async (editor: Visual['editor'], name: BlockName, at?: RowPlace) => {
    if (withPicture(name)) return askPicture(editor, undefined, undefined, at, name);
    const row = await add(editor, name, at);
    const text = row.find('td').find(isText) ?? (isText(row) ? row : undefined);
    if (text && (name === 'heading' || name === 'text')) await replaceText(editor, text);
    redraw();
  };
  return {
    askPicture,
    addBlock,
    newColumn: (editor: Visual['editor']) => columnContent(words, lookIn(editor, look)),
  };
}

/** New blocks have the font of the page; a page without one gets that of the brand. */
function lookIn(editor: Visual['editor'], look: Look): Look {
  const fonts = (editor.getWrapper()!.find('*') as Component[]).map(
    (element) => (element.getStyle() as Record<string, string>)['font-family'],
  );
  return { ...look, font: fonts.find(Boolean) ?? look.font };
}
