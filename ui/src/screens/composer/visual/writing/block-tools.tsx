// What is done with the selected block of the visual editor: moved, copied, removed. It is dragged by a handle in the margin of the
// email, beside the block.
import { Group } from '@mantine/core';
import {
  IconArrowDown,
  IconArrowUp,
  IconClipboardCopy,
  IconCopy,
  IconGripVertical,
  IconTrash,
} from '@tabler/icons-react';
import type { Component, Editor } from 'grapesjs';
import { useLayoutEffect, useRef, useState } from 'react';
import { toast } from '../../../../parts/toast/toast.tsx';
import { useText } from '../../../../text/use-text.tsx';
import classes from '../../composer.module.css';
import { blockOf, duplicateBlock, moveBlock, removeBlock } from '../block.ts';
import { copyBlock, movedBlock } from '../block-transfer.ts';
import type { Visual } from '../grapes-editor.ts';
import { Tool } from '../settings/tool.tsx';
import { keepsWriting } from './cursor.ts';
import { useRedraw } from './use-redraw.ts';

type Props = { editor: Editor; selected: Component; block: Component };

export function BlockTools({ editor, selected, block }: Props) {
  const t = useText('visual');
  const copy = () => {
    if (copyBlock(editor)) toast.done(t('blockCopied'));
  };
  return (
    <Group gap={4} wrap="nowrap" role="toolbar" aria-label={t('blockBar')}>
      <span className={classes.gripInBar}>
        <Grip block={block} />
      </span>
      <Tool icon={IconArrowUp} label={t('moveUp')} onClick={() => void moveBlock(editor, selected, -1)} />
      <Tool icon={IconArrowDown} label={t('moveDown')} onClick={() => void moveBlock(editor, selected, 1)} />
      <Tool icon={IconCopy} label={t('duplicate')} onClick={() => void duplicateBlock(editor, selected)} />
      <Tool icon={IconClipboardCopy} label={t('copyBlock')} onClick={copy} />
      <Tool icon={IconTrash} label={t('remove')} onClick={() => void removeBlock(editor)} />
    </Group>
  );
}

function Grip({ block }: { block: Component }) {
  const t = useText('visual');
  return (
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
  );
}

/** The handle in the margin. A narrow email has no margin: there it is in the bar. */
export function BlockHandle({ visual, selected }: { visual: Visual; selected: Component }) {
  const { editor } = visual;
  const handle = useRef<HTMLDivElement>(null);
  const block = blockOf(editor, selected);
  useRedraw(visual);
  useBeside(editor, block, handle);
  if (!block) return null;
  return (
    <div ref={handle} className={classes.blockHandle} {...keepsWriting}>
      <Grip block={block} />
    </div>
  );
}

/** Places the handle beside the block, as long as it is in view. */
function useBeside(
  editor: Editor,
  block: Component | undefined,
  handle: { readonly current: HTMLDivElement | null },
): void {
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
    const element = block?.getEl();
    const frame = editor.Canvas.getFrameEl();
    if (!handle.current || !element || !frame) return;
    const { top, bottom } = element.getBoundingClientRect();
    const isInView = bottom > 0 && top < frame.clientHeight;
    const { offsetHeight: height } = handle.current;
    const place = Math.max(0, Math.min(top, bottom - height, frame.clientHeight - height));
    handle.current.style.visibility = isInView ? 'visible' : 'hidden';
    handle.current.style.insetBlockStart = `${place}px`;
  });
}
