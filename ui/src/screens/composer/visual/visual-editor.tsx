// The visual editor of a campaign or template: blocks to add, the page itself, and the settings of the selected element.
// Loaded when its tab is opened. A page that it cannot reproduce is not changed before the user agrees.
import { Stack } from '@mantine/core';
import type { Component } from 'grapesjs';
import { useEffect, useState } from 'react';
import { useText } from '../../../text/use-text.tsx';
import classes from '../composer.module.css';
import { pastedPicture } from '../pictures/picture-file.ts';
import { isPicture, kindOf } from './element.ts';
import { deselect } from './end-selection.ts';
import type { Visual } from './grapes-editor.ts';
import { Panel } from './panel.tsx';
import { PhoneSheet, type Sheet } from './phone-sheet.tsx';
import { RewriteWarning } from './rewrite-warning.tsx';
import { ElementSettings } from './settings/element-settings.tsx';
import { PageSettings } from './settings/page-settings.tsx';
import { useFind } from './use-find.ts';
import { useVisual } from './use-visual.ts';
import { BlockHandle } from './writing/block-tools.tsx';
import { ToolBar } from './writing/tool-bar.tsx';
import { TypedMenu } from './writing/typed-menu.tsx';
import { useTagValues } from './writing/use-tag-values.ts';

type Props = {
  html: string;
  onHtml(html: string): void;
  fixed: boolean;
  /** The warning before the editor reformats a page that was not made with it. */
  rewrites: string;
  /** Opens the HTML source, where a page stays as it is. */
  onSource?: () => void;
  /** What to select, as the check quotes it. */
  find?: { text: string } | undefined;
  /** Nothing can be selected for it. */
  onMissing?: () => void;
};

export default function VisualEditor({ html, onHtml, fixed, rewrites, onSource, find, onMissing }: Props) {
  const t = useText('visual');
  const {
    place,
    visual,
    selected,
    dialogs,
    lost,
    warns,
    agree,
    changePage,
    addBlock,
    addSaved,
    askPicture,
    askCrop,
    newColumn,
  } = useVisual({
    html,
    onHtml,
  });
  useTagValues(visual);
  useFind(visual, find, warns || fixed, onMissing);
  const [sheet, setSheet] = useSheet(visual, selected);
  return (
    <Stack gap="sm" className={classes.container} data-letters-typed>
      {warns && <RewriteWarning rewrites={rewrites} lost={lost} onSource={onSource} onAgree={agree} />}
      {dialogs[0]}
      {dialogs[1]}
      <div
        className={classes.visual}
        onPaste={(event) => {
          const file = pastedPicture(event.clipboardData);
          if (file) askPicture(selected && isPicture(selected) ? selected : undefined, file);
        }}
        inert={warns || fixed}
      >
        <div className={classes.writingPlace}>
          <ToolBar visual={visual} selected={selected} />
          <div className={classes.canvasPlace}>
            {visual && selected && <BlockHandle visual={visual} selected={selected} />}
            <div className={classes.canvas} aria-busy={visual === undefined}>
              <div ref={place} />
            </div>
            {visual && <TypedMenu visual={visual} onBlock={addBlock} />}
          </div>
        </div>
        <PhoneSheet
          sheet={sheet}
          onSheet={setSheet}
          onDone={visual && selected ? () => void deselect(visual.editor) : undefined}
          of={selected ? t(kindOf(selected)) : t('pageSettings')}
          inShort={selected ? t(kindOf(selected)) : t('pageLook')}
          disabled={!visual}
        >
          <Panel
            visual={visual}
            selected={selected}
            onAdd={(name) => {
              setSheet(undefined);
              addBlock(name);
            }}
            onSaved={(html) => {
              setSheet(undefined);
              void addSaved(html);
            }}
          >
            {visual && selected && (
              <ElementSettings
                key={selected.getId()}
                visual={visual}
                selected={selected}
                onPicture={() => askPicture(selected)}
                onCrop={() => askCrop(selected)}
                newColumn={() => newColumn(visual.editor)}
              />
            )}
            {visual && !selected && <PageSettings visual={visual} html={html} onPage={changePage} />}
          </Panel>
        </PhoneSheet>
      </div>
    </Stack>
  );
}

/** The sheet of a phone: the settings of what was selected close when nothing is, and do not cover it. */
function useSheet(visual: Visual | undefined, selected: Component | undefined) {
  const [sheet, setSheet] = useState<Sheet>();
  const isSelected = selected !== undefined;
  useEffect(() => {
    if (!isSelected) setSheet((open) => (open === 'settings' ? undefined : open));
  }, [isSelected]);
  useEffect(() => {
    if (sheet === 'settings' && visual && selected) showAbove(visual, selected);
  }, [sheet, visual, selected]);
  return [sheet, setSheet] as const;
}

/** The height of what stays above the email on a phone, and some room. */
const barsHeight = 112;

/** Scrolls the selected element to the top, where the sheet does not cover it: in the email, and with it as far as it is short. */
function showAbove({ editor }: Visual, selected: Component): void {
  const element = selected.getEl();
  if (!element) return;
  editor.Canvas.getWindow().scrollBy(0, element.getBoundingClientRect().top - 8);
  const { top } = editor.Canvas.getFrameEl().getBoundingClientRect();
  window.scrollBy(0, top + element.getBoundingClientRect().top - barsHeight);
}
