// The editor for HTML, MJML and Markdown (CodeMirror): highlighting, line numbers, search, undo. Loaded when its tab is opened.
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
import classes from '../composer.module.css';

export type HtmlEditorHandle = {
  /** Inserts text at the cursor; before one was set, at the end of the email. */
  insert(text: string): void;
  /** Moves the cursor to a point of the window, in pixels, such as that of a drop. */
  moveTo(x: number, y: number): void;
  /** Selects the first occurrence of a text and scrolls to it. */
  show(text: string): void;
};

type Props = {
  label: string;
  value: string;
  onText(text: string): void;
  readOnly: boolean;
  language?: 'html' | 'text';
  handle?: Ref<HtmlEditorHandle>;
};

export default function HtmlEditor({ label, value, onText, readOnly, language = 'html', handle }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | undefined>(undefined);
  const latestOnText = useRef(onText);
  latestOnText.current = onText;
  const dark = useComputedColorScheme('light') === 'dark';
  const colours = useRef(new Compartment());
  const hasCursor = useRef(false);
  // When the editor is re-created (read-only changed), it starts with the latest text.
  const latest = useRef({ value, dark });
  latest.current = { value, dark };

  // A layout effect: who has the handle may use it at once.
  useLayoutEffect(() => {
    const editor = new EditorView({
      parent: place.current!,
      state: EditorState.create({
        doc: latest.current.value,
        extensions: [
          lineNumbers(),
          foldGutter(),
          history(),
          indentOnInput(),
          bracketMatching(),
          highlightSelectionMatches(),
          search({ top: true }),
          language === 'html' ? html() : [],
          EditorView.lineWrapping,
          // Tab leaves the editor, as it leaves every field.
          keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap]),
          EditorView.contentAttributes.of({
            'aria-label': label,
            'aria-multiline': 'true',
            tabindex: '0',
            spellcheck: 'true',
          }),
          EditorState.readOnly.of(readOnly),
          colours.current.of(scheme(latest.current.dark)),
          EditorView.updateListener.of((update) => {
            if (update.view.hasFocus || update.selectionSet) hasCursor.current = true;
            if (update.docChanged) latestOnText.current(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    hasCursor.current = false;
    return () => editor.destroy();
  }, [label, readOnly, language]);

  useEffect(() => {
    view.current?.dispatch({ effects: colours.current.reconfigure(scheme(dark)) });
  }, [dark]);

  // The content was replaced by a template, an import or an earlier version. A layout effect, since in a later effect a
  // letter typed in between would look like such a difference and be lost.
  useLayoutEffect(() => {
    const editor = view.current;
    if (!editor || editor.state.doc.toString() === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);

  useImperativeHandle(handle, () => ({
    insert(text) {
      const editor = view.current!;
      if (!hasCursor.current) editor.dispatch({ selection: { anchor: endOf(editor.state.doc.toString()) } });
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

/** The end of what readers see. */
function endOf(source: string): number {
  const end = source.toLowerCase().lastIndexOf('</body');
  return end < 0 ? source.length : end;
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
