// The blocks that can be added to an email, by click or by dragging them into it. Beside the settings of an element they are icons
// only on a wide screen, so that the settings begin in sight.
import { Tooltip, UnstyledButton } from '@mantine/core';
import {
  IconCode,
  IconColumns2,
  IconColumns3,
  IconHandClick,
  IconHeading,
  IconLayoutBottombar,
  IconLayoutSidebar,
  IconLetterT,
  IconLineDashed,
  IconPhoto,
  IconRepeat,
  IconShare,
  IconSpacingVertical,
  type TablerIcon,
} from '@tabler/icons-react';
import { useText } from '../../../text/use-text.tsx';
import classes from '../composer.module.css';
import { draggedBlock } from './block-transfer.ts';
import { type BlockName, blockNames } from './blocks.ts';
import type { Visual } from './grapes-editor.ts';

export const blockIcons: Record<BlockName, TablerIcon> = {
  heading: IconHeading,
  text: IconLetterT,
  picture: IconPhoto,
  pictureText: IconLayoutSidebar,
  button: IconHandClick,
  columns: IconColumns2,
  threeColumns: IconColumns3,
  items: IconRepeat,
  social: IconShare,
  line: IconLineDashed,
  space: IconSpacingVertical,
  html: IconCode,
  footer: IconLayoutBottombar,
};

type Props = {
  visual: Visual | undefined;
  /** Whether the settings of an element are below. */
  compact: boolean;
  onAdd(name: BlockName): void;
};

export function BlockButtons({ visual, compact, onAdd }: Props) {
  const t = useText('visual');
  return (
    <fieldset className={classes.blocks} data-compact={compact || undefined} aria-label={t('blocks')}>
      {blockNames.map((name) => {
        const Icon = blockIcons[name];
        return (
          <Tooltip key={name} label={t(`block.${name}`)} disabled={!compact}>
            <UnstyledButton
              className={classes.block}
              onClick={() => onAdd(name)}
              disabled={!visual}
              draggable={visual !== undefined}
              onDragStart={({ dataTransfer }) => {
                dataTransfer.setData(draggedBlock, name);
                dataTransfer.effectAllowed = 'copy';
              }}
            >
              <Icon size={20} stroke={1.75} aria-hidden />
              <span className={classes.blockName}>{t(`block.${name}`)}</span>
            </UnstyledButton>
          </Tooltip>
        );
      })}
    </fieldset>
  );
}
