// The HTML source of a campaign or template, next to a live preview.
import { Group, Skeleton, Stack, Text } from '@mantine/core';
import { lazy, Suspense, useDeferredValue, useEffect, useRef } from 'react';
import { useText } from '../../../text/use-text.tsx';
import classes from '../composer.module.css';
import { useInsertPicture } from '../pictures/insert-picture.tsx';
import { MailFrame } from '../preview/mail-frame.tsx';
import type { HtmlEditorHandle } from './html-editor.tsx';
import { SourceTools } from './source-tools.tsx';

const HtmlEditor = lazy(() => import('./html-editor.tsx'));

type Props = {
  html: string;
  onHtml(html: string): void;
  fixed: boolean;
  fault?: string | undefined;
  /** A text to select, when a finding of the check leads here. */
  find?: { text: string } | undefined;
};

export function SourceEditor({ html, onHtml, fixed, fault, find }: Props) {
  const t = useText('composer');
  const editor = useRef<HtmlEditorHandle>(null);
  const picture = useInsertPicture(editor, fixed);
  const previewed = useDeferredValue(html);
  useEffect(() => {
    if (!find) return;
    // The editor may still be loading.
    const timer = setInterval(() => {
      if (!editor.current) return;
      clearInterval(timer);
      editor.current.show(find.text);
    }, 50);
    return () => clearInterval(timer);
  }, [find]);
  return (
    <Stack gap="sm" className={classes.container}>
      <Group justify="space-between">
        <SourceTools editor={editor} disabled={fixed} picture={picture.button} />
        <Text size="xs" c="dimmed">
          {t('characters', { count: html.length })}
        </Text>
      </Group>
      {fault && (
        <Text c="var(--mantine-color-error)" role="alert">
          {fault}
        </Text>
      )}
      <div className={classes.sideBySide}>
        <div {...picture.target}>
          <Suspense fallback={<Skeleton height={560} aria-busy />}>
            <HtmlEditor label={t('htmlSource')} value={html} onText={onHtml} readOnly={fixed} handle={editor} />
          </Suspense>
        </div>
        <MailFrame html={previewed} title={t('livePreview')} />
      </div>
      {picture.dialog}
    </Stack>
  );
}
