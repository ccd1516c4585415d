// The bar above the email in the visual editor: undo and redo, what is done with the selected block, and with the words of a text. It
// has a place of its own, so that it covers no word of the email, and using it does not end writing.
import { Divider, Group, Text } from '@mantine/core';
import { IconArrowBackUp, IconArrowForwardUp } from '@tabler/icons-react';
import type { Component } from 'grapesjs';
import { useText } from '../../../../text/use-text.tsx';
import classes from '../../composer.module.css';
import { blockOf } from '../block.ts';
import { isText } from '../element.ts';
import type { Visual } from '../grapes-editor.ts';
import { Tool } from '../settings/tool.tsx';
import { BlockTools } from './block-tools.tsx';
import { keepsWriting } from './cursor.ts';
import { TextTools } from './text-tools.tsx';
import { useRedraw } from './use-redraw.ts';

type Props = { visual: Visual | undefined; selected: Component | undefined };

export function ToolBar({ visual, selected }: Props) {
  const t = useText('visual');
  useRedraw(visual);
  const block = visual && selected && blockOf(visual.editor, selected);
  const hasWords = selected !== undefined && isText(selected);
  return (
    <div className={classes.toolBar} {...keepsWriting}>
      <Group gap={4} wrap="nowrap" role="toolbar" aria-label={t('stepsBar')}>
        <Tool
          icon={IconArrowBackUp}
          label={t('undo')}
          disabled={!visual?.steps.canUndo()}
          onClick={() => void visual?.steps.undo()}
        />
        <Tool
          icon={IconArrowForwardUp}
          label={t('redo')}
          disabled={!visual?.steps.canRedo()}
          onClick={() => void visual?.steps.redo()}
        />
      </Group>
      {visual && block && (
        <>
          <Divider orientation="vertical" />
          <BlockTools editor={visual.editor} selected={selected} block={block} />
        </>
      )}
      {visual && hasWords && (
        <>
          <Divider orientation="vertical" />
          <TextTools editor={visual.editor} text={selected} />
        </>
      )}
      {!hasWords && (
        <Text size="xs" c="dimmed" className={classes.typeHint}>
          {t('typeHint')}
        </Text>
      )}
    </div>
  );
}
