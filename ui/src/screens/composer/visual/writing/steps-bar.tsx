// The bar above the email in the visual editor: undo and redo. What is done with a block and its words is in a bar at the block.
import { Group, Text } from '@mantine/core';
import { IconArrowBackUp, IconArrowForwardUp } from '@tabler/icons-react';
import { useText } from '../../../../text/use-text.tsx';
import classes from '../../composer.module.css';
import type { Visual } from '../grapes-editor.ts';
import { Tool } from '../settings/tool.tsx';
import { keepsWriting } from './cursor.ts';
import { useRedraw } from './use-redraw.ts';

export function StepsBar({ visual }: { visual: Visual | undefined }) {
  const t = useText('composer');
  useRedraw(visual);
  return (
    <Group className={classes.textBar} gap={4} {...keepsWriting}>
      <Group gap={4} role="toolbar" aria-label={t('stepsBar')}>
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
      <Text size="xs" c="dimmed">
        {t('typeHint')}
      </Text>
    </Group>
  );
}
