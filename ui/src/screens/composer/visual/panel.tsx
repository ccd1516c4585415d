// What is beside the email in the visual editor. While nothing is selected: the blocks that can be added, and the settings of the email.
// Otherwise the settings of the selected block, a way back, and the blocks as icons, which are added below it.
import { Button, Title } from '@mantine/core';
import { IconChevronLeft } from '@tabler/icons-react';
import type { Component } from 'grapesjs';
import type { ReactNode } from 'react';
import { Lines } from '../../../parts/loaded.tsx';
import { useText } from '../../../text/use-text.tsx';
import classes from '../composer.module.css';
import { BlockButtons } from './block-buttons.tsx';
import type { BlockName } from './blocks.ts';
import { kindOf } from './element.ts';
import { deselect } from './end-selection.ts';
import type { Visual } from './grapes-editor.ts';
import { SavedBlocks } from './settings/saved-blocks.tsx';

type Props = {
  visual: Visual | undefined;
  selected: Component | undefined;
  onAdd(name: BlockName): void;
  onSaved(html: string): void;
  /** The settings. */
  children: ReactNode;
};

export function Panel({ visual, selected, onAdd, onSaved, children }: Props) {
  const t = useText('visual');
  return (
    <>
      {visual && selected && (
        <div className={classes.panelHead}>
          <Button
            variant="subtle"
            size="compact-sm"
            px={4}
            ml={-9}
            leftSection={<IconChevronLeft size={16} aria-hidden />}
            onClick={() => void deselect(visual.editor)}
          >
            {t('allBlocks')}
          </Button>
          <Title order={3} className={classes.settingsName}>
            {t(kindOf(selected))}
          </Title>
        </div>
      )}
      <section aria-label={t('blocks')} className={classes.palette}>
        <Title order={selected ? 4 : 3} className={selected ? classes.settingsTitle : classes.settingsName}>
          {t(selected ? 'addBelow' : 'blocks')}
        </Title>
        <BlockButtons visual={visual} compact={selected !== undefined} onAdd={onAdd} />
        <SavedBlocks onAdd={onSaved} disabled={!visual} />
      </section>
      <div className={classes.settings}>{visual ? children : <Lines />}</div>
    </>
  );
}
