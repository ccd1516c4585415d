// The bar above the email in the visual editor: undo and redo, and what is done with the words of the selected text. It is beside the
// email, so that it covers nothing, and using it does not end writing.
import { Divider, Group } from '@mantine/core';
import {
  IconArrowBackUp,
  IconArrowForwardUp,
  IconBold,
  IconBrush,
  IconItalic,
  IconLink,
  IconList,
  IconListNumbers,
  IconStrikethrough,
  IconTags,
  IconUnderline,
  type TablerIcon,
} from '@tabler/icons-react';
import type { Component } from 'grapesjs';
import { useEffect, useState } from 'react';
import { useText } from '../../../../text/use-text.tsx';
import classes from '../../composer.module.css';
import { MergeTagMenu } from '../../content/merge-tags.tsx';
import { isText, type Visual } from '../grapes-editor.ts';
import { Tool } from '../settings/element-settings.tsx';
import { insertWords, keepsWriting, runCommand, type TextCommand, writeIn, written } from './cursor.ts';

const commands: readonly (readonly [TextCommand, TablerIcon])[] = [
  ['bold', IconBold],
  ['italic', IconItalic],
  ['underline', IconUnderline],
  ['strikeThrough', IconStrikethrough],
  ['insertUnorderedList', IconList],
  ['insertOrderedList', IconListNumbers],
];

export function TextBar({ visual, selected }: { visual: Visual | undefined; selected: Component | undefined }) {
  const t = useText('composer');
  useRedraw(visual);
  const editor = visual?.editor;
  const text = selected && isText(selected) ? selected : undefined;
  const page = editor?.Canvas.getDocument();
  const isOn = (command: TextCommand) =>
    editor !== undefined && written(editor) !== undefined && page?.queryCommandState(command) === true;
  /** Runs an action of GrapesJS that turns the chosen words into an element, which is selected then. */
  const wrap = async (action: 'link' | 'wrap') => {
    await writeIn(editor!, text!);
    editor!.RichTextEditor.run(action);
  };
  return (
    <Group className={classes.textBar} gap="xs" role="toolbar" aria-label={t('textBar')} {...keepsWriting}>
      <Group gap={4}>
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
      <Divider orientation="vertical" />
      <Group gap={4}>
        {commands.map(([command, icon]) => (
          <Tool
            key={command}
            icon={icon}
            label={t(`command.${command}`)}
            pressed={isOn(command)}
            disabled={!text}
            onClick={() => void runCommand(editor!, text!, command)}
          />
        ))}
        <Tool icon={IconLink} label={t('command.link')} disabled={!text} onClick={() => void wrap('link')} />
        <Tool icon={IconBrush} label={t('command.style')} disabled={!text} onClick={() => void wrap('wrap')} />
        <MergeTagMenu onChoose={(tag) => void insertWords(editor!, text!, tag)} disabled={!text}>
          <Tool icon={IconTags} label={t('insertTag')} disabled={!text} />
        </MergeTagMenu>
      </Group>
    </Group>
  );
}

/** Draws the bar again when something is changed or taken back, and when the cursor moves. */
function useRedraw(visual: Visual | undefined): void {
  const [, redraw] = useState(0);
  useEffect(() => {
    if (!visual) return;
    const { editor } = visual;
    const page = editor.Canvas.getDocument()!;
    // After GrapesJS has finished.
    const later = () => queueMicrotask(() => redraw((count) => count + 1));
    const events = 'update component:input rte:enable rte:disable undo redo';
    editor.on(events, later);
    page.addEventListener('selectionchange', later);
    return () => {
      editor.off(events, later);
      page.removeEventListener('selectionchange', later);
    };
  }, [visual]);
}
