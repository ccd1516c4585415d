// The blocks that can be added to an email, by click or by dragging them into it.
import { UnstyledButton } from '@mantine/core';
import {
  IconCode,
  IconColumns2,
  IconColumns3,
  IconHeading,
  IconLayoutBottombar,
  IconLayoutSidebar,
  IconLetterT,
  IconLineDashed,
  IconLink,
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

const icons: Record<BlockName, TablerIcon> = {
  heading: IconHeading,
  text: IconLetterT,
  picture: IconPhoto,
  pictureText: IconLayoutSidebar,
  button: IconLink,
  columns: IconColumns2,
  threeColumns: IconColumns3,
  items: IconRepeat,
  social: IconShare,
  line: IconLineDashed,
  space: IconSpacingVertical,
  html: IconCode,
  footer: IconLayoutBottombar,
};

type Props = { visual: Visual | undefined; onAdd(name: BlockName): void };

export function BlockButtons({ visual, onAdd }: Props) {
  const t = useText('composer');
  return (
    <fieldset className={classes.blocks} aria-label={t('blocks')}>
      {blockNames.map((name) => {
        const Icon = icons[name];
        return (
          <UnstyledButton
            key={name}
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
            {t(`block.${name}`)}
          </UnstyledButton>
        );
      })}
    </fieldset>
  );
}
