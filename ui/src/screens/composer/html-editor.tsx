// HTML source: colours, line numbers, search, undo. Loaded when it is opened.
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { html } from '@codemirror/lang-html';
import {
  bracketMatching,
  defaultHighlightStyle,
  foldGutter,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState } from '@codemirror/state';
import { oneDarkHighlightStyle } from '@codemirror/theme-one-dark';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { useComputedColorScheme } from '@mantine/core';
import { type Ref, useEffect, useImperativeHandle, useLayoutEffect, useRef } from 'react';
import classes from './composer.module.css';

export type HtmlEditorHandle = {
  /** Puts a text in where the cursor is. */
  insert(text: string): void;
  /** Puts the cursor where something was dropped, in the window's pixels. */
  moveTo(x: number, y: number): void;
  /** Marks the first place where a text stands, and goes there. */
  show(text: string): void;
};

type Props = {
  label: string;
  value: string;
  onText(text: string): void;
  readOnly: boolean;
  handle?: Ref<HtmlEditorHandle>;
};

export default function HtmlEditor({ label, value, onText, readOnly, handle }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | undefined>(undefined);
  const heard = useRef(onText);
  heard.current = onText;
  const dark = useComputedColorScheme('light') === 'dark';
  const colours = useRef(new Compartment());
  // An editor that is made anew, since it may be written in again, begins with what was typed last.
  const now = useRef({ value, dark });
  now.current = { value, dark };

  useEffect(() => {
    const editor = new EditorView({
      parent: place.current!,
      state: EditorState.create({
        doc: now.current.value,
        extensions: [
          lineNumbers(),
          foldGutter(),
          history(),
          indentOnInput(),
          bracketMatching(),
          highlightSelectionMatches(),
          search({ top: true }),
          html(),
          EditorView.lineWrapping,
          // Tab leaves the editor: it is a field among fields.
          keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap]),
          EditorView.contentAttributes.of({
            'aria-label': label,
            'aria-multiline': 'true',
            tabindex: '0',
            spellcheck: 'true',
          }),
          EditorState.readOnly.of(readOnly),
          colours.current.of(scheme(now.current.dark)),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) heard.current(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, [label, readOnly]);

  useEffect(() => {
    view.current?.dispatch({ effects: colours.current.reconfigure(scheme(dark)) });
  }, [dark]);

  // Another body came from elsewhere: a template, an import, an earlier version. Looked at as it is drawn: later, a letter
  // typed meanwhile would be taken for the difference and be lost.
  useLayoutEffect(() => {
    const editor = view.current;
    if (!editor || editor.state.doc.toString() === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);

  useImperativeHandle(handle, () => ({
    insert(text) {
      const editor = view.current!;
      editor.dispatch(editor.state.replaceSelection(text), { scrollIntoView: true });
      editor.focus();
    },
    moveTo(x, y) {
      const at = view.current!.posAtCoords({ x, y });
      if (at !== null) view.current!.dispatch({ selection: { anchor: at } });
    },
    show(text) {
      const editor = view.current!;
      const source = editor.state.doc.toString();
      const from = [source.indexOf(text), source.toLowerCase().indexOf(text.toLowerCase())].find((at) => at >= 0);
      editor.focus();
      if (from === undefined) return;
      editor.dispatch({
        selection: { anchor: from, head: from + text.length },
        effects: EditorView.scrollIntoView(from, { y: 'center' }),
      });
    },
  }));
  return <div ref={place} className={classes.editor} />;
}

const scheme = (dark: boolean) => [
  syntaxHighlighting(dark ? oneDarkHighlightStyle : defaultHighlightStyle),
  EditorView.theme(
    {
      '&': { height: '100%', fontSize: '13px', backgroundColor: 'var(--mantine-color-body)' },
      '.cm-scroller': { fontFamily: 'var(--mantine-font-family-monospace)', lineHeight: '1.5' },
      '.cm-gutters': {
        backgroundColor: 'var(--ground-soft)',
        color: 'var(--mantine-color-dimmed)',
        border: '0',
      },
      '&.cm-focused': { outline: 'none' },
    },
    { dark },
  ),
];
