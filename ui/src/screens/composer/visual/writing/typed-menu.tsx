// The menu that opens while a text of the visual editor is written: of blocks after "/", of merge tags after "{" or "*|". What is typed
// next narrows it; arrow keys and Enter choose, Escape closes it. The cursor stays in the text. The menu is below the line, or above it
// where there is more room.
import type { TablerIcon } from '@tabler/icons-react';
import type { Component, Editor } from 'grapesjs';
import { useEffect, useRef, useState } from 'react';
import { useText } from '../../../../text/use-text.tsx';
import classes from '../../composer.module.css';
import { useMergeTags } from '../../content/merge-tags.tsx';
import { blockIcons } from '../block-buttons.tsx';
import { type BlockName, blockNames } from '../blocks.ts';
import type { Visual } from '../grapes-editor.ts';
import { insertTag, written } from './cursor.ts';
import { type Trigger, triggerBefore } from './trigger.ts';

type Choice = { label: string; about: string; icon?: TablerIcon; run(): void };
type Place = { trigger: Trigger; text: Component; left: number; maxHeight: number } & (
  | { top: number }
  | { bottom: number }
);

export function TypedMenu({ visual, onBlock }: { visual: Visual; onBlock(name: BlockName): void }) {
  const t = useText('visual');
  const { editor } = visual;
  const [place, setPlace] = useState<Place>();
  const [at, setAt] = useState(0);
  const tags = useMergeTags(false);
  const choices = !place ? [] : matching(allChoices(), place.trigger.query);

  function allChoices(): Choice[] {
    if (place?.trigger.kind === 'tag')
      return tags.map(({ tag, label, shown = tag }) => ({
        label,
        about: shown,
        run: () => {
          take(editor, place.trigger);
          insertTag(editor, tag);
        },
      }));
    return blockNames.map((name) => ({
      label: t(`block.${name}`),
      about: '',
      icon: blockIcons[name],
      run: () => {
        take(editor, place!.trigger);
        onBlock(name);
      },
    }));
  }
  const choose = (choice: Choice | undefined) => {
    setPlace(undefined);
    choice?.run();
  };
  const latest = useRef({ choices, at, choose });
  latest.current = { choices, at, choose };

  useEffect(() => {
    const page = editor.Canvas.getDocument()!;
    const look = () => {
      setAt(0);
      setPlace(placeOf(editor));
    };
    const close = () => setPlace(undefined);
    const onKey = (event: KeyboardEvent) => {
      const { choices, at, choose } = latest.current;
      const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      const isUsed = by !== undefined || ['Enter', 'Tab', 'Escape'].includes(event.key);
      if (choices.length === 0 || !isUsed) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      if (by !== undefined) setAt((at + by + choices.length) % choices.length);
      else choose(event.key === 'Escape' ? undefined : choices[at]);
    };
    editor.on('component:input', look);
    editor.on('rte:disable component:selected', close);
    page.addEventListener('keydown', onKey, true);
    page.addEventListener('mousedown', close, true);
    page.addEventListener('scroll', close, true);
    return () => {
      editor.off('component:input', look);
      editor.off('rte:disable component:selected', close);
      page.removeEventListener('keydown', onKey, true);
      page.removeEventListener('mousedown', close, true);
      page.removeEventListener('scroll', close, true);
    };
  }, [editor]);

  if (!place || choices.length === 0) return null;
  const { trigger, text: _text, ...where } = place;
  return (
    <div
      role="listbox"
      aria-label={t(trigger.kind === 'tag' ? 'insertTag' : 'blocks')}
      className={classes.typedMenu}
      style={where}
      // It scrolls where there are many; a click on it leaves the cursor where it is.
      tabIndex={0}
      onMouseDown={(event) => event.preventDefault()}
    >
      {choices.map((choice, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are pressed in the text, where the cursor is
        <div
          key={`${choice.label} ${choice.about}`}
          ref={index === at ? intoView : undefined}
          role="option"
          tabIndex={-1}
          aria-selected={index === at}
          className={classes.typedChoice}
          onClick={() => choose(choice)}
        >
          {choice.icon && <choice.icon size={18} stroke={1.75} aria-hidden />}
          <span>{choice.label}</span>
          <small>{choice.about}</small>
        </div>
      ))}
    </div>
  );
}

const intoView = (choice: HTMLElement | null) => choice?.scrollIntoView({ block: 'nearest' });

function matching(choices: Choice[], query: string): Choice[] {
  const wanted = query.toLowerCase();
  return choices.filter(({ label, about }) => `${label} ${about}`.toLowerCase().includes(wanted));
}

/** Of the menu, and its distance from the line. */
const menuWidth = 270;
const maxMenuHeight = 312;
const gap = 4;

/** Where the menu goes, in the coordinates of the place around the frame. */
function placeOf(editor: Editor): Place | undefined {
  const text = written(editor);
  const selection = editor.Canvas.getDocument()!.getSelection();
  const node = selection?.anchorNode;
  if (!text || !selection?.isCollapsed || node?.nodeType !== Node.TEXT_NODE) return undefined;
  const trigger = triggerBefore((node.nodeValue ?? '').slice(0, selection.anchorOffset));
  if (!trigger) return undefined;
  const { left, top, bottom } = selection.getRangeAt(0).getBoundingClientRect();
  const frame = editor.Canvas.getFrameEl();
  const [below, above] = [frame.clientHeight - bottom - gap, top - gap];
  const isBelow = below >= Math.min(maxMenuHeight, above);
  return {
    trigger,
    text,
    left: Math.max(0, Math.min(left, frame.clientWidth - menuWidth)),
    maxHeight: Math.min(maxMenuHeight, isBelow ? below : above),
    ...(isBelow ? { top: bottom + gap } : { bottom: frame.clientHeight - top + gap }),
  };
}

/** Removes what opened the menu. */
function take(editor: Editor, { length }: Trigger): void {
  const page = editor.Canvas.getDocument()!;
  const selection = page.getSelection();
  const node = selection?.anchorNode;
  if (!selection || !node) return;
  const end = selection.anchorOffset;
  selection.setBaseAndExtent(node, Math.max(0, end - length), node, end);
  page.execCommand('delete');
}
