// The menu that opens while a text of the visual editor is written: of blocks after "/", of merge tags after "{" or "*|". What is typed
// next narrows it; arrow keys and Enter choose, Escape closes it. The cursor stays in the text.
import type { Component, Editor } from 'grapesjs';
import { useEffect, useRef, useState } from 'react';
import { useText } from '../../../../text/use-text.tsx';
import classes from '../../composer.module.css';
import { useMergeTags } from '../../content/merge-tags.tsx';
import { type BlockName, blockNames } from '../blocks.ts';
import type { Visual } from '../grapes-editor.ts';
import { insertTag, written } from './cursor.ts';
import { type Trigger, triggerBefore } from './trigger.ts';

type Choice = { label: string; about: string; run(): void };
type Place = { trigger: Trigger; text: Component; x: number; y: number };

export function TypedMenu({ visual, onBlock }: { visual: Visual; onBlock(name: BlockName): void }) {
  const t = useText('composer');
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
  return (
    <div
      role="listbox"
      aria-label={t(place.trigger.kind === 'tag' ? 'insertTag' : 'blocks')}
      className={classes.typedMenu}
      style={{ left: place.x, top: place.y }}
    >
      {choices.map((choice, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are pressed in the text, where the cursor is
        <div
          key={`${choice.label} ${choice.about}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === at}
          className={classes.typedChoice}
          onMouseDown={(event) => {
            event.preventDefault();
            event.stopPropagation();
          }}
          onClick={() => choose(choice)}
        >
          <span>{choice.label}</span>
          <small>{choice.about}</small>
        </div>
      ))}
    </div>
  );
}

function matching(choices: Choice[], query: string): Choice[] {
  const wanted = query.toLowerCase();
  return choices.filter(({ label, about }) => `${label} ${about}`.toLowerCase().includes(wanted)).slice(0, 8);
}

/** Where the menu goes: below the cursor, in the coordinates of the place around the frame. */
function placeOf(editor: Editor): Place | undefined {
  const text = written(editor);
  const selection = editor.Canvas.getDocument()!.getSelection();
  const node = selection?.anchorNode;
  if (!text || !selection?.isCollapsed || node?.nodeType !== Node.TEXT_NODE) return undefined;
  const trigger = triggerBefore((node.nodeValue ?? '').slice(0, selection.anchorOffset));
  if (!trigger) return undefined;
  const { left, bottom } = selection.getRangeAt(0).getBoundingClientRect();
  const frame = editor.Canvas.getFrameEl();
  const [width, height] = [frame.clientWidth, frame.clientHeight];
  return {
    trigger,
    text,
    x: Math.max(0, Math.min(left, width - 270)),
    y: Math.min(bottom + 4, Math.max(0, height - 200)),
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
