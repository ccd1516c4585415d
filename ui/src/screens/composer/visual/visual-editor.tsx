// The visual editor of a campaign or template: blocks to add, the page itself, and the settings of the selected element.
// Loaded when its tab is opened. A page that it cannot reproduce is not changed before the user agrees.
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import {
  IconAlertTriangle,
  IconArrowBackUp,
  IconArrowForwardUp,
  IconColumns2,
  IconHeading,
  IconLetterT,
  IconLineDashed,
  IconLink,
  IconPhoto,
  IconSpacingVertical,
  type TablerIcon,
} from '@tabler/icons-react';
import { Lines } from '../../../parts/loaded.tsx';
import { useText } from '../../../text/use-text.tsx';
import classes from '../composer.module.css';
import { pastedPicture } from '../pictures/picture-file.ts';
import { type BlockName, blockNames } from './blocks.ts';
import { ElementSettings, Tool } from './element-settings.tsx';
import { draggedBlock, isPicture } from './grapes-editor.ts';
import { useVisual } from './use-visual.ts';

const icons: Record<BlockName, TablerIcon> = {
  heading: IconHeading,
  text: IconLetterT,
  picture: IconPhoto,
  button: IconLink,
  columns: IconColumns2,
  line: IconLineDashed,
  space: IconSpacingVertical,
};

type Props = {
  html: string;
  onHtml(html: string): void;
  fixed: boolean;
  /** The warning before the editor reformats a page that was not made with it. */
  rewrites: string;
};

export default function VisualEditor({ html, onHtml, fixed, rewrites }: Props) {
  const t = useText('composer');
  const { place, visual, selected, dialog, lost, warns, agree, addBlock, askPicture } = useVisual({ html, onHtml });
  return (
    <Stack gap="sm" className={classes.container}>
      {warns && (
        <Alert variant="outline" color="yellow.8" icon={<IconAlertTriangle aria-hidden />} role="alert">
          <Group justify="space-between" gap="sm">
            <Text maw="70ch">
              {rewrites}
              {lost.length > 0 && ` ${t('visualLoses', { what: lost.map((part) => t(`lost.${part}`)).join(', ') })}`}
            </Text>
            <Button size="xs" variant="default" onClick={agree}>
              {t('visualAgree')}
            </Button>
          </Group>
        </Alert>
      )}
      {dialog}
      <div
        className={classes.visual}
        onPaste={(event) => {
          const file = pastedPicture(event.clipboardData);
          if (file) askPicture(selected && isPicture(selected) ? selected : undefined, file);
        }}
        inert={warns || fixed}
      >
        <Stack gap="xs" className={classes.blocks} role="group" aria-label={t('blocks')}>
          {blockNames.map((name) => {
            const Icon = icons[name];
            return (
              <Button
                key={name}
                variant="default"
                size="xs"
                justify="flex-start"
                leftSection={<Icon size={16} aria-hidden />}
                onClick={() => addBlock(name)}
                disabled={!visual}
                draggable={visual !== undefined}
                onDragStart={({ dataTransfer }) => {
                  dataTransfer.setData(draggedBlock, name);
                  dataTransfer.effectAllowed = 'copy';
                }}
              >
                {t(`block.${name}`)}
              </Button>
            );
          })}
        </Stack>
        <div className={classes.canvas} aria-busy={visual === undefined}>
          <div ref={place} />
        </div>
        <div className={classes.settings}>
          {!visual ? (
            <Lines />
          ) : (
            <>
              <Group gap="xs" mb="sm">
                <Tool icon={IconArrowBackUp} label={t('undo')} onClick={() => visual.editor.UndoManager.undo()} />
                <Tool icon={IconArrowForwardUp} label={t('redo')} onClick={() => visual.editor.UndoManager.redo()} />
              </Group>
              {selected ? (
                <ElementSettings
                  key={selected.getId()}
                  visual={visual}
                  selected={selected}
                  onPicture={() => askPicture(selected)}
                />
              ) : (
                <Text c="dimmed">{t('chooseSomething')}</Text>
              )}
            </>
          )}
        </div>
      </div>
    </Stack>
  );
}
