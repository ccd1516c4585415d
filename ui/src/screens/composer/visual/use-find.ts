// Shows in the visual editor what a finding of the check quotes: selects the innermost element that has it.
import type { Component } from 'grapesjs';
import { useEffect, useRef } from 'react';
import type { Visual } from './grapes-editor.ts';

/**
 * @param visual undefined while the editor is loading
 * @param find what to show; each new object is a new request
 * @param onMissing the page cannot be edited here, or only its source has the text
 */
export function useFind(
  visual: Visual | undefined,
  find: { text: string } | undefined,
  isBarred: boolean,
  onMissing: (() => void) | undefined,
): void {
  const missing = useRef(onMissing);
  missing.current = onMissing;
  useEffect(() => {
    if (!visual || !find) return;
    const element = isBarred ? undefined : visual.chips.asWritten(() => elementWith(visual, find.text));
    if (!element) return missing.current?.();
    const { editor } = visual;
    editor.select(element);
    editor.Canvas.scrollTo(element, { behavior: 'smooth', block: 'center' });
  }, [visual, find, isBarred]);
}

/** The innermost element with this text or attribute; undefined if there is none. */
function elementWith({ editor }: Visual, text: string): Component | undefined {
  const wanted = words(text);
  const all: Component[] = editor.getWrapper()!.find('*');
  return all.findLast((component) => {
    const shown = component.getEl();
    return (
      shown &&
      [shown.textContent, ...[...shown.attributes].map(({ value }) => value)].some((has) => words(has).includes(wanted))
    );
  });
}

const words = (text: string): string => text.replace(/\s+/g, ' ').trim().toLowerCase();
