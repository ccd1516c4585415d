// The bar at the selected block of the visual editor: what is done with the block, and with the words of a text. It is above the
// block, or below it where there is no room, so that it covers no word of it; on a narrow screen it is above the email. Using it does
// not end writing.
import { Divider, Group } from '@mantine/core';
import {
  IconArrowDown,
  IconArrowUp,
  IconClipboardCopy,
  IconCopy,
  IconGripVertical,
  IconTrash,
} from '@tabler/icons-react';
import type { Component, Editor } from 'grapesjs';
import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { toast } from '../../../../parts/toast/toast.tsx';
import { useText } from '../../../../text/use-text.tsx';
import classes from '../../composer.module.css';
import { blockOf, duplicateBlock, moveBlock, removeBlock } from '../block.ts';
import { copyBlock, movedBlock } from '../block-transfer.ts';
import { isText } from '../element.ts';
import type { Visual } from '../grapes-editor.ts';
import { Tool } from '../settings/tool.tsx';
import { keepsWriting } from './cursor.ts';
import { TextTools } from './text-tools.tsx';
import { useRedraw } from './use-redraw.ts';

type Props = { visual: Visual; selected: Component };

export function FloatingBar({ visual, selected }: Props) {
  const t = useText('composer');
  const { editor } = visual;
  const bar = useRef<HTMLDivElement>(null);
  useRedraw(visual);
  useBesideBlock(editor, selected, bar);
  const block = blockOf(editor, selected);
  const copy = () => {
    if (copyBlock(editor)) toast.done(t('blockCopied'));
  };
  return (
    <div ref={bar} className={classes.floatingBar} {...keepsWriting}>
      {block && (
        <Group gap={4} role="toolbar" aria-label={t('blockBar')}>
          <Tool
            icon={IconGripVertical}
            label={t('dragBlock')}
            draggable
            style={{ cursor: 'grab' }}
            onDragStart={({ dataTransfer }) => {
              dataTransfer.setData(movedBlock, block.getId());
              dataTransfer.effectAllowed = 'move';
            }}
          />
          <Tool icon={IconArrowUp} label={t('moveUp')} onClick={() => void moveBlock(editor, selected, -1)} />
          <Tool icon={IconArrowDown} label={t('moveDown')} onClick={() => void moveBlock(editor, selected, 1)} />
          <Tool icon={IconCopy} label={t('duplicate')} onClick={() => void duplicateBlock(editor, selected)} />
          <Tool icon={IconClipboardCopy} label={t('copyBlock')} onClick={copy} />
          <Tool icon={IconTrash} label={t('remove')} onClick={() => void removeBlock(editor)} />
        </Group>
      )}
      {isText(selected) && (
        <>
          {block && <Divider orientation="vertical" />}
          <TextTools editor={editor} text={selected} />
        </>
      )}
    </div>
  );
}

const gap = 8;

/** Places the bar above the block, below it if there is no room, else at the top of the email. */
function useBesideBlock(editor: Editor, selected: Component, bar: RefObject<HTMLDivElement | null>): void {
  const [, redraw] = useState(0);
  useLayoutEffect(() => {
    const page = editor.Canvas.getDocument()!;
    const again = () => redraw((count) => count + 1);
    page.addEventListener('scroll', again, { capture: true, passive: true });
    window.addEventListener('resize', again);
    return () => {
      page.removeEventListener('scroll', again, true);
      window.removeEventListener('resize', again);
    };
  }, [editor]);
  useLayoutEffect(() => {
    const element = (blockOf(editor, selected) ?? selected).getEl();
    const frame = editor.Canvas.getFrameEl()?.getBoundingClientRect();
    const around = bar.current?.offsetParent?.getBoundingClientRect();
    if (!bar.current || !element || !frame || !around) return;
    const block = element.getBoundingClientRect();
    const { offsetHeight: height, offsetWidth: width } = bar.current;
    const above = block.top - height - gap;
    const below = block.bottom + gap;
    const top = above >= 0 ? above : below + height <= frame.height ? below : gap;
    const left = Math.min(block.left, frame.width - width - gap);
    bar.current.style.insetBlockStart = `${Math.min(top, frame.height - height - gap) + frame.top - around.top}px`;
    bar.current.style.left = `${Math.max(0, left) + frame.left - around.left}px`;
  });
}
