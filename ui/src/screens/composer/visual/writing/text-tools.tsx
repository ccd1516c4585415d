// What is done with the words of a text in the visual editor: bold, colour, alignment, lists, link, merge tag.
import { Button, ColorInput, ColorSwatch, Group, Menu, Popover, Stack } from '@mantine/core';
import {
  IconAlignCenter,
  IconAlignLeft,
  IconAlignRight,
  IconBold,
  IconBrush,
  IconItalic,
  IconLink,
  IconList,
  IconListNumbers,
  IconPalette,
  IconStrikethrough,
  IconTags,
  IconUnderline,
  type TablerIcon,
} from '@tabler/icons-react';
import type { Component, Editor } from 'grapesjs';
import { useState } from 'react';
import { useText } from '../../../../text/use-text.tsx';
import { MergeTagMenu, TagField } from '../../content/merge-tags.tsx';
import { type Align, isButton, styleOf } from '../element.ts';
import { Tool } from '../settings/tool.tsx';
import { useSwatches } from '../use-look.ts';
import {
  colourWords,
  insertWords,
  linkAtCursor,
  linkWords,
  runCommand,
  type TextCommand,
  writeIn,
  written,
} from './cursor.ts';

const commands: readonly (readonly [TextCommand, TablerIcon])[] = [
  ['bold', IconBold],
  ['italic', IconItalic],
  ['underline', IconUnderline],
  ['strikeThrough', IconStrikethrough],
  ['insertUnorderedList', IconList],
  ['insertOrderedList', IconListNumbers],
];

type Props = { editor: Editor; text: Component };

export function TextTools({ editor, text }: Props) {
  const t = useText('visual');
  const page = editor.Canvas.getDocument();
  const isOn = (command: TextCommand) => written(editor) !== undefined && page?.queryCommandState(command) === true;
  /** Turns the chosen words into an element, which is selected then. */
  const wrap = async () => {
    await writeIn(editor, text);
    editor.RichTextEditor.run('wrap');
  };
  // It is a link itself, has no lists in it, and is placed by its own settings.
  const ofButton = isButton(text);
  return (
    <Group gap={4} wrap="nowrap" role="toolbar" aria-label={t('textBar')}>
      {(ofButton ? commands.filter(([command]) => !command.startsWith('insert')) : commands).map(([command, icon]) => (
        <Tool
          key={command}
          icon={icon}
          label={t(`command.${command}`)}
          pressed={isOn(command)}
          onClick={() => void runCommand(editor, text, command)}
        />
      ))}
      <ColourTool editor={editor} text={text} />
      {!ofButton && (
        <>
          <AlignTool text={text} />
          <LinkTool editor={editor} text={text} />
        </>
      )}
      <Tool icon={IconBrush} label={t('command.style')} onClick={() => void wrap()} />
      <MergeTagMenu onChoose={(tag) => void insertWords(editor, text, tag)}>
        <Tool icon={IconTags} label={t('insertTag')} />
      </MergeTagMenu>
    </Group>
  );
}

function ColourTool({ editor, text }: Props) {
  const t = useText('visual');
  const swatches = useSwatches();
  const [opened, setOpened] = useState(false);
  const choose = (colour: string) => {
    setOpened(false);
    void colourWords(editor, text, colour);
  };
  return (
    <Popover opened={opened} onChange={setOpened} trapFocus returnFocus>
      <Popover.Target>
        <Tool icon={IconPalette} label={t('command.colour')} onClick={() => setOpened(!opened)} />
      </Popover.Target>
      <Popover.Dropdown aria-label={t('command.colour')}>
        <Stack gap="xs">
          <Group gap={4}>
            {swatches.map((colour) => (
              <ColorSwatch
                key={colour}
                component="button"
                type="button"
                color={colour}
                aria-label={colour}
                onClick={() => choose(colour)}
              />
            ))}
          </Group>
          <ColorInput
            label={t('otherColour')}
            defaultValue=""
            onChangeEnd={(colour) => void colourWords(editor, text, colour)}
            popoverProps={{ withinPortal: false }}
            withEyeDropper={false}
          />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

const alignIcons: Record<Align, TablerIcon> = { left: IconAlignLeft, center: IconAlignCenter, right: IconAlignRight };

function AlignTool({ text }: { text: Component }) {
  const t = useText('visual');
  const now = styleOf(text)['text-align'] ?? text.getAttributes()['align'];
  return (
    <Menu position="bottom">
      <Menu.Target>
        <Tool icon={alignIcons[now as Align] ?? IconAlignLeft} label={t('align')} />
      </Menu.Target>
      <Menu.Dropdown>
        {(['left', 'center', 'right'] as const).map((align) => {
          const Icon = alignIcons[align];
          return (
            <Menu.Item
              key={align}
              leftSection={<Icon size={16} aria-hidden />}
              onClick={() => text.addStyle({ 'text-align': align })}
            >
              {t(align)}
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}

function LinkTool({ editor, text }: Props) {
  const t = useText('visual');
  const [opened, setOpened] = useState(false);
  const [href, setHref] = useState('');
  const open = () => {
    setHref(linkAtCursor(editor)?.getAttribute('href') ?? '');
    setOpened(!opened);
  };
  const apply = (address: string) => {
    setOpened(false);
    void linkWords(editor, text, address.trim());
  };
  return (
    <Popover opened={opened} onChange={setOpened} trapFocus width={320}>
      <Popover.Target>
        <Tool icon={IconLink} label={t('command.link')} onClick={open} />
      </Popover.Target>
      <Popover.Dropdown aria-label={t('command.link')}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            event.stopPropagation();
            apply(href);
          }}
        >
          <Stack gap="xs">
            <TagField
              links
              label={t('linkOfWords')}
              placeholder="https://"
              value={href}
              onText={setHref}
              data-autofocus
            />
            <Group gap="xs">
              <Button size="xs" type="submit">
                {t('apply')}
              </Button>
              <Button size="xs" variant="default" onClick={() => apply('')}>
                {t('linkRemove')}
              </Button>
            </Group>
          </Stack>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
